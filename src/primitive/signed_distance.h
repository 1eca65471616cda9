// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distance, depth and witness points of two shapes with radii. The distance is rounded by comparison (round.h); nearest
// points are computed in pairs of doubles, after a power of two has made the largest magnitude one between 1/2 and 1.

#pragma once

#include "exact/number/dd.h"
#include "primitive/core.h"

#include <math.h>

// A point in pairs of doubles, scaled.
typedef struct dbvhi_exact_point3 {
	dbvhi_dd x[3];
} dbvhi_exact_point3;

DBVHI_INLINE dbvhi_dd dbvhi_exact_point3_dot( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *b ) {
	return dbvhi_dd_add( dbvhi_dd_add( dbvhi_dd_mul( a->x[0], b->x[0] ), dbvhi_dd_mul( a->x[1], b->x[1] ) ),
	                     dbvhi_dd_mul( a->x[2], b->x[2] ) );
}

DBVHI_INLINE dbvhi_exact_point3 dbvhi_exact_point3_minus( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *b ) {
	dbvhi_exact_point3 out;
	for ( int k = 0; k < 3; ++k )
		out.x[k] = dbvhi_dd_sub( a->x[k], b->x[k] );
	return out;
}

// a + t d
DBVHI_INLINE dbvhi_exact_point3 dbvhi_exact_point3_along( const dbvhi_exact_point3 *a, dbvhi_dd t,
                                                          const dbvhi_exact_point3 *d ) {
	dbvhi_exact_point3 out;
	for ( int k = 0; k < 3; ++k )
		out.x[k] = dbvhi_dd_add( a->x[k], dbvhi_dd_mul( t, d->x[k] ) );
	return out;
}

DBVHI_INLINE dbvhi_exact_point3 dbvhi_exact_point3_cross( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *b ) {
	dbvhi_exact_point3 out;
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		out.x[k] = dbvhi_dd_sub( dbvhi_dd_mul( a->x[k1], b->x[k2] ), dbvhi_dd_mul( a->x[k2], b->x[k1] ) );
	}
	return out;
}

// The square root; 0 of what is not positive.
DBVHI_INLINE dbvhi_dd dbvhi_dd_root( dbvhi_dd x ) {
	if ( !( x.hi > 0.0 ) )
		return ( dbvhi_dd ){ 0.0, 0.0 };
	const dbvhi_dd s = { sqrt( x.hi ), 0.0 };
	const dbvhi_dd rest = dbvhi_dd_sub( x, dbvhi_dd_mul( s, s ) );
	return dbvhi_dd_add( s, ( dbvhi_dd ){ rest.hi / ( 2.0 * s.hi ), 0.0 } );
}

typedef struct dbvhi_near_points {
	dbvhi_exact_point3 a, b;
	double fallback[3]; // a unit vector for `normal` where the points are one
} dbvhi_near_points;

// The exponent e of the scale 2^-e that brings the largest number near 1.
int dbvhi_scale_of( const double *const list[], const int counts[], int list_count );
dbvhi_exact_point3 dbvhi_exact_point3_at( const double x[3], int exponent );

// Points of shapes without radii, each a point of its shape up to 2^-90, that are nearest to each other up to about
// 2^-48: rounding is in the choice of two that are about as near.
dbvhi_exact_point3 dbvhi_nearest_on_segment( const dbvhi_exact_point3 *point, const dbvhi_exact_point3 *from,
                                             const dbvhi_exact_point3 *to );
dbvhi_exact_point3 dbvhi_nearest_on_triangle( const dbvhi_exact_point3 *point, const dbvhi_exact_point3 corner[3] );
void dbvhi_nearest_on_segments( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *a_end,
                                const dbvhi_exact_point3 *b, const dbvhi_exact_point3 *b_end, dbvhi_exact_point3 *on_a,
                                dbvhi_exact_point3 *on_b );
double dbvhi_exact_point3_distance( const dbvhi_exact_point3 *a, const dbvhi_exact_point3 *b );

// A unit vector at right angles to `direction`, by the axis on which that is smallest; x where it is zero.
void dbvhi_perpendicular( const double direction[3], double out[3] );

// A unit vector at right angles to both, which may be parallel, or zero.
void dbvhi_across( const double x[3], const double y[3], double out[3] );
// The unit vector along x; returns false for 0.
bool dbvhi_unit( const double x[3], double out[3] );

// sign( distance without radii - sum )
typedef int dbvhi_compare( const void *context, const dbvhi_sum *sum );

// Fills *signed_distance_out. `points` are scaled by 2^-exponent.
void dbvhi_gap_of( dbvhi_compare *compare, const void *context, double radius_a, double radius_b,
                   const dbvhi_near_points *points, int exponent, dbvh_signed_distance *signed_distance_out );

// Fills *signed_distance_out for shapes whose insides overlap even without radii; the first has a radius. `under` is
// the depth without the radius, scaled, between `points`; `points->fallback` is the normal; compare_depth gives the
// sign of that depth - sum.
void dbvhi_gap_inside( dbvhi_compare *compare_depth, const void *context, double radius,
                       const dbvhi_near_points *points, double under, int exponent,
                       dbvh_signed_distance *signed_distance_out );

// The distance alone, near a guess.
double dbvhi_distance_of( dbvhi_compare *compare, const void *context, double radius_a, double radius_b, double guess );

// The depth alone, of shapes that intersect.
double dbvhi_depth_of( dbvhi_compare *compare, const void *context, double radius, double guess );

// ------------------------------------------------------------------------------------------------
// Segments and boxes against each other, as one question: where a point is to the zonotope of their differences
// (core_zonotope.inl), and which points of the two are nearest, or deepest.

dbvhi_body dbvhi_body_of_segment( const double from[3], const double to[3] );
dbvhi_body dbvhi_body_of_aabb( const dbvh_aabb *aabb );
dbvhi_body dbvhi_body_of_obb( const dbvh_obb *obb );

// Axes that both have, to the bit, are one. Keeps pointers into the shapes.
void dbvhi_zonotope_of( dbvhi_zonotope *out, const dbvhi_body *a, const dbvhi_body *b );

// The gap of two bodies, the first grown by a radius. `exponent`: dbvhi_scale_of() all that is in them.
void dbvhi_bodies_gap( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent,
                       dbvh_signed_distance *signed_distance_out );
double dbvhi_bodies_distance( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent );

// About how far they are apart, scaled; keeps the point in the zonotope, and fills in the points without a fallback.
double dbvhi_zonotope_nearest( dbvhi_zonotope *zonotope, int exponent, dbvhi_near_points *points );

// A corner of a box: of axis i the end that bit i of the pattern tells. Scaled.
dbvhi_exact_point3 dbvhi_body_corner( const dbvhi_body *body, int pattern, int exponent );
