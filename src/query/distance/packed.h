// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distance and clearance on packed trees, step by step: what one thread and several have in common.

#pragma once

#include "query/distance/nearest.h"

// Gives a run whose stacks and queues are empty those of a workspace.
void dbvhi_nearest_run_attach( dbvhi_nearest_run *run, dbvh_workspace *workspace );

// ------------------------------------------------------------------------------------------------
// Distance

// Sets a run up for the two roots.
void dbvhi_nearest_start( dbvhi_nearest *search, dbvh_workspace *workspace, dbvhi_nearest_run *run );

// Looks at what the kernel has returned with. Returns true if the search is over.
bool dbvhi_nearest_compare( dbvhi_nearest *search, dbvhi_nearest_run *run );

// Goes on until the search is over; or returns true once the run has compared so many vectors of nodes and has paused,
// with all nodes that are left on its stack.
bool dbvhi_nearest_search( dbvhi_nearest *search, dbvhi_nearest_run *run, uint64_t most_nodes );

// The nearest pair is known not to be farther apart than `bound`; without errors allowed.
void dbvhi_nearest_hear( dbvhi_nearest *search, dbvhi_nearest_run *run, double bound );

// ------------------------------------------------------------------------------------------------
// Clearance

// Sets a run up for the two roots. Returns false where these answer.
bool dbvhi_clearance_start( dbvhi_hit_collector *search, dbvhi_nearest_run *run );

// Looks at what the kernel has returned with. Returns true if the search is over.
bool dbvhi_clearance_decide( dbvhi_hit_collector *search, const dbvhi_nearest_run *run );

// As dbvhi_nearest_search().
bool dbvhi_clearance_search( dbvhi_hit_collector *search, dbvhi_nearest_run *run, uint64_t most_nodes );

// The rest of a search that has been started, on up to `thread_count` threads.
void dbvhi_clearance_parallel( dbvhi_hit_collector *search, dbvhi_nearest_run *run, uint32_t thread_count );
