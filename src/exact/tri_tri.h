// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Do two closed triangles share a point, when one of them is moved by a pose? A filter in doubles that may be unsure,
// and the exact decision behind it.

#pragma once

#include "dualbvh/base.h"
#include "exact/orient.h"

typedef enum dbvhi_answer {
	DBVHI_DISJOINT,
	DBVHI_INTERSECTING,
	DBVHI_UNSURE,
} dbvhi_answer;

// Bounds how far dbvhi_triangle_move() is off in any coordinate, for corners with coordinates up to `largest`.
double dbvhi_move_error( const dbvh_pose *pose, double largest );

// The three corners after the pose, rounded.
static inline void dbvhi_triangle_move( const dbvh_pose *pose, const double corners[9], double image_out[9] ) {
	for ( int i = 0; i < 3; ++i ) {
		const double x = corners[3 * i], y = corners[3 * i + 1], z = corners[3 * i + 2];
		for ( int k = 0; k < 3; ++k ) {
			image_out[3 * i + k] = pose->rot[k][0] * x + pose->rot[k][1] * y + pose->rot[k][2] * z + pose->pos[k];
		}
	}
}

// Decides from rounded corners if they decide it. `error` bounds how far each coordinate of `image` is off.
dbvhi_answer dbvhi_triangles_filter( const double fixed[9], const double image[9], double error );

// Decides. `image` and `error` as above, `moved` the same corners before the pose. Degenerate triangles are the segment
// or the point that they have shrunk to.
bool dbvhi_triangles_intersect_exact( const double fixed[9], const double moved[9], const double image[9],
                                      const dbvh_pose *pose, double error );

// Does the closed segment from point p to point q of the set, which may be the same, share a point with the closed
// triangle of three others, which may be degenerate?
bool dbvhi_segment_intersects_triangle( dbvhi_points *points, int p, int q, const int triangle[3] );

// ------------------------------------------------------------------------------------------------
// Do two triangles of one mesh meet beyond the corners they share? See dualbvh/self.h for what that means.

// Decides from doubles if they decide it: a filter with proven bounds for each number of shared corners.
dbvhi_answer dbvhi_self_intersect_filter( const double a[9], const double b[9] );

// Decides.
bool dbvhi_self_intersect_exact( const double a[9], const double b[9] );
