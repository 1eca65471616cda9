// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Oriented bounding boxes: which axes, and how far along them.

#pragma once

#include "math/vec.h"
#include "volume/points.h"

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

// Adds one triangle. Corners are taken relative to `origin`, which should be near them.
void dbvhi_moments_add( dbvhi_moments *moments, const double corners[9], dbvhi_vec origin );

// Unit axes of a symmetric matrix (xx, yy, zz, xy, yz, zx) as columns, by Jacobi's rotations; right-handed.
dbvhi_mat dbvhi_eigenvectors( const double symmetric[6] );

// Completes one or two directions to a right-handed orthonormal frame with `first` as column 0 and the part of `second`
// that is orthogonal to it as column 1; any frame where they do not say enough.
dbvhi_mat dbvhi_frame_from( dbvhi_vec first, dbvhi_vec second );

// The extent of points along given axes, as a box whose axes are those, permuted into ascending extents and
// right-handed. Not yet rounded outwards.
dbvhi_box dbvhi_box_along( const dbvhi_mat *axes, dbvhi_point_set points );

// What a box costs in a query against a box like itself in random relative pose: the expected measure of overlapping
// placements, V_A + V_B + (S_A M_B + M_A S_B) / (4 pi) with volume, surface and mean width, for A = B.
double dbvhi_box_cost( const dbvhi_vec *half );

// Turns a box about its own axes as long as that lowers its cost, with ever smaller steps. On surfaces of scans the
// covariance alone leaves 58 % more box tests than this (docs/ARCHITECTURE.md). The set must not be too large: see
// dbvhi_extremal_points().
void dbvhi_box_refine( dbvhi_box *box, dbvhi_point_set points );

// At most this many points stand for a large set.
#define DBVHI_EXTREMAL_POINTS 48

// The points that are extreme in 24 directions spread over the half sphere, as a small set that spans nearly the same
// box in any orientation. Returns their number; x, y and z have room for DBVHI_EXTREMAL_POINTS.
size_t dbvhi_extremal_points( dbvhi_point_set points, double *x, double *y, double *z );
