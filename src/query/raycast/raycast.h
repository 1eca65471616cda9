// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One mesh against points and lines: shared by the public functions, the traversals and the batches.

#pragma once

#include "base/assert.h"
#include "bvh/tree.h"
#include "dualbvh/closest_point.h"
#include "dualbvh/raycast.h"
#include "exact/tri_ray.h"
#include "query/common/work.h"
#include "query/common/workspace.h"

#include <string.h>

// A mesh at its pose. Made once a call, or once a batch.
typedef struct dbvhi_placed_mesh {
	const dbvh_tree *tree;
	const dbvh_pose *pose; // NULL: the identity
	double to_mesh[3][3];  // the inverse of its matrix, rounded
	double deviation;      // max |rot^T rot - I|
	double error;          // bounds the error of a moved corner
	double offset;         // |pos|
} dbvhi_placed_mesh;

// Place a mesh. Errors: DBVH_NOT_FINITE, DBVH_NOT_RIGID.
dbvh_status dbvhi_placed_init( const dbvh_tree *tree, const dbvh_pose *pose, dbvhi_placed_mesh *out );

// The corners of a triangle, in leaf order, in the frame of the mesh; stored, or in `room`.
static inline const double *dbvhi_placed_corners( const dbvhi_placed_mesh *placed, uint64_t leaf_index,
                                                  double room[9] ) {
	DBVHI_ASSERT( leaf_index < placed->tree->triangle_count );
	return dbvhi_tree_triangle( placed->tree, (uint32_t)leaf_index, room );
}

// The number of a triangle, in file order, by its index in leaf order.
static inline uint32_t dbvhi_placed_number( const dbvhi_placed_mesh *placed, uint32_t leaf_index ) {
	DBVHI_ASSERT( leaf_index < placed->tree->triangle_count );
	return placed->tree->triangle[leaf_index];
}

// Compute the corners of a triangle, in leaf order, moved and rounded.
static inline void dbvhi_placed_image( const dbvhi_placed_mesh *placed, uint32_t leaf_index, double image_out[9] ) {
	double room[9];
	const double *corners = dbvhi_placed_corners( placed, leaf_index, room );
	if ( placed->pose != NULL )
		dbvhi_triangle_move( placed->pose, corners, image_out );
	else
		memcpy( image_out, corners, 9 * sizeof( double ) );
}

// Take a point to the frame of the mesh. *error_out bounds the error of each coordinate.
dbvhi_vec dbvhi_placed_point( const dbvhi_placed_mesh *placed, const double point[3], double *error_out );

// Take a direction to the frame of the mesh, with an error of at most 100 u of its length.
dbvhi_vec dbvhi_placed_direction( const dbvhi_placed_mesh *placed, const double direction[3] );

// dbvh_raycast() and dbvh_closest_point() for a placed mesh and a workspace that is large enough: they allocate
// nothing. The result must be zero, and stays so after anything but DBVH_OK.
dbvh_status dbvhi_raycast( const dbvhi_placed_mesh *placed, const double from[3], const double to[3], bool is_ray,
                           const dbvh_raycast_query *query, dbvh_workspace *workspace, dbvh_raycast_result *result );
dbvh_status dbvhi_closest_point( const dbvhi_placed_mesh *placed, const double point[3],
                                 const dbvh_closest_point_query *query, dbvh_workspace *workspace,
                                 dbvh_closest_point_result *result );

// ------------------------------------------------------------------------------------------------
// The traversals. They pass triangles, in leaf order, to a visitor, which returns the reach of the search from then on.

typedef struct dbvhi_visitor dbvhi_visitor;
struct dbvhi_visitor {
	// The callback for a triangle. Returns the reach from then on; negative to end the search.
	double ( *visit )( dbvhi_visitor *visitor, uint32_t leaf_index );
	double reach;
	dbvh_counters counters; // box_tests are counted by the traversal, the rest by the visitor
	uint64_t pause;         // number of boxes after which the budget is charged
	dbvhi_work work;
	bool is_cut_short; // the budget has ended the traversal
};

// Initialize a visitor for a traversal whose budget is that of a meter (NULL: none).
static inline void dbvhi_visitor_init( dbvhi_visitor *visitor,
                                       double ( *visit )( dbvhi_visitor *visitor, uint32_t leaf_index ), double reach,
                                       dbvhi_meter *meter ) {
	visitor->visit = visit;
	visitor->reach = reach;
	visitor->counters = ( dbvh_counters ){ 0 };
	visitor->pause = meter != NULL ? 0 : UINT64_MAX;
	visitor->work = ( dbvhi_work ){ .meter = meter };
	visitor->is_cut_short = false;
}

// Charge the work since the last time. Returns false if the budget is spent.
static inline bool dbvhi_visitor_charge( dbvhi_visitor *visitor ) {
	visitor->pause = visitor->counters.box_tests + DBVHI_PAUSE;
	visitor->is_cut_short = !dbvhi_work_charge( &visitor->work, visitor->counters.box_tests / 4, &visitor->counters );
	return !visitor->is_cut_short;
}

// Charge the work once in a while, after boxes have been compared. Returns false if the budget is spent.
static inline bool dbvhi_visitor_goes_on( dbvhi_visitor *visitor ) {
	return visitor->counters.box_tests <= visitor->pause || dbvhi_visitor_charge( visitor );
}

// Visit every triangle that the line origin + t step, 0 <= t <= reach, may meet, nearer boxes first. Both vectors are
// in the frame of the mesh, and `error` bounds the error of each coordinate of the line near the mesh.
void dbvhi_walk_line( const dbvh_tree *tree, dbvhi_vec origin, dbvhi_vec step, double error, dbvh_workspace *workspace,
                      dbvhi_visitor *visitor );

// Visit every triangle that may be within reach of a point in the frame of the mesh, nearer boxes first.
void dbvhi_walk_point( const dbvh_tree *tree, dbvhi_vec point, double error, dbvh_workspace *workspace,
                       dbvhi_visitor *visitor );
