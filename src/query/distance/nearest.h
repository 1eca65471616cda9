// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search for the distance: the question and the result so far. A traversal (packed.c, reference/distance.c)
// discards pairs of nodes that are certainly farther apart than `bound`, and hands the pairs of triangles that are left
// to dbvhi_nearest_triangles(), which keeps the nearest.

#pragma once

#include "dualbvh/distance.h"
#include "query/collide/collide.h"
#include "query/common/mesh_pair.h"
#include "query/common/work.h"
#include "query/distance/kernel.h"

// Capacity for pairs that, as far as doubles can tell, may be the nearest, and wait to be compared exactly.
#define DBVHI_NEAREST_CAPACITY 64

typedef struct dbvhi_near_pair {
	dbvhi_tri_tri_bounds gap;
	uint32_t fixed, moved; // in leaf order
	uint64_t key;          // in file order, a << 32 | b
} dbvhi_near_pair;

// A cache of dbvhi_height_beyond() by triangle: an entry has the last of the triangles that share it.
#define DBVHI_KEPT_HEIGHTS 4096

typedef struct dbvhi_kept_height {
	double height;
	uint32_t round, leaf;
} dbvhi_kept_height;

typedef enum dbvhi_planes_state {
	DBVHI_PLANES_UNKNOWN, // not yet computed for the best pair
	DBVHI_PLANES_NEAR,    // computed in pairs of doubles
	DBVHI_PLANES_EXACT,   // pairs of doubles are of no use: decisions about the planes of the witness are exact
} dbvhi_planes_state;

typedef struct dbvhi_nearest {
	dbvhi_mesh_pair meshes;
	double relative_error, absolute_error;
	double best;  // pairs farther apart than this do not count: the limit, then an upper bound of the distance
	double bound; // pairs farther apart than this are discarded: `best` less the errors that are allowed
	bool touched; // some pair is certainly as near as `best`
	uint32_t count;
	bool found; // `pair` is the best so far, compared exactly, and `witness` its nearest points
	dbvhi_witness witness;
	dbvhi_near_pair pair;
	// Planes through the witness of the best pair, which discard others: see nearest.c.
	dbvhi_planes_state planes_state;
	dbvhi_distance_planes planes;
	dbvhi_seen_pairs *seen;     // pairs that other fragments of the same triangles have brought up already
	dbvhi_kept_height *heights; // DBVHI_KEPT_HEIGHTS entries
	uint32_t round;             // the round whose entries of `heights` are valid
	double at_least;            // lower bound of the pairs that a budget has left; INFINITY: none are left
	dbvhi_work work;
	dbvh_counters counters;
	dbvhi_near_pair *waiting; // DBVHI_NEAREST_CAPACITY entries
} dbvhi_nearest;

// Compare triangle i of the fixed mesh with j of the moved one, both in leaf order. Returns true if the search is over.
bool dbvhi_nearest_triangles( dbvhi_nearest *search, uint32_t i, uint32_t j );

// Compare the waiting pairs exactly.
void dbvhi_nearest_settle( dbvhi_nearest *search );

// Merge the result of another thread's search for the same distance. No errors may be allowed.
void dbvhi_nearest_merge( dbvhi_nearest *search, dbvhi_nearest *other );

// The traversals of packed trees: on the calling thread, and on up to `thread_count` threads, for which the workspace
// has been prepared, for searches without errors or a budget. reference/distance.h has the one in doubles.
void dbvhi_nearest_packed( dbvhi_nearest *search, dbvh_workspace *workspace );
void dbvhi_nearest_parallel( dbvhi_nearest *search, dbvh_workspace *workspace, uint32_t thread_count );

// The memory of a workspace for distance and clearance.
typedef struct dbvhi_distance_memory {
	dbvhi_near_candidate *candidates; // DBVHI_NEAR_CANDIDATES entries; NULL before the first packed search
	dbvhi_near_queue queue;
	dbvhi_near_pair waiting[DBVHI_NEAREST_CAPACITY]; // note: not on the stack, which exact decisions need
	dbvhi_kept_height *heights;                      // DBVHI_KEPT_HEIGHTS entries; NULL for clearances
	uint32_t round;                                  // last round that was used
	dbvhi_nearest search;                            // the search of a thread beside the calling one
} dbvhi_distance_memory;

// The query's memory in a workspace: NULL if it cannot be allocated; never NULL after dbvhi_workspace_require_near() or
// dbvhi_workspace_require_distance().
dbvhi_distance_memory *dbvhi_distance_memory_of( dbvh_workspace *workspace );

// Allocate what the packed traversals need; the second also allocates the cache of heights, for distances.
dbvh_status dbvhi_workspace_require_near( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );
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
