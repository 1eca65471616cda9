// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cases.h"

#include <math.h>
#include <stdlib.h>

#define REAL long double
#define NAME( x ) x##_long
#include "oracle.inl"
#undef REAL
#undef NAME

#if defined( __SIZEOF_FLOAT128__ )
typedef __float128 quad;
#else
typedef long double quad; // 113 bits where there is no other type of that length
#endif
#define REAL quad
#define NAME( x ) x##_quad
#include "oracle.inl"

truth oracle_obb( const dbvh_ellipsoid *e, const dbvh_obb *b, unsigned long long *wide ) {
	const double margin = dbvh_ellipsoid_margin( e, b );
	{
		const skew_long s = skew_of_long( e, b );
		const vec_long r = nearest_long( &s );
		// 64 bits instead of 53 lose a 2048th as much: a hundredth of the margin is far more.
		const long double inner = 1.0L - 1.01L * margin, outer = 1.0L + 1.01L * margin;
		if ( inner > 0.0L && proof_long( &s, r, inner ) < 0 )
			return TRUTH_MEETING;
		if ( proof_long( &s, r, outer ) > 0 )
			return TRUTH_APART;
	}
	*wide += 1;
	const skew_quad s = skew_of_quad( e, b );
	const vec_quad r = nearest_quad( &s );
	const quad one = 1, off = (quad)margin;
	if ( off < one && proof_quad( &s, r, one - off ) < 0 )
		return TRUTH_MEETING;
	if ( proof_quad( &s, r, one + off ) > 0 )
		return TRUTH_APART;
	return proof_quad( &s, r, one ) < 0 ? TRUTH_NEAR_MEETING : TRUTH_NEAR_APART;
}

// ------------------------------------------------------------------------------------------------
// Two ellipsoids: is some point of b, as t in the unit ball, in the unit ball of a? Least squares over a ball, by
// bisection of its multiplier: the least point solves ( B^T B + m ) t = -B^T c with | t | = 1, or m = 0.

static vec_quad ball_point( const skew_quad *s, quad m ) {
	vec_quad row[3], right;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			row[i].v[j] = dot_quad( s->edge[i], s->edge[j] ) + ( i == j ? m : 0 );
		right.v[i] = -dot_quad( s->edge[i], s->centre );
	}
	const quad d = determinant_quad( row[0], row[1], row[2] );
	vec_quad t;
	// Symmetric: rows are columns.
	t.v[0] = determinant_quad( right, row[1], row[2] ) / d;
	t.v[1] = determinant_quad( row[0], right, row[2] ) / d;
	t.v[2] = determinant_quad( row[0], row[1], right ) / d;
	return t;
}

static quad ball_distance_square( const skew_quad *s, vec_quad t ) {
	const quad p[3] = { t.v[0], t.v[1], t.v[2] };
	const vec_quad x = point_quad( s, p );
	return dot_quad( x, x );
}

truth oracle_ellipsoids( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b, double margin ) {
	dbvh_obb as_box;
	for ( int k = 0; k < 3; ++k ) {
		as_box.centre[k] = b->centre[k];
		as_box.half[k] = b->half[k];
		for ( int c = 0; c < 3; ++c )
			as_box.axis[k][c] = b->axis[k][c];
	}
	const skew_quad s = skew_of_quad( a, &as_box );
	vec_quad t = ball_point( &s, 0 );
	if ( dot_quad( t, t ) > 1 ) {
		quad low = 0, high = 1;
		while ( t = ball_point( &s, high ), dot_quad( t, t ) > 1 )
			high *= 2;
		for ( int step = 0; step < 160; ++step ) {
			const quad middle = ( low + high ) / 2;
			t = ball_point( &s, middle );
			if ( dot_quad( t, t ) > 1 )
				low = middle;
			else
				high = middle;
		}
		t = ball_point( &s, high );
	}
	const quad square = ball_distance_square( &s, t ), inner = 1 - (quad)margin, outer = 1 + (quad)margin;
	if ( inner > 0 && square <= inner * inner )
		return TRUTH_MEETING;
	if ( square > outer * outer )
		return TRUTH_APART;
	return square <= 1 ? TRUTH_NEAR_MEETING : TRUTH_NEAR_APART;
}
