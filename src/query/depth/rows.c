// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances of the corners of an item from a triangle, several corners at a time.
//
// Rounding. Whatever is computed, x below is a mean of the triangle's corners but for the rounding of the sum: parts
// are cut to [0, 1], or are quotients of numbers that are not negative by their sum. So its distance is no less than
// that of the triangle, less what is lost. With u = 2^-53 and S, which bounds all coordinates of the meshes and, times
// 3, those of boxes: corners seen from the point are up to 4 S, off by the given error and 4 u S; edges up to 2 S, off
// by 2 u S; their products by 2 u S, and sums by 6 and 8 u S. Parts that sum up to 1 + 4 u move the point by 8 u S.
// Together less than 36 u S in each coordinate, 64 u S in space; 2^-45 S is 256 u S. The factor covers what is
// relative, square and root.

#include "query/depth/local.h"
#include "simd/vec_d.h"

typedef struct lanes3 {
	vd x, y, z;
} lanes3;

static inline vd dot_lanes( lanes3 a, lanes3 b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lanes3 spread_lanes( const double v[3] ) {
	return ( lanes3 ){ set( v[0] ), set( v[1] ), set( v[2] ) };
}

static inline lanes3 sub_lanes( lanes3 a, lanes3 b ) {
	return ( lanes3 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// a + part * way
static inline lanes3 go_along( lanes3 a, vd part, lanes3 way ) {
	return ( lanes3 ){ a.x + part * way.x, a.y + part * way.y, a.z + part * way.z };
}

// The square of the distance from the edge that goes from a, seen from the point. An edge without a length is a.
static inline vd square_from_edge( lanes3 a, lanes3 edge, double inverse ) {
	const vd at = dot_lanes( a, edge ) * set( -inverse );
	const lanes3 x = go_along( a, larger( smaller( at, set( 1.0 ) ), set( 0.0 ) ), edge );
	return dot_lanes( x, x );
}

static double inverse_of( double square ) {
	return square > 0x1p-1000 && square < 0x1p1000 ? 1.0 / square : 0.0;
}

typedef struct edges {
	lanes3 ab, ac, bc;
	double inverse[3]; // of the squares of their lengths
	double dots[3];    // ab . ab, ab . ac, ac . ac
	double determinant;
} edges;

static edges edges_of( const double image[9] ) {
	double ab[3], ac[3], bc[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = image[3 + k] - image[k];
		ac[k] = image[6 + k] - image[k];
		bc[k] = image[6 + k] - image[3 + k];
	}
	edges e = { .ab = spread_lanes( ab ), .ac = spread_lanes( ac ), .bc = spread_lanes( bc ) };
	e.dots[0] = dbvhi_dot3( ab, ab );
	e.dots[1] = dbvhi_dot3( ab, ac );
	e.dots[2] = dbvhi_dot3( ac, ac );
	e.determinant = e.dots[0] * e.dots[2] - e.dots[1] * e.dots[1];
	e.inverse[0] = inverse_of( e.dots[0] );
	e.inverse[1] = inverse_of( e.dots[2] );
	e.inverse[2] = inverse_of( dbvhi_dot3( bc, bc ) );
	return e;
}

// The square of the distance from the triangle whose corner a is seen from the point.
static inline vd square_from_triangle( const edges *e, lanes3 a, lanes3 b ) {
	const vd d1 = dot_lanes( e->ab, a ), d2 = dot_lanes( e->ac, a );
	// note: the parts of b and c, times the determinant (Cramer's rule).
	const vd v = d2 * set( e->dots[1] ) - d1 * set( e->dots[2] ), w = d1 * set( e->dots[1] ) - d2 * set( e->dots[0] ),
	         rest = set( e->determinant ) - v - w;
	const vd edge =
	    smaller( smaller( square_from_edge( a, e->ab, e->inverse[0] ), square_from_edge( a, e->ac, e->inverse[1] ) ),
	             square_from_edge( b, e->bc, e->inverse[2] ) );
	const vm inside = MASK( v >= set( 0.0 ) ) & MASK( w >= set( 0.0 ) ) & MASK( rest >= set( 0.0 ) );
	const vd inverse = set( inverse_of( e->determinant ) );
	const lanes3 x = go_along( go_along( a, v * inverse, e->ab ), w * inverse, e->ac );
	return choose( inside, smaller( dot_lanes( x, x ), edge ), edge );
}

void dbvhi_row_of_triangle( const dbvhi_item_search *s, const dbvhi_columns *columns, const double image[9],
                            double row_out[8] ) {
	if ( !( s->pair->size > 0x1p-200 && s->pair->size < 0x1p200 ) ) {
		for ( int i = 0; i < 8; ++i )
			row_out[i] = DBVHI_NO_BOUND;
		return;
	}
	const edges e = edges_of( image );
	const vd off = set( 4.0 * s->y->placed.error + 0x1p-45 * s->pair->size );
	const lanes3 a = spread_lanes( image ), b = spread_lanes( image + 3 );
	for ( size_t i = 0; i < 8; i += WIDTH ) {
		const lanes3 point = { load( columns->at[0], i, 0 ), load( columns->at[1], i, 0 ),
		                       load( columns->at[2], i, 0 ) };
		const vd row = ( root( square_from_triangle( &e, sub_lanes( a, point ), sub_lanes( b, point ) ) ) + off ) *
		               set( 1.0 + 0x1p-49 );
		memcpy( row_out + i, &row, sizeof row );
	}
}
