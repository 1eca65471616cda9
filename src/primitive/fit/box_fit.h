// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Oriented bounding boxes: which axes, and how far along them.

#pragma once

#include "math/vec.h"
#include "primitive/fit/points.h"

typedef struct dbvhi_box {
	dbvhi_mat axes; // columns are the box's axes: a point is centre + axes * local
	dbvhi_vec centre;
	dbvhi_vec half; // ascending: index 0 is the smallest
} dbvhi_box;

// The area-weighted moments of triangles, for the covariance of a surface.
typedef struct dbvhi_moments {
	double area;
	double first[3];  // integral of x
	double second[6]; // integral of x x^T: xx, yy, zz, xy, yz, zx
} dbvhi_moments;

// Adds one triangle. The origin should be near it.
void dbvhi_moments_add( dbvhi_moments *moments, const dbvhi_vec corners[3] );

// Unit axes of a symmetric matrix (xx, yy, zz, xy, yz, zx) as columns, by Jacobi's rotations; right-handed. They go on
// until what is off the diagonal is below `tolerance` times what is on it. `values_out` (may be NULL) gets the
// eigenvalues, in the order of the columns, which is none.
dbvhi_mat dbvhi_eigenvectors( const double symmetric[6], double tolerance, double values_out[3] );

// Completes one or two directions to a right-handed orthonormal frame with `first` as column 0 and the part of `second`
// that is orthogonal to it as column 1; any frame where they do not say enough.
dbvhi_mat dbvhi_frame_from( dbvhi_vec first, dbvhi_vec second );

// A frame that is orthonormal but for roundings, made so again.
dbvhi_mat dbvhi_frame_again( const dbvhi_mat *frame );

// The extent of points along given axes, as a box whose axes are those, permuted into ascending extents and
// right-handed. Not yet rounded outwards.
dbvhi_box dbvhi_box_along( const dbvhi_mat *axes, dbvhi_point_set points );

// The cost of a box in a query against an equal box in random relative pose: the expected measure of overlapping
// placements, V_A + V_B + (S_A M_B + M_A S_B) / (4 pi) with volume V, surface S and integral of mean curvature M, for A
// = B.
DBVHI_INLINE double dbvhi_box_cost( const dbvhi_vec *half ) {
	const double a = half->v[0], b = half->v[1], c = half->v[2];
	// Full edges are 2a, 2b, 2c: V = 8abc, S = 8(ab + bc + ca), M = 2 pi (a + b + c).
	return 16.0 * a * b * c + 8.0 * ( a * b + b * c + c * a ) * ( a + b + c );
}

// At most this many points stand for a large set.
#define DBVHI_EXTREMAL_POINTS 26

// Turns a box about its own axes as long as that lowers its cost, with ever smaller steps. On surfaces of scans the
// covariance alone leaves 58 % more box tests than this (docs/laboratory.md). At most DBVHI_EXTREMAL_POINTS points;
// of larger sets see dbvhi_extremal_points().
void dbvhi_axes_refine( dbvhi_mat *axes, dbvhi_point_set points );

// The points that are extreme in 13 directions spread over the half sphere, as a small set that spans nearly the same
// box in any orientation near the given axes. Returns their number.
size_t dbvhi_extremal_points( const dbvhi_mat *axes, dbvhi_point_set points, double ( *out )[DBVHI_EXTREMAL_POINTS] );
