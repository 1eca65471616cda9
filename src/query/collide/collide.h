// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search behind dbvh_collide() and its traversals, also for other queries to build on.

#pragma once

#include "query/common/mesh_pair.h"
#include "query/common/packed_run.h"
#include "query/common/packed_search.h"
#include "query/common/pair_search.h"

// Do the members of a query fit together? (All but pair_begin and thread_count, which batches take otherwise.)
dbvh_status dbvhi_check_collide_query( const dbvh_collide_query *query, dbvh_error *error );

#define DBVHI_DESCENT_LENGTH 16

// Path in a packed tree from the root to the node that has the leaf of a triangle, or as far as there is room: node
// numbers and the radii of their spheres.
typedef struct dbvhi_descent_path {
	uint32_t count;
	int32_t node[DBVHI_DESCENT_LENGTH];
	float radius[DBVHI_DESCENT_LENGTH];
} dbvhi_descent_path;

// Find the path to a triangle, given by its position in leaf order. Takes some tenths of a microsecond.
void dbvhi_descent_path_find( const dbvh_tree *tree, uint32_t triangle, dbvhi_descent_path *out );

// Start of a search for one contact.
typedef struct dbvhi_start {
	const dbvhi_descent_path *fixed, *moved; // to triangles that have met; paths of other trees are harmless
	double step;                             // about how far the meshes have moved since they met
} dbvhi_start;

// Two triangles by their positions in leaf order.
typedef struct dbvhi_leaf_pair {
	uint32_t fixed, moved;
	bool is_near_start; // found about the given start (dbvhi_start)
} dbvhi_leaf_pair;

// Options of queries that build on this search.
typedef struct dbvhi_collide_options {
	double max_distance; // find pairs at most this far apart; 0: those that intersect
	// If max_distance > 0: reserves the memory of the packed traversal, and traverses two packed trees.
	dbvh_status ( *reserve )( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
	                          uint32_t thread_count );
	void ( *traverse_packed )( dbvhi_pair_search *search, uint32_t thread_count );
	uint32_t ready_threads; // the workspace is large enough for that many threads: allocate nothing; 0: reserve it
	bool distinct;      // name only the lowest of identical triangles, which is enough to know where meshes intersect
	dbvhi_meter *meter; // the meter of an enclosing call; NULL: the query's own budget counts
	const dbvhi_start *start;  // start of a search for one contact, without a budget; NULL: at the roots
	dbvhi_leaf_pair *last_out; // receives the last pair found, if any; NULL: not wanted
} dbvhi_collide_options;

// dbvh_collide() after its arguments are checked, except for the poses. `query` and `workspace` may be NULL.
dbvh_status dbvhi_collide_checked( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                   const dbvh_pose *pose_b, const dbvhi_collide_options *options,
                                   const dbvh_collide_query *query, dbvh_workspace *workspace,
                                   dbvh_collide_result *result );

// The same for a pair that is set up and whose root volumes are near each other; `spent` counts the tests so far.
dbvh_status dbvhi_collide_near( const dbvhi_mesh_pair *meshes, const dbvh_counters *spent,
                                const dbvhi_collide_options *options, const dbvh_collide_query *query,
                                dbvh_workspace *workspace, dbvh_collide_result *result );

// dbvh_collide() after its arguments are checked, with a workspace that is large enough, on the calling thread:
// allocates nothing. `result` is zero before, and after anything but DBVH_OK.
dbvh_status dbvhi_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                           const dbvh_collide_query *query, dbvh_workspace *workspace, dbvh_collide_result *result );

// The traversals of two packed trees. `thread_count`: up to that many threads, for which the workspace has been made
// ready.
void dbvhi_traverse_packed( dbvhi_pair_search *search, const dbvhi_start *start );
// Compare packed forms in one unit of their own (dbvhi_mesh_pair_is_scaled()).
void dbvhi_traverse_scaled( dbvhi_pair_search *search );
// Are the meshes so small that comparing all pairs of leaves is faster than their trees?
bool dbvhi_pair_is_small( const dbvhi_mesh_pair *pair );
void dbvhi_traverse_small( dbvhi_pair_search *search );
void dbvhi_traverse_parallel( dbvhi_pair_search *search, uint32_t thread_count );
dbvh_status dbvhi_workspace_require_parallel( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                              size_t pair_capacity, uint32_t thread_count );

// A mesh of one node as a node with one child, which has the volumes of the root and counts as a leaf. Against a mesh
// of many nodes that child is compared first, and the leaves of the small mesh only with leaves that it has left.
typedef struct dbvhi_whole {
	dbvhi_packed_spheres spheres;
	dbvhi_packed_box boxes[DBVHI_WIDTH];
} dbvhi_whole;

// Put the roots of a pair on the stack of a run that is otherwise set up; `room` must not move while the run is used.
void dbvhi_packed_push_roots( const dbvhi_mesh_pair *meshes, dbvhi_packed_run *run, dbvhi_whole *room );

// Let a run compare the ellipsoids of the two trees, if both have some. `search` must not move.
void dbvhi_packed_use_ellipsoids( const dbvhi_pair_search *search, dbvhi_packed_run *run );

// Decide the candidates of a run, on the ladder from rung `first` on, and charge for them. Returns true if the search
// is over.
bool dbvhi_packed_settle( dbvhi_pair_search *search, dbvhi_packed_run *run, dbvhi_rung first );

// Search about the start. `run` has its memory and is otherwise empty, before and after. Returns true if a contact was
// found; it is recorded.
bool dbvhi_search_near( dbvhi_pair_search *search, dbvhi_packed_run *run, const dbvhi_start *start );

// ------------------------------------------------------------------------------------------------
// Faces of parts in an assembly lie on each other, or a hair apart: less than boxes with axes of 16 bits and the margin
// of floats can separate, so that a search goes down to the leaves everywhere on them. This test separates two leaves
// as wholes, by a plane in doubles, instead of their triangles pair by pair.

// Let a run test pairs of leaves; the mesh pair must not move.
void dbvhi_packed_use_flat_leaves( dbvhi_packed_run *run, const dbvhi_mesh_pair *meshes );
