// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Verdicts of single pairs in plain doubles, where static bounds do: u = 2^-53.

#pragma once

#include "base/inline.h"
#include "dualbvh/primitives.h"

#include <math.h>

// Compares a sum of three squares of rounded differences, off by less than 5.01u of itself, with the square of a
// rounded sum, off by 3.01u. 16u parts them for certain where nothing underflows or overflows. Returns -1, 1 or, not
// known, 2.
DBVHI_INLINE int dbvhi_squares_compared( double left, double right ) {
	const double size = left > right ? left : right;
	if ( !( size > 0x1p-900 && size < 0x1p1000 ) )
		return 2;
	if ( left > right * ( 1.0 + 0x1p-49 ) )
		return 1;
	return left < right * ( 1.0 - 0x1p-49 ) ? -1 : 2;
}

DBVHI_INLINE int dbvhi_spheres_filter( const dbvh_sphere *a, const dbvh_sphere *b ) {
	const double x = b->centre[0] - a->centre[0], y = b->centre[1] - a->centre[1], z = b->centre[2] - a->centre[2];
	const double r = a->radius + b->radius;
	return dbvhi_squares_compared( x * x + y * y + z * z, r * r );
}

// A side of one box may exceed the other's by nothing, or by a difference.
DBVHI_INLINE int dbvhi_sphere_aabb_filter( const dbvh_sphere *a, const dbvh_aabb *b ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double below = b->min[k] - a->centre[k], above = a->centre[k] - b->max[k];
		const double out = below > above ? below : above, excess = out > 0.0 ? out : 0.0;
		sum += excess * excess;
	}
	return dbvhi_squares_compared( sum, a->radius * a->radius );
}

// Fifteen axes: 1 apart, -1 meeting, 2 not known.
//
// Axes L are computed, each component off by less than 4u of the product of two axes, whose lengths are below 1.001;
// for "apart" that is no error, since any L will do. Let S = |T|_1 + the sum of half sides. T L and the projections,
// each at most 1.01 S, are off by less than 16u S for what is computed with L, and by 14u S more for what L is off: 64u
// S covers both, and what is below 2^-900 is left to others.
//
// Edges that are parallel have no product: L is all rounding. If |L| <= 2^-30, turn the second box's edge by less than
// 2^-28.9 to make it parallel for certain: no point of it moves by more than 2^-28.9 S, no projection on another L by
// more than 2^-26 S. If all other axes overlap by more than 2^-24 S, the turned boxes lack a separating axis still and
// overlap by more than 2^-25 S, which is more than the edge's turning back can undo.
DBVHI_INLINE int dbvhi_obbs_filter( const dbvh_obb *a, const dbvh_obb *b ) {
	const double t[3] = { b->centre[0] - a->centre[0], b->centre[1] - a->centre[1], b->centre[2] - a->centre[2] };
	const double s = fabs( t[0] ) + fabs( t[1] ) + fabs( t[2] ) + a->half[0] + a->half[1] + a->half[2] + b->half[0] +
	                 b->half[1] + b->half[2];
	if ( !( s > 0x1p-900 && s < 0x1p1000 ) )
		return 2;
	const double margin = 0x1p-47 * s, slack = 0x1p-24 * s;
	bool sure = true, parallel = false;
	double least = s;
	for ( int axis = 0; axis < 15; ++axis ) {
		const double *x, *y;
		if ( axis < 6 ) {
			const dbvh_obb *box = axis < 3 ? a : b;
			x = box->axis[( axis + 1 ) % 3];
			y = box->axis[( axis + 2 ) % 3];
		} else {
			x = a->axis[( axis - 6 ) / 3];
			y = b->axis[axis % 3];
		}
		const double l[3] = { x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0] };
		double reach = 0.0;
		for ( int i = 0; i < 3; ++i ) {
			reach += a->half[i] * fabs( a->axis[i][0] * l[0] + a->axis[i][1] * l[1] + a->axis[i][2] * l[2] );
			reach += b->half[i] * fabs( b->axis[i][0] * l[0] + b->axis[i][1] * l[1] + b->axis[i][2] * l[2] );
		}
		const double overlap = reach - fabs( t[0] * l[0] + t[1] * l[1] + t[2] * l[2] );
		if ( overlap < -margin )
			return 1;
		const bool tiny = axis >= 6 && fabs( l[0] ) <= 0x1p-30 && fabs( l[1] ) <= 0x1p-30 && fabs( l[2] ) <= 0x1p-30;
		parallel = parallel || tiny;
		if ( !tiny ) {
			sure = sure && overlap > margin;
			least = overlap < least ? overlap : least;
		}
	}
	return sure && ( !parallel || least > slack ) ? -1 : 2;
}
