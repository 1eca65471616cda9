// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two ellipsoids, by the separation condition of Perram and Wertheim (1985): with A and B the matrices V diag( l^2 )
// V^T of the two and r the offset from the centre of a to that of b, they are disjoint exactly where
//
//   F( s ) = s ( 1 - s ) r^T ( ( 1 - s ) A + s B )^-1 r
//
// is above 1 for some s in ( 0, 1 ). F is concave, and x = ( ( 1 - s ) A + s B )^-1 r gives proofs both ways for any s:
// a plane across x that separates, or the point ( 1 - s ) A x from the centre of a, which is s B x short of that of b,
// in both. Where neither holds, s moves on by F', inside a bracket.

#include "base/assert.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <math.h>

enum { STEPS = 60 };

// A symmetric matrix: xx, yy, zz, xy, yz, zx.
typedef struct symmetric {
	double m[6];
} symmetric;

// Solves ( S x = r ) for a positive definite S by Cholesky's factors.
static dbvhi_vec solve( const symmetric *s, dbvhi_vec r ) {
	const double *m = s->m;
	const double a = 1.0 / m[0], b = m[3] * a, c = m[5] * a;
	const double d = m[1] - m[3] * b, f = m[4] - m[5] * b;
	const double g = f / d, h = m[2] - m[5] * c - f * g;
	const double y1 = r.v[1] - b * r.v[0], y2 = r.v[2] - c * r.v[0] - g * y1;
	dbvhi_vec x;
	x.v[2] = y2 / h;
	x.v[1] = y1 / d - g * x.v[2];
	x.v[0] = r.v[0] * a - b * x.v[1] - c * x.v[2];
	return x;
}

// sqrt( x^T A x ), from the axes: no square of the ratio of the half lengths is lost.
static double width( const dbvhi_vec *along, dbvhi_vec half ) {
	const dbvhi_vec p = dbvhi_times( *along, half );
	return dbvhi_length( p );
}

// In the frame and the ball of a: b has the matrix `m`; `rows` are its axes times half lengths there.
typedef struct image {
	dbvhi_vec centre;
	dbvhi_vec axis[3];
	symmetric m;
} image;

static image image_of( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b ) {
	const dbvhi_vec inverse = dbvhi_inverse_half( a );
	const dbvhi_vec offset = {
	    { b->centre[0] - a->centre[0], b->centre[1] - a->centre[1], b->centre[2] - a->centre[2] } };
	image out = { .centre = dbvhi_times( inverse, dbvhi_along( a->axis, offset ) ) };
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec turned = dbvhi_along( a->axis, dbvhi_axis( b->axis, k ) );
		out.axis[k] = dbvhi_scale( b->half[k], dbvhi_times( inverse, turned ) );
		const double *x = out.axis[k].v;
		const double products[6] = { x[0] * x[0], x[1] * x[1], x[2] * x[2], x[0] * x[1], x[1] * x[2], x[2] * x[0] };
		for ( int i = 0; i < 6; ++i )
			out.m.m[i] += products[i];
	}
	return out;
}

bool dbvhi_ellipsoids_intersect( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b ) {
	const image in = image_of( a, b );
	const dbvhi_vec r = in.centre, one = { { 1.0, 1.0, 1.0 } };
	if ( dbvhi_dot( r, r ) <= 1.0 )
		return true; // one centre is in the other
	double low = 0.0, high = 1.0, s = 0.5;
	for ( int step = 0; step < STEPS; ++step ) {
		symmetric sum;
		for ( int i = 0; i < 6; ++i )
			sum.m[i] = ( i < 3 ? 1.0 - s : 0.0 ) + s * in.m.m[i];
		const dbvhi_vec x = solve( &sum, r );
		const dbvhi_vec along = {
		    { dbvhi_dot( in.axis[0], x ), dbvhi_dot( in.axis[1], x ), dbvhi_dot( in.axis[2], x ) } };
		const double width_a = dbvhi_length( x ), width_b = width( &along, one ), reach = dbvhi_dot( r, x );
		if ( reach > width_a + width_b )
			return false;
		if ( ( 1.0 - s ) * width_a <= 1.0 && s * width_b <= 1.0 )
			return true;
		const double value = s * ( 1.0 - s ) * reach;
		const double slope = ( 1.0 - s ) * ( 1.0 - s ) * width_a * width_a - s * s * width_b * width_b;
		if ( slope > 0.0 )
			low = s;
		else
			high = s;
		// The root of the slope: it is f_a - f_b with f_a = ( ( 1 - s ) width_a )^2 falling and f_b rising; a step in
		// the ratio of their roots is exact for two balls.
		const double next = width_a / ( width_a + width_b );
		s = next > low && next < high && step % 4 != 3 ? next : 0.5 * ( low + high );
		if ( !( high - low > 0x1p-52 ) )
			return value <= 1.0;
	}
	return true;
}

bool dbvhi_ellipsoid_intersects_sphere( const dbvh_ellipsoid *e, dbvhi_vec centre, double radius ) {
	DBVHI_ASSERT( radius >= 0.0 );
	const dbvhi_vec y =
	    dbvhi_along( e->axis, dbvhi_sub( centre, ( dbvhi_vec ){ { e->centre[0], e->centre[1], e->centre[2] } } ) );
	double most = 0.0;
	for ( int k = 0; k < 3; ++k )
		most = e->half[k] > most ? e->half[k] : most;
	const double square = dbvhi_dot( y, y );
	if ( square > ( most + radius ) * ( most + radius ) )
		return false;
	if ( square <= radius * radius )
		return true;
	// The iteration above, in the ellipsoid's own axes, in which both matrices are diagonal.
	const dbvhi_vec half = { { e->half[0], e->half[1], e->half[2] } };
	double low = 0.0, high = 1.0, s = 0.5;
	for ( int step = 0; step < STEPS; ++step ) {
		dbvhi_vec x;
		for ( int k = 0; k < 3; ++k )
			x.v[k] = y.v[k] / ( ( 1.0 - s ) * half.v[k] * half.v[k] + s * radius * radius );
		const double width_e = width( &x, half ), width_s = radius * dbvhi_length( x ), reach = dbvhi_dot( y, x );
		if ( reach > width_e + width_s )
			return false;
		if ( ( 1.0 - s ) * width_e <= 1.0 && s * width_s <= 1.0 )
			return true;
		if ( ( 1.0 - s ) * width_e > s * width_s )
			low = s;
		else
			high = s;
		const double next = width_e / ( width_e + width_s );
		s = next > low && next < high && step % 4 != 3 ? next : 0.5 * ( low + high );
		if ( !( high - low > 0x1p-52 ) )
			return s * ( 1.0 - s ) * reach <= 1.0;
	}
	return true;
}
