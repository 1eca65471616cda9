// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Is a gap what it says? By an oracle for the shapes without their radii.

#pragma once

#include "oracle.h"
#include "shapes.h"

static inline double before( double x ) {
	return nextafter( x, -INFINITY );
}

static inline double largest_of( const void *shape, size_t size ) {
	double largest = 0.0;
	for ( size_t i = 0; i < size / sizeof( double ); ++i )
		largest = fmax( largest, fabs( ( (const double *)shape )[i] ) );
	return largest;
}
#define SIZE_OF( a ) largest_of( &( a ), sizeof( a ) )

// ------------------------------------------------------------------------------------------------
// Distances, depths and witness points

// sign( distance of the cores, a moved by `shift`, - s ); of one point and the core of a or b
typedef struct cores {
	const void *a, *b;
	int ( *compare )( const struct cores *c, vec shift, num s );
	int ( *from_a )( const struct cores *c, vec p, num s );
	int ( *from_b )( const struct cores *c, vec p, num s );
	int ( *depth )( const struct cores *c, num s ); // depth of a's centre in a solid b, or NULL
	double radius_a, radius_b, size;
} cores;

static const double nowhere[3] = { 0.0, 0.0, 0.0 };

static inline bool distance_is_right( const cores *c, double distance ) {
	const num radii = add( N( c->radius_a ), N( c->radius_b ) );
	const vec zero = V( nowhere );
	if ( c->compare( c, zero, radii ) <= 0 )
		return distance == 0.0;
	if ( !( distance > 0.0 ) )
		return false;
	return ( isinf( distance ) || c->compare( c, zero, add( radii, N( distance ) ) ) <= 0 ) &&
	       c->compare( c, zero, add( radii, N( before( distance ) ) ) ) > 0;
}

static inline bool depth_is_right( const cores *c, double depth ) {
	const num radii = add( N( c->radius_a ), N( c->radius_b ) );
	const vec zero = V( nowhere );
	if ( c->depth != NULL && c->compare( c, zero, N( 0.0 ) ) == 0 ) {
		if ( depth == 0.0 )
			return sgn( radii ) == 0 && c->depth( c, N( 0.0 ) ) == 0;
		return ( isinf( depth ) || c->depth( c, sub( N( depth ), radii ) ) <= 0 ) &&
		       c->depth( c, sub( N( before( depth ) ), radii ) ) > 0;
	}
	if ( c->compare( c, zero, radii ) >= 0 )
		return depth == 0.0;
	return depth > 0.0 && ( isinf( depth ) || c->compare( c, zero, sub( radii, N( depth ) ) ) >= 0 ) &&
	       c->compare( c, zero, sub( radii, N( before( depth ) ) ) ) < 0;
}

static inline bool points_are_right( const cores *c, const dbvh_signed_distance *gap ) {
	if ( !( c->size < 0x1p900 && c->size > 0x1p-900 ) )
		return true;
	const double slack = 0x1p-43 * c->size;
	double length = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double way = ( gap->distance - gap->depth ) * gap->normal[k];
		if ( !( fabs( gap->point_b[k] - gap->point_a[k] - way ) <= slack ) )
			return false;
		length += gap->normal[k] * gap->normal[k];
	}
	if ( !( fabs( length - 1.0 ) <= 0x1p-48 ) )
		return false;
	if ( c->from_a( c, V( gap->point_a ), add( N( c->radius_a ), N( slack ) ) ) > 0 ||
	     c->from_b( c, V( gap->point_b ), add( N( c->radius_b ), N( slack ) ) ) > 0 )
		return false;
	if ( gap->depth == 0.0 )
		return true;
	const vec shift = vmul( N( -gap->depth ), V( gap->normal ) );
	return c->compare( c, shift, sub( add( N( c->radius_a ), N( c->radius_b ) ), N( slack ) ) ) >= 0;
}

static inline bool gap_is_right( const cores *c, const dbvh_signed_distance *gap ) {
	return distance_is_right( c, gap->distance ) && depth_is_right( c, gap->depth ) && points_are_right( c, gap );
}

// A radius for which shapes nearly touch, or do.
static inline double touching( maker *m, double distance, double radius ) {
	if ( !isfinite( distance ) || !one_in( m, 3 ) )
		return radius;
	switch ( rng_below( &m->r, 3 ) ) {
	case 0:
		return distance;
	case 1:
		return distance > 0.0 ? before( distance ) : 0.0;
	default:
		return nextafter( distance, 1e308 );
	}
}

#define GAPS ( index % 4 == 0 ) // gaps take longer than verdicts

static inline double obb_size( const dbvh_obb *b ) {
	return fmax( largest_of( b->centre, sizeof b->centre ), largest_of( b->half, sizeof b->half ) );
}

static inline void corners_of( const dbvh_triangle *t, vec out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = V( t->corner[k] );
}

static inline int capsule_a( const cores *c, vec p, num s ) {
	const dbvh_capsule *a = c->a;
	return oracle_point_segment( p, V( a->from ), V( a->to ), s );
}
