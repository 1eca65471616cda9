// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Verdicts of single pairs in plain doubles, where static bounds do: u = 2^-53.

#pragma once

#include "base/inline.h"
#include "dualbvh/primitives.h"

#include <math.h>

// Compares a sum of three squares of rounded differences, off by less than 5.01u of itself, with the square of a
// rounded sum, off by 3.01u. 16u separates them for certain where nothing underflows or overflows. Returns -1, 1 or,
// not known, 2.
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

// Fifteen axes: 1 apart, -1 meeting, 2 not known. With R the products of the axes and T the offset between the centres
// in either frame, as if the axes were orthonormal (Gottschalk, Lin and Manocha 1996).
//
// Let every entry of the Gram matrices be within d <= 2^-9 of the identity's. Each box has axes q at right angles with
// |x - q| < 1.6 d, and products of two axes are within 6.2 d of q, so within 7.8 d of the third. Hence each of |T L|
// and the four projections differs by less than 8 d of what it multiplies from that on the true axis L, and with S =
// |T|_1 + the sum of half sides all together by less than 16 d S; rounding adds less than 32u S. 2^-47 S + 32 d S
// covers both, d taken 2^-50 larger for its own rounding.
//
// Edges that are parallel have no product, and its axis decides nothing: all is rounding. If |R| >= 1 - 2^-45, and d is
// at most 2^-46, the sine is below 2^-21; turn the second box's edge to make it parallel for certain: no projection
// changes by more than 2^-19 S. If all other axes overlap by more than 2^-14 S, the turned boxes lack a separating axis
// still and overlap by more than the edge's turning back can undo.
DBVHI_INLINE double dbvhi_deviation( const double x[3], const double y[3], double expected ) {
	return fabs( x[0] * y[0] + x[1] * y[1] + x[2] * y[2] - expected );
}

DBVHI_INLINE int dbvhi_obbs_filter( const dbvh_obb *a, const dbvh_obb *b ) {
	const double t[3] = { b->centre[0] - a->centre[0], b->centre[1] - a->centre[1], b->centre[2] - a->centre[2] };
	const double *ha = a->half, *hb = b->half;
	const double s = fabs( t[0] ) + fabs( t[1] ) + fabs( t[2] ) + ha[0] + ha[1] + ha[2] + hb[0] + hb[1] + hb[2];
	if ( !( s > 0x1p-900 && s < 0x1p1000 ) )
		return 2;
	double d = 0x1p-50;
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3;
		d = dbvhi_larger( d, 0x1p-50 + dbvhi_deviation( a->axis[i], a->axis[i], 1.0 ) );
		d = dbvhi_larger( d, 0x1p-50 + dbvhi_deviation( b->axis[i], b->axis[i], 1.0 ) );
		d = dbvhi_larger( d, 0x1p-50 + dbvhi_deviation( a->axis[i], a->axis[j], 0.0 ) );
		d = dbvhi_larger( d, 0x1p-50 + dbvhi_deviation( b->axis[i], b->axis[j], 0.0 ) );
	}
	const double margin = ( 0x1p-47 + 32.0 * d ) * s;
	double r[3][3], size[3][3], ta[3], least = s;
	for ( int i = 0; i < 3; ++i ) {
		const double *x = a->axis[i];
		ta[i] = t[0] * x[0] + t[1] * x[1] + t[2] * x[2];
		for ( int j = 0; j < 3; ++j ) {
			const double *y = b->axis[j];
			r[i][j] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
			size[i][j] = fabs( r[i][j] );
		}
		const double overlap = ha[i] + ( hb[0] * size[i][0] + hb[1] * size[i][1] + hb[2] * size[i][2] ) - fabs( ta[i] );
		if ( overlap < -margin )
			return 1;
		least = overlap < least ? overlap : least;
	}
	for ( int j = 0; j < 3; ++j ) {
		const double *y = b->axis[j];
		const double tb = t[0] * y[0] + t[1] * y[1] + t[2] * y[2];
		const double overlap = hb[j] + ( ha[0] * size[0][j] + ha[1] * size[1][j] + ha[2] * size[2][j] ) - fabs( tb );
		if ( overlap < -margin )
			return 1;
		least = overlap < least ? overlap : least;
	}
	bool parallel = false;
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			const double reach =
			    ( ha[i1] * size[i2][j] + ha[i2] * size[i1][j] ) + ( hb[j1] * size[i][j2] + hb[j2] * size[i][j1] );
			const double overlap = reach - fabs( ta[i2] * r[i1][j] - ta[i1] * r[i2][j] );
			if ( overlap < -margin )
				return 1;
			if ( size[i][j] >= 1.0 - 0x1p-45 )
				parallel = true;
			else
				least = overlap < least ? overlap : least;
		}
	}
	if ( parallel && d > 0x1p-46 )
		return 2;
	return least > ( parallel ? dbvhi_larger( margin, 0x1p-14 * s ) : margin ) ? -1 : 2;
}
