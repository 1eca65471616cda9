// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Random shapes of several families: general, on coarse grids where coincidences are common, degenerate, of very
// different sizes, and at the ends of the range of doubles.

#pragma once

#include "dualbvh/primitives.h"
#include "support/rng.h"

#include <string.h>

typedef struct maker {
	rng r;
	int family;   // family of coordinates
	double scale; // a power of two
	double pool[8][3];
	int pooled; // points that shapes may share
} maker;

enum { FAMILIES = 8 };

static inline bool one_in( maker *m, uint64_t n ) {
	return rng_below( &m->r, n ) == 0;
}

static inline void maker_start( maker *m, uint64_t seed, uint64_t index ) {
	m->r = ( rng ){ seed * UINT64_C( 0x9e3779b97f4a7c15 ) + index };
	rng_u64( &m->r );
	static const int often[16] = { 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4 };
	m->family = one_in( m, 128 ) ? 5 + (int)rng_below( &m->r, 3 ) : often[rng_below( &m->r, 16 )];
	m->scale = 1.0;
	m->pooled = 0;
	if ( m->family < 4 && one_in( m, 32 ) )
		m->scale = ldexp( 1.0, (int)rng_below( &m->r, 1600 ) - 800 );
}

static inline double coordinate( maker *m ) {
	rng *r = &m->r;
	double x;
	switch ( m->family ) {
	case 0:
		x = rng_range( r, -1.0, 1.0 );
		break;
	case 1:
		x = (double)( (int)rng_below( r, 17 ) - 8 ) / 8.0;
		break;
	case 2:
		x = (double)( (int)rng_below( r, 5 ) - 2 );
		break;
	case 3: // next to the grid
		x = (double)( (int)rng_below( r, 9 ) - 4 ) / 4.0;
		if ( one_in( m, 2 ) )
			x = nextafter( x, one_in( m, 2 ) ? 4.0 : -4.0 );
		break;
	case 4: // sizes from 2^-40 to 2
		x = ldexp( rng_range( r, -2.0, 2.0 ), -(int)rng_below( r, 41 ) );
		break;
	case 5: // everything
		x = ldexp( rng_range( r, -1.0, 1.0 ), (int)rng_below( r, 2097 ) - 1073 );
		break;
	case 6: // subnormal
		x = ldexp( (double)( (int)rng_below( r, 17 ) - 8 ), -1074 );
		break;
	default: // near the largest
		x = ldexp( (double)( (int)rng_below( r, 17 ) - 8 ), 1020 );
		break;
	}
	return x * m->scale;
}

static inline double extent( maker *m ) {
	return one_in( m, 8 ) ? 0.0 : fabs( coordinate( m ) ) * ( one_in( m, 2 ) ? 1.0 : 0.5 );
}

static inline void point( maker *m, double out[3] ) {
	if ( m->pooled > 0 && one_in( m, 6 ) ) {
		memcpy( out, m->pool[rng_below( &m->r, (uint64_t)m->pooled )], 3 * sizeof( double ) );
		return;
	}
	for ( int k = 0; k < 3; ++k )
		out[k] = coordinate( m );
	if ( m->pooled > 0 && one_in( m, 6 ) ) // a coordinate in common
		out[rng_below( &m->r, 3 )] = m->pool[0][0];
	if ( m->pooled < 8 )
		memcpy( m->pool[m->pooled++], out, 3 * sizeof( double ) );
}

static inline dbvh_sphere make_sphere( maker *m ) {
	dbvh_sphere s;
	point( m, s.centre );
	s.radius = extent( m );
	return s;
}

static inline dbvh_aabb make_aabb( maker *m ) {
	dbvh_aabb b;
	double p[3], q[3];
	point( m, p );
	point( m, q );
	for ( int k = 0; k < 3; ++k ) {
		if ( one_in( m, 8 ) )
			q[k] = p[k];
		b.min[k] = p[k] < q[k] ? p[k] : q[k];
		b.max[k] = p[k] < q[k] ? q[k] : p[k];
	}
	return b;
}

static inline void make_axes( maker *m, double axis[3][3] ) {
	rng *r = &m->r;
	memset( axis, 0, 9 * sizeof( double ) );
	const uint64_t kind = rng_below( r, 6 );
	if ( kind < 2 ) { // along the axes of space, of any handedness
		const int first = (int)rng_below( r, 3 ), way = one_in( m, 2 ) ? 1 : 2;
		for ( int i = 0; i < 3; ++i )
			axis[i][( first + i * way ) % 3] = one_in( m, 2 ) ? 1.0 : -1.0;
		return;
	}
	if ( kind == 2 ) { // 3, 4, 5
		const int k = (int)rng_below( r, 3 ), k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		axis[k][k] = 1.0;
		axis[k1][k1] = axis[k2][k2] = 0.6;
		axis[k1][k2] = 0.8;
		axis[k2][k1] = -0.8;
		return;
	}
	double q[4], n = 0.0;
	for ( int k = 0; k < 4; ++k ) {
		q[k] = rng_range( r, -1.0, 1.0 );
		n += q[k] * q[k];
	}
	const dbvh_pose pose = dbvh_pose_from_quaternion( n > 0.0 ? q : ( const double[4] ){ 0.0, 0.0, 0.0, 1.0 },
	                                                  ( const double[3] ){ 0.0, 0.0, 0.0 } );
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			axis[i][k] = pose.rot[k][i] + ( kind == 5 ? rng_range( r, -3e-7, 3e-7 ) : 0.0 );
	}
}

static inline dbvh_obb make_obb( maker *m ) {
	dbvh_obb b;
	point( m, b.centre );
	make_axes( m, b.axis );
	for ( int k = 0; k < 3; ++k )
		b.half[k] = extent( m );
	return b;
}

static inline dbvh_box make_box( maker *m ) {
	dbvh_box b;
	point( m, b.centre );
	for ( int k = 0; k < 3; ++k )
		b.half[k] = extent( m );
	return b;
}

static inline void make_ends( maker *m, double from[3], double to[3] ) {
	point( m, from );
	point( m, to );
	if ( one_in( m, 12 ) )
		memcpy( to, from, 3 * sizeof( double ) );
	if ( one_in( m, 6 ) ) // along an axis
		for ( int k = 0, keep = (int)rng_below( &m->r, 3 ); k < 3; ++k )
			to[k] = k == keep ? to[k] : from[k];
}

static inline dbvh_capsule make_capsule( maker *m ) {
	dbvh_capsule c;
	make_ends( m, c.from, c.to );
	c.radius = extent( m );
	return c;
}

static inline dbvh_segment make_segment( maker *m ) {
	dbvh_segment s;
	make_ends( m, s.from, s.to );
	return s;
}

static inline dbvh_ray make_ray( maker *m ) {
	dbvh_ray r;
	point( m, r.from );
	for ( int k = 0; k < 3; ++k )
		r.direction[k] = one_in( m, 6 ) ? 0.0 : coordinate( m );
	if ( one_in( m, 8 ) ) // towards a point that may be of the other shape
		for ( int k = 0; k < 3; ++k ) {
			const double d = m->pool[0][k] - r.from[k];
			r.direction[k] = isfinite( d ) ? d : 0.0;
		}
	return r;
}

static inline dbvh_triangle make_triangle( maker *m ) {
	dbvh_triangle t;
	for ( int k = 0; k < 3; ++k )
		point( m, t.corner[k] );
	const uint64_t kind = rng_below( &m->r, 16 );
	if ( kind < 2 ) { // a needle: the third corner on the line of the others, or nearly
		const double s = (double)( (int)rng_below( &m->r, 9 ) - 4 ) / 4.0;
		for ( int k = 0; k < 3; ++k ) {
			const double x = t.corner[0][k] + s * ( t.corner[1][k] - t.corner[0][k] );
			t.corner[2][k] = isfinite( x ) ? x : t.corner[0][k];
		}
	} else if ( kind == 2 ) { // two equal corners
		memcpy( t.corner[rng_below( &m->r, 2 )], t.corner[2], sizeof t.corner[2] );
	} else if ( kind == 3 ) { // a point
		memcpy( t.corner[1], t.corner[0], sizeof t.corner[0] );
		memcpy( t.corner[2], t.corner[0], sizeof t.corner[0] );
	}
	return t;
}

static inline dbvh_plane make_plane( maker *m ) {
	dbvh_plane p;
	double q[3];
	do {
		for ( int k = 0; k < 3; ++k )
			p.normal[k] = one_in( m, 4 ) ? 0.0 : coordinate( m ) / m->scale;
	} while ( p.normal[0] == 0.0 && p.normal[1] == 0.0 && p.normal[2] == 0.0 );
	point( m, q );
	p.offset = p.normal[0] * q[0] + p.normal[1] * q[1] + p.normal[2] * q[2];
	if ( !isfinite( p.offset ) || one_in( m, 6 ) )
		p.offset = coordinate( m );
	return p;
}
