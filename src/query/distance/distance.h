// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distance and clearance: the parts of the query, and their steps on packed trees, shared by the search on one thread
// and that on several. query/common/nearest.h has one search for the nearest pair.

#pragma once

#include "dualbvh/distance.h"
#include "query/collide/collide.h"
#include "query/common/nearest.h"
#include "query/distance/nearest_run.h"

// The traversals of packed trees: on the calling thread, and on up to `thread_count` threads, for which the workspace
// has been prepared, for searches without errors or a budget. reference/reference.h has the one in doubles.
void dbvhi_nearest_packed( dbvhi_nearest *search, dbvh_workspace *workspace );
void dbvhi_nearest_parallel( dbvhi_nearest *search, dbvh_workspace *workspace, uint32_t thread_count );

// The memory of a workspace for distance and clearance.
typedef struct dbvhi_distance_memory {
	dbvhi_near_candidate *candidates; // DBVHI_NEAR_CANDIDATES entries; NULL before the first packed search
	dbvhi_near_queue queue;
	dbvhi_near_pair waiting[DBVHI_NEAREST_CAPACITY]; // note: not on the stack, which exact decisions need
	dbvhi_kept_height *heights;                      // DBVHI_KEPT_HEIGHTS entries; NULL for clearances
	uint32_t cleared[2];                             // of each half of the heights, so many entries have been cleared
	uint32_t round;                                  // last round that was used
	dbvhi_nearest search;                            // the search of a thread beside the calling one
} dbvhi_distance_memory;

// The query's memory in a workspace: NULL if it cannot be allocated; never NULL after dbvhi_workspace_require_near() or
// dbvhi_workspace_require_distance().
dbvhi_distance_memory *dbvhi_distance_memory_of( dbvh_workspace *workspace );

// Allocate what the packed traversals need; the second also allocates the cache of heights, for distances.
dbvh_status dbvhi_workspace_require_near( dbvh_workspace *workspace, bool are_packed );
dbvh_status dbvhi_workspace_require_distance( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );

// Allocate the same for `thread_count` threads.
dbvh_status dbvhi_workspace_require_distance_threads( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                                      size_t pair_capacity, uint32_t thread_count );

// Lend the memory of a workspace to a search, and return it.
void dbvhi_nearest_attach( dbvhi_nearest *search, dbvh_workspace *workspace );
void dbvhi_nearest_detach( const dbvhi_nearest *search, dbvh_workspace *workspace );

// dbvh_check_clearance() after all arguments but the poses have been checked. `meter` is that of the call of which this
// is a part, else NULL.
dbvh_status dbvhi_clearance_checked( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, double max_distance, dbvhi_meter *meter,
                                     const dbvh_collide_query *query, dbvh_workspace *workspace,
                                     dbvh_collide_result *result );

// The same for meshes at a known relative pose. *last_out is not touched if no pair is within the distance.
dbvh_status dbvhi_clearance_near( const dbvhi_mesh_pair *meshes, double max_distance, const dbvh_collide_query *query,
                                  dbvh_workspace *workspace, dbvhi_leaf_pair *last_out, dbvh_collide_result *result );

// dbvh_distance() and dbvh_check_clearance() after all arguments but the poses have been checked, within `budget`. For
// the first, dbvhi_workspace_require_distance() has been called. If a pose is refused, the result is not touched.
dbvh_status dbvhi_check_distance_query( const dbvh_distance_query *query, dbvh_error *error );
dbvh_status dbvhi_distance_measure( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, const dbvh_distance_query *query,
                                    const dbvh_budget *budget, uint32_t thread_count, dbvh_workspace *workspace,
                                    dbvh_distance_result *result );
dbvh_status dbvhi_check_clearance_query( const dbvh_clearance_query *query, dbvh_error *error );
dbvh_status dbvhi_clearance_measure( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, const dbvh_clearance_query *query,
                                     const dbvh_budget *budget, uint32_t thread_count, dbvh_workspace *workspace,
                                     dbvh_clearance_result *result );

// ------------------------------------------------------------------------------------------------
// Steps on packed trees

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
