// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One mesh against points and lines: what the public functions, the traversals and the batches share.

#pragma once

#include "base/assert.h"
#include "bvh/tree.h"
#include "dualbvh/closest_point.h"
#include "dualbvh/raycast.h"
#include "exact/tri_ray.h"
#include "query/common/work.h"
#include "query/common/workspace.h"

#include <string.h>

// The mesh as it is posed. Made once a call, or once a batch.
typedef struct dbvhi_placed_mesh {
	const dbvh_tree *tree;
	const dbvh_pose *pose; // NULL: the identity
	double to_mesh[3][3];  // the inverse of its matrix, rounded
	double deviation;      // max |rot^T rot - I|
	double error;          // of a moved corner
	double offset;         // |pos|
} dbvhi_placed_mesh;

// Errors: NOT_FINITE, NOT_RIGID.
dbvh_status dbvhi_placed_init( const dbvh_tree *tree, const dbvh_pose *pose, dbvhi_placed_mesh *out );

// The corners of a triangle, in leaf order, moved and rounded.
static inline void dbvhi_placed_image( const dbvhi_placed_mesh *placed, uint32_t leaf_index, double image_out[9] ) {
	DBVHI_ASSERT( leaf_index < placed->tree->triangle_count );
	double room[9];
	const double *corners = dbvhi_tree_triangle( placed->tree, leaf_index, room );
	if ( placed->pose != NULL )
		dbvhi_triangle_move( placed->pose, corners, image_out );
	else
		memcpy( image_out, corners, 9 * sizeof( double ) );
}

// A point in the frame of the mesh, and how far it may be off.
dbvhi_vec dbvhi_placed_point( const dbvhi_placed_mesh *placed, const double point[3], double *error_out );

// The same for a direction, which is off by 100 u of its length.
dbvhi_vec dbvhi_placed_direction( const dbvhi_placed_mesh *placed, const double direction[3] );

// dbvh_raycast() and dbvh_closest_point() once the mesh is placed and the workspace large enough: allocate nothing.
// The result is zero before, and after anything but DBVH_OK.
dbvh_status dbvhi_raycast( const dbvhi_placed_mesh *placed, const double from[3], const double to[3], bool is_ray,
                           const dbvh_raycast_query *query, dbvh_workspace *workspace, dbvh_raycast_result *result );
dbvh_status dbvhi_closest_point( const dbvhi_placed_mesh *placed, const double point[3],
                                 const dbvh_closest_point_query *query, dbvh_workspace *workspace,
                                 dbvh_closest_point_result *result );

// ------------------------------------------------------------------------------------------------
// The traversals. They show triangles, in leaf order, to a visitor, who says how far the search still goes.

typedef struct dbvhi_visitor dbvhi_visitor;
struct dbvhi_visitor {
	// Returns the reach from then on; negative to end the search.
	double ( *visit )( dbvhi_visitor *visitor, uint32_t leaf_index );
	double reach;
	dbvh_counters counters; // box_tests are the walk's, the rest the visitor's
	uint64_t pause;         // charges when more boxes than this are compared
	dbvhi_work work;
	bool is_cut_short; // a budget has ended the walk
};

// For a walk whose budget is that of a meter (NULL: none).
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

// Charges what has been done since the last time. Returns false where the walk has to end.
static inline bool dbvhi_visitor_charge( dbvhi_visitor *visitor ) {
	visitor->pause = visitor->counters.box_tests + DBVHI_PAUSE;
	visitor->is_cut_short = !dbvhi_work_charge( &visitor->work, visitor->counters.box_tests / 4, &visitor->counters );
	return !visitor->is_cut_short;
}

// After boxes have been compared: the same, but only once in a while.
static inline bool dbvhi_visitor_goes_on( dbvhi_visitor *visitor ) {
	return visitor->counters.box_tests <= visitor->pause || dbvhi_visitor_charge( visitor );
}

// Shows every triangle that the line origin + t step, 0 <= t <= reach, may meet, nearer boxes first. Both are given in
// the frame of the mesh, and `error` bounds how far any coordinate of a point of the line near the mesh may be off.
void dbvhi_walk_line( const dbvh_tree *tree, dbvhi_vec origin, dbvhi_vec step, double error, dbvh_workspace *workspace,
                      dbvhi_visitor *visitor );

// Shows every triangle that may be as near to a point of the mesh's frame as the reach, nearer boxes first.
void dbvhi_walk_point( const dbvh_tree *tree, dbvhi_vec point, double error, dbvh_workspace *workspace,
                       dbvhi_visitor *visitor );
