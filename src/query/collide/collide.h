// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which triangles of two meshes intersect: the search behind dbvh_collide(), for other questions to build on, and its
// traversals.

#pragma once

#include "query/collide/local.h"
#include "query/common/hit_collector.h"
#include "query/common/packed_search.h"

// Do the members of a query fit together? (All but pair_begin and thread_count, which batches take otherwise.)
dbvh_status dbvhi_check_collide_query( const dbvh_collide_query *query, dbvh_error *error );

// Two triangles, in leaf order.
typedef struct dbvhi_place_pair {
	uint32_t fixed, moved;
	bool is_near_start; // it was found about the start that was given
} dbvhi_place_pair;

// What a question that builds on this one may ask for beside a query.
typedef struct dbvhi_collide_options {
	double max_distance; // pairs at most this far apart; 0: those that intersect
	// Above 0: reserves what the packed traversal takes, and traverses two packed trees.
	dbvh_status ( *reserve )( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
	                          uint32_t thread_count );
	void ( *traverse_packed )( dbvhi_hit_collector *search, uint32_t thread_count );
	bool distinct;      // of triangles that are the same only the lowest is named: what it takes to know where meshes
	                    // intersect
	dbvhi_meter *meter; // of a call that this is a part of; NULL: the query's own budget
	const dbvhi_start *start;    // of a search for one contact, without a budget; NULL: the roots alone
	dbvhi_place_pair *place_out; // of the last pair that was found, untouched without; NULL: nobody asks
} dbvhi_collide_options;

// dbvh_collide() once its arguments are checked, but for the poses. `query` and `workspace` may be NULL.
dbvh_status dbvhi_collide_checked( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                   const dbvh_pose *pose_b, const dbvhi_collide_options *options,
                                   const dbvh_collide_query *query, dbvh_workspace *workspace,
                                   dbvh_collide_result *result );

// The same for meshes at a pose that is known, whose volumes as a whole are near each other; `spent` is what has been
// done so far.
dbvh_status dbvhi_collide_near( const dbvhi_mesh_pair *meshes, const dbvh_counters *spent,
                                const dbvhi_collide_options *options, const dbvh_collide_query *query,
                                dbvh_workspace *workspace, dbvh_collide_result *result );

// dbvh_collide() once the arguments are checked and the workspace is large enough: allocates nothing. `result` is zero
// before, and after anything but DBVH_OK.
dbvh_status dbvhi_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                           const dbvh_collide_query *query, uint32_t thread_count, dbvh_workspace *workspace,
                           dbvh_collide_result *result );

// The traversals, one for each form of the trees, and one in doubles for two trees of whichever form. `thread_count`:
// on up to that many threads, for which the workspace has been made ready.
void dbvhi_traverse_reference( dbvhi_hit_collector *search, dbvh_policy policy, uint32_t thread_count );
dbvh_status dbvhi_workspace_require_reference_parallel( dbvh_workspace *workspace, const dbvh_tree *a,
                                                        const dbvh_tree *b, size_t pair_capacity,
                                                        uint32_t thread_count );
void dbvhi_traverse_any( dbvhi_hit_collector *search );
void dbvhi_traverse_packed( dbvhi_hit_collector *search, const dbvhi_start *start );
// Compares packed forms in one unit of their own.
void dbvhi_traverse_scaled( dbvhi_hit_collector *search );
// Meshes of so few triangles that all pairs are soonest compared without their trees.
bool dbvhi_pair_is_small( const dbvhi_mesh_pair *pair );
void dbvhi_traverse_small( dbvhi_hit_collector *search );
void dbvhi_traverse_parallel( dbvhi_hit_collector *search, uint32_t thread_count );
dbvh_status dbvhi_workspace_require_parallel( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                              size_t pair_capacity, uint32_t thread_count );

// All pairs of triangles of one tree, none twice: for a search of a mesh with itself.
void dbvhi_traverse_reference_self( dbvhi_hit_collector *search, dbvh_policy policy );

// Lets a run compare the ellipsoids of the two trees, if both have some. `search` has to stay where it is.
void dbvhi_packed_use_ellipsoids( const dbvhi_hit_collector *search, dbvhi_packed_run *run );

// Decides the candidates that the kernel has left and charges for them. Returns true if the search is over.
bool dbvhi_packed_settle( dbvhi_hit_collector *search, dbvhi_packed_run *run );
