// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two solids at one relative pose: distances of points from their triangles within bounds, and whether points are
// inside. Everything is in the frame of the fixed mesh.

#pragma once

#include "base/budget.h"
#include "dualbvh/relation.h"
#include "query/common/mesh_pair.h"
#include "query/common/workspace.h"
#include "query/raycast/raycast.h"
#include "query/relation/inside.h"

// Bounds of the distance of a point from the triangles of a mesh. The distance from the boundary of the solid is at
// least `low`, since that boundary is a part of the triangles.
typedef struct dbvhi_near {
	double low, high; // high is INFINITY where no triangle is within the limit, or its distance is beyond doubles
	uint32_t leaf;    // the triangle of `high`, in leaf order; UINT32_MAX: none
} dbvhi_near;

typedef struct dbvhi_solid {
	dbvhi_placed_mesh placed; // for distances
	dbvhi_placed rays;        // for point location
	dbvh_workspace *workspace;
	dbvhi_meter *meter;
} dbvhi_solid;

// Two solids. `pair.pose` places the moved one, and both solids point to it: a dbvhi_solid_pair must not be copied.
typedef struct dbvhi_solid_pair {
	dbvhi_mesh_pair pair;
	dbvhi_solid solid[2]; // fixed, moved
	dbvh_workspace *workspace;
	dbvhi_meter *meter;
	double size;  // bounds every coordinate of both meshes in the frame of the fixed one
	double slack; // more than all roundings of points, far below any depth of interest: 2^-44 of `size`
} dbvhi_solid_pair;

// Set up a pair. Which mesh is fixed depends on the poses alone or, where these are equal, on the meshes, so that
// swapping them leads to the same search. Errors: NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY.
dbvh_status dbvhi_solid_pair_init( dbvhi_solid_pair *out, const dbvh_tree *a, const dbvh_pose *pose_a,
                                   const dbvh_tree *b, const dbvh_pose *pose_b, dbvh_workspace *workspace,
                                   dbvhi_meter *meter );

// The distance of a point from the nearest triangle within `limit`. `hint` is a triangle that may be near (UINT32_MAX:
// none): with a good one there is less to look at.
dbvhi_near dbvhi_solid_near( const dbvhi_solid *solid, const double point[3], uint32_t hint, double limit );

// True if the point is inside the solid, off all of its triangles. `near` may be what dbvhi_solid_near() says of it, or
// NULL: a point that is off all triangles is not looked for on them.
bool dbvhi_solid_holds( const dbvhi_solid *solid, const double point[3], const dbvhi_near *near );

// The corners of a triangle, in leaf order, placed and rounded.
static inline void dbvhi_solid_image( const dbvhi_solid *solid, uint32_t leaf, double image_out[9] ) {
	dbvhi_placed_image( &solid->placed, leaf, image_out );
}

// The point of a triangle nearest to a point, rounded.
void dbvhi_solid_foot( const dbvhi_solid *solid, uint32_t leaf, const double point[3], double foot_out[3] );

// Compute |v|, without overflow on the way; and the same rounded up.
double dbvhi_length3( const double v[3] );
static inline double dbvhi_length3_up( const double v[3] ) {
	return dbvhi_length3( v ) * ( 1.0 + 0x1p-50 ) + 0x1p-1070;
}

// Divide a vector by its length. False, with the vector unchanged, if that is next to 0, or infinite.
bool dbvhi_normalise3( double v[3] );

// Find the relation of the caller's A to B, without tolerances: always of the fixed mesh to the moved one, so that
// swapping them costs the same.
dbvh_status dbvhi_solid_pair_relate( const dbvhi_solid_pair *pair, dbvh_relation *relation_out );

// How two solids are to each other after a translation of the moved one.
typedef struct dbvhi_trial {
	bool common;     // there is a point inside both
	bool touching;   // their surfaces have a common point
	dbvh_pair first; // a triangle of the fixed and of the moved mesh, in file order, that intersect, if `touching`
	dbvh_pose pose;  // pose of the moved mesh
} dbvhi_trial;

// Try a translation: exactly, about the pose with pos + shift rounded. A pose beyond the range of doubles is refused
// with NOT_FINITE.
dbvh_status dbvhi_solid_pair_try( const dbvhi_solid_pair *pair, const double shift[3], dbvhi_trial *out );
