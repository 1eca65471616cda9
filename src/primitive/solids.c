// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes and capsules against boxes, and how far a triangle is from one.

#include "primitive/filter.h"
#include "primitive/pair.h"
#include "primitive/signed_distance.h"

// ------------------------------------------------------------------------------------------------
// Two boxes

static int obb_scale( const double centre[3], const double half[3], const dbvh_obb *b, const double *radius ) {
	return dbvhi_scale_of( ( const double *[] ){ centre, half, b->centre, b->half, radius },
	                       ( const int[] ){ 3, 3, 3, 3, radius != NULL ? 1 : 0 }, 5 );
}

DBVHI_PRIMITIVE( obb_obb_signed_distance, obb, obb, dbvh_signed_distance ) {
	const dbvhi_body p = dbvhi_body_of_obb( a ), q = dbvhi_body_of_obb( b );
	dbvhi_bodies_gap( &p, &q, 0.0, obb_scale( a->centre, a->half, b, NULL ), out );
}

DBVHI_PRIMITIVE( aabb_obb_signed_distance, aabb, obb, dbvh_signed_distance ) {
	const dbvhi_body p = dbvhi_body_of_aabb( a ), q = dbvhi_body_of_obb( b );
	dbvhi_bodies_gap( &p, &q, 0.0, obb_scale( a->min, a->max, b, NULL ), out );
}

DBVHI_PRIMITIVE( aabb_obb_intersect, aabb, obb, bool ) {
	const dbvhi_body p = dbvhi_body_of_aabb( a ), q = dbvhi_body_of_obb( b );
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	dbvhi_zonotope z;
	dbvhi_zonotope_of( &z, &p, &q );
	*out = dbvhi_zonotope_compared( &z, &zero ) <= 0;
}

// ------------------------------------------------------------------------------------------------
// A capsule and a box

DBVHI_PRIMITIVE( capsule_obb_intersect, capsule, obb, bool ) {
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_obb( b );
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	dbvhi_zonotope z;
	dbvhi_zonotope_of( &z, &p, &q );
	*out = dbvhi_zonotope_compared( &z, &radius ) <= 0;
}

DBVHI_PRIMITIVE( capsule_obb_distance, capsule, obb, double ) {
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_obb( b );
	*out = dbvhi_bodies_distance( &p, &q, a->radius, obb_scale( a->from, a->to, b, &a->radius ) );
}

DBVHI_PRIMITIVE( capsule_obb_signed_distance, capsule, obb, dbvh_signed_distance ) {
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_obb( b );
	dbvhi_bodies_gap( &p, &q, a->radius, obb_scale( a->from, a->to, b, &a->radius ), out );
}

DBVHI_PRIMITIVE( capsule_aabb_signed_distance, capsule, aabb, dbvh_signed_distance ) {
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->from, a->to, b->min, b->max, &a->radius },
	                                     ( const int[] ){ 3, 3, 3, 3, 1 }, 5 );
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_aabb( b );
	dbvhi_bodies_gap( &p, &q, a->radius, exponent, out );
}

// ------------------------------------------------------------------------------------------------
// A triangle and a box that it does not intersect: the nearest of an edge and the box, or of the triangle and a corner.

typedef struct triangle_pair {
	const dbvh_triangle *triangle;
	dbvhi_zonotope edge[3]; // against the box
	dbvhi_body body;
} triangle_pair;

static int compare_triangle( const void *context, const dbvhi_sum *sum ) {
	const triangle_pair *p = context;
	int least = dbvhi_triangle_body_compared( p->triangle, &p->body, sum );
	for ( int k = 0; k < 3 && least >= 0; ++k ) {
		const int side = dbvhi_zonotope_compared( &p->edge[k], sum );
		least = side < least ? side : least;
	}
	return least;
}

static __attribute__( ( noinline ) ) double triangle_distance( const dbvh_triangle *a, const dbvhi_body *body,
                                                               int exponent ) {
	triangle_pair pair = { .triangle = a, .body = *body };
	double least = INFINITY;
	dbvhi_near_points points;
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_body edge = dbvhi_body_of_segment( a->corner[k], a->corner[( k + 1 ) % 3] );
		dbvhi_zonotope_of( &pair.edge[k], &edge, body );
		least = fmin( least, dbvhi_zonotope_nearest( &pair.edge[k], exponent, &points ) );
	}
	dbvhi_exact_point3 corner[3];
	for ( int k = 0; k < 3; ++k )
		corner[k] = dbvhi_exact_point3_at( a->corner[k], exponent );
	for ( int pattern = 0; pattern < 8; ++pattern ) {
		const dbvhi_exact_point3 x = dbvhi_body_corner( body, pattern, exponent );
		const dbvhi_exact_point3 y = dbvhi_nearest_on_triangle( &x, corner );
		least = fmin( least, dbvhi_exact_point3_distance( &x, &y ) );
	}
	return dbvhi_distance_of( compare_triangle, &pair, 0.0, 0.0, ldexp( least, exponent ) );
}

DBVHI_PRIMITIVE( triangle_obb_distance, triangle, obb, double ) {
	if ( dbvhi_triangle_obb_separated( a, b ) <= 0 )
		return;
	const dbvhi_body body = dbvhi_body_of_obb( b );
	const int exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->corner[0], a->corner[1], a->corner[2], b->centre, b->half },
	                    ( const int[] ){ 3, 3, 3, 3, 3 }, 5 );
	*out = triangle_distance( a, &body, exponent );
}

DBVHI_PRIMITIVE( triangle_aabb_distance, triangle, aabb, double ) {
	if ( dbvhi_triangle_aabb_separated( a, b ) <= 0 )
		return;
	const dbvhi_body body = dbvhi_body_of_aabb( b );
	const int exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->corner[0], a->corner[1], a->corner[2], b->min, b->max },
	                    ( const int[] ){ 3, 3, 3, 3, 3 }, 5 );
	*out = triangle_distance( a, &body, exponent );
}
