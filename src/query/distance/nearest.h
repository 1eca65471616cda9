// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search for the distance: what is asked, and what has been found. Traversals say which triangles to compare, and
// leave out what is certainly farther apart than `bound`; this records the nearest and decides.

#pragma once

#include "dualbvh/distance.h"
#include "query/collide/collide.h"
#include "query/common/mesh_pair.h"
#include "query/common/work.h"
#include "query/distance/kernel.h"

// Pairs that may be the nearest as far as doubles can tell, waiting to be compared exactly.
#define DBVHI_NEAREST_CAPACITY 64

typedef struct dbvhi_near_pair {
	dbvhi_tri_tri_bounds gap;
	uint32_t fixed, moved; // in leaf order
	uint64_t key;          // in file order, a << 32 | b
} dbvhi_near_pair;

// How far triangles reach beyond the planes, by their numbers: the last of those that share a place.
#define DBVHI_KEPT_HEIGHTS 4096

typedef struct dbvhi_kept_height {
	double height;
	uint32_t round, leaf;
} dbvhi_kept_height;

typedef enum dbvhi_planes_state {
	DBVHI_PLANES_UNKNOWN, // of the best pair
	DBVHI_PLANES_NEAR,    // in pairs of doubles
	DBVHI_PLANES_EXACT,   // those are of no use: the planes of the witness, exactly
} dbvhi_planes_state;

typedef struct dbvhi_nearest {
	dbvhi_mesh_pair meshes;
	double relative_error, absolute_error;
	double best;  // no pair farther apart than this counts: the limit, then what has been found
	double bound; // pairs that are farther apart than this need not be looked at
	bool touched; // a pair is certainly as near as `best`
	uint32_t count;
	bool found; // `witness` is that of `pair`, which is the best so far, in exact terms
	dbvhi_witness witness;
	dbvhi_near_pair pair;
	// What the best pair says of others: see nearest.c.
	dbvhi_planes_state planes_state;
	dbvhi_distance_planes planes;
	dbvhi_noted *noted;         // pairs that fragments have found already
	dbvhi_kept_height *heights; // DBVHI_KEPT_HEIGHTS, of some triangles
	uint32_t round;             // which of them are good
	double at_least;            // where a budget has ended the search: no pair is nearer; else infinite
	dbvhi_work work;
	dbvh_counters counters;
	dbvhi_near_pair *waiting; // DBVHI_NEAREST_CAPACITY
} dbvhi_nearest;

// Compares triangle i of the fixed mesh with j of the moved one, both in leaf order. Returns true if the search is
// over.
bool dbvhi_nearest_triangles( dbvhi_nearest *search, uint32_t i, uint32_t j );

// Compares exactly what is left.
void dbvhi_nearest_settle( dbvhi_nearest *search );

// Adds what another search for the same has found, without errors allowed.
void dbvhi_nearest_merge( dbvhi_nearest *search, dbvhi_nearest *other );

// The traversals, one for each form of the tree; the last on up to `thread_count` threads, for which the workspace has
// been made ready, without errors or a budget.
void dbvhi_nearest_reference( dbvhi_nearest *search, dbvhi_node_pair *stack, dbvh_policy policy );
void dbvhi_nearest_packed( dbvhi_nearest *search, dbvh_workspace *workspace );
void dbvhi_nearest_parallel( dbvhi_nearest *search, dbvh_workspace *workspace, uint32_t thread_count );

// What distance and clearance keep in a workspace.
typedef struct dbvhi_distance_memory {
	dbvhi_near_candidate *candidates; // DBVHI_NEAR_CANDIDATES, where packed trees have been searched
	dbvhi_near_queue queue;
	dbvhi_near_pair waiting[DBVHI_NEAREST_CAPACITY]; // here, since exact decisions want the stack
	dbvhi_kept_height *heights;                      // of distances
	uint32_t round;                                  // the last that was used
	dbvhi_nearest search;                            // of a thread beside the calling one
} dbvhi_distance_memory;

// NULL where there is no memory; never NULL after dbvhi_workspace_require_near() or dbvhi_workspace_require_distance().
dbvhi_distance_memory *dbvhi_distance_memory_of( dbvh_workspace *workspace );

// Room for the packed traversals, and with the second for what a distance with many ties keeps of each triangle.
dbvh_status dbvhi_workspace_require_near( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );
dbvh_status dbvhi_workspace_require_distance( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );

// The same for distances and clearances on that many threads.
dbvh_status dbvhi_workspace_require_distance_threads( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                                      size_t pair_capacity, uint32_t thread_count );

// Gives a search the memory of a workspace, and that back to it.
void dbvhi_nearest_attach( dbvhi_nearest *search, dbvh_workspace *workspace );
void dbvhi_nearest_detach( const dbvhi_nearest *search, dbvh_workspace *workspace );

// dbvh_check_clearance() once its arguments are checked, but for the poses; as a part of another call it charges to
// `meter`.
dbvh_status dbvhi_clearance_checked( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, double max_distance, dbvhi_meter *meter,
                                     const dbvh_collide_query *query, dbvh_workspace *workspace,
                                     dbvh_collide_result *result );

// The same for meshes at a pose that is known. *place_out is left alone where nothing is within.
dbvh_status dbvhi_clearance_near( const dbvhi_mesh_pair *meshes, double max_distance, const dbvh_collide_query *query,
                                  dbvh_workspace *workspace, dbvhi_place_pair *place_out, dbvh_collide_result *result );

// dbvh_distance() and dbvh_check_clearance() once their arguments are checked, but for the poses, with a budget of
// their own; of the first the workspace has to have its memory. Where a pose is refused, the result is not touched.
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
