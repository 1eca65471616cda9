// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distance and clearance on packed trees, step by step: shared by the search on one thread and that on several.

#pragma once

#include "query/distance/nearest.h"

// Set the stacks and queues of a run to those of a workspace; they are empty then.
void dbvhi_nearest_run_attach( dbvhi_nearest_run *run, dbvh_workspace *workspace );

// ------------------------------------------------------------------------------------------------
// Distance

// Set a run up, with the two roots on its stack.
void dbvhi_nearest_start( dbvhi_nearest *search, dbvh_workspace *workspace, dbvhi_nearest_run *run );

// Process the candidates of the kernel. Returns true if the search is over.
bool dbvhi_nearest_compare( dbvhi_nearest *search, dbvhi_nearest_run *run );

// Continue until the search is over, or until the run has compared `most_nodes` vectors of nodes and pauses: then
// returns true, with all nodes that are left on the stack.
bool dbvhi_nearest_search( dbvhi_nearest *search, dbvhi_nearest_run *run, uint64_t most_nodes );

// Tell a search that the distance is at most `bound`. No errors may be allowed.
void dbvhi_nearest_hear( dbvhi_nearest *search, dbvhi_nearest_run *run, double bound );

// ------------------------------------------------------------------------------------------------
// Clearance

// Set a run up, with the two roots on its stack. Returns false if the roots are separated by more than the clearance.
bool dbvhi_clearance_start( dbvhi_pair_search *search, dbvhi_nearest_run *run );

// Decide the candidates of the kernel. Returns true if the search is over.
bool dbvhi_clearance_decide( dbvhi_pair_search *search, const dbvhi_nearest_run *run );

// Continue like dbvhi_nearest_search().
bool dbvhi_clearance_search( dbvhi_pair_search *search, dbvhi_nearest_run *run, uint64_t most_nodes );

// Finish a search that has been started, on up to `thread_count` threads.
void dbvhi_clearance_parallel( dbvhi_pair_search *search, dbvhi_nearest_run *run, uint32_t thread_count );
