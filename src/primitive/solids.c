// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes and capsules against boxes, and how far a triangle is from one.

#include "base/fpenv.h"
#include "primitive/check.h"
#include "primitive/filter.h"
#include "primitive/signed_distance.h"
#include "primitive/zonotope.h"

#include <string.h>

// ------------------------------------------------------------------------------------------------
// Two boxes

static int obb_scale( const double centre[3], const double half[3], const dbvh_obb *b, const double *radius ) {
	return dbvhi_scale_of( ( const double *[] ){ centre, half, b->centre, b->half, radius },
	                       ( const int[] ){ 3, 3, 3, 3, radius != NULL ? 1 : 0 }, 5 );
}

static DBVHI_NOINLINE_FP dbvh_status do_obb_obb_gap( const dbvh_obb *a, const dbvh_obb *b,
                                                     dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status = dbvhi_check_pair( signed_distance_out, dbvhi_check_obb( a ), dbvhi_check_obb( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_body p = dbvhi_body_of_obb( a ), q = dbvhi_body_of_obb( b );
	dbvhi_bodies_gap( &p, &q, 0.0, obb_scale( a->centre, a->half, b, NULL ), signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_obb_obb_signed_distance( const dbvh_obb *a, const dbvh_obb *b,
                                          dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_obb_obb_gap( a, b, signed_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_aabb_obb_gap( const dbvh_aabb *a, const dbvh_obb *b,
                                                      dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status = dbvhi_check_pair( signed_distance_out, dbvhi_check_aabb( a ), dbvhi_check_obb( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_body p = dbvhi_body_of_aabb( a ), q = dbvhi_body_of_obb( b );
	dbvhi_bodies_gap( &p, &q, 0.0, obb_scale( a->min, a->max, b, NULL ), signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_aabb_obb_signed_distance( const dbvh_aabb *a, const dbvh_obb *b,
                                           dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_aabb_obb_gap( a, b, signed_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_aabb_obb_meet( const dbvh_aabb *a, const dbvh_obb *b, bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status = dbvhi_check_pair( intersect_out, dbvhi_check_aabb( a ), dbvhi_check_obb( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_body p = dbvhi_body_of_aabb( a ), q = dbvhi_body_of_obb( b );
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	dbvhi_zonotope z;
	dbvhi_zonotope_of( &z, &p, &q );
	*intersect_out = dbvhi_zonotope_compared( &z, &zero ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_aabb_obb_intersect( const dbvh_aabb *a, const dbvh_obb *b, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_aabb_obb_meet( a, b, intersect_out ) );
}

// ------------------------------------------------------------------------------------------------
// A capsule and a box

static DBVHI_NOINLINE_FP dbvh_status do_capsule_obb_meet( const dbvh_capsule *a, const dbvh_obb *b,
                                                          bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status = dbvhi_check_pair( intersect_out, dbvhi_check_capsule( a ), dbvhi_check_obb( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_obb( b );
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	dbvhi_zonotope z;
	dbvhi_zonotope_of( &z, &p, &q );
	*intersect_out = dbvhi_zonotope_compared( &z, &radius ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_capsule_obb_intersect( const dbvh_capsule *a, const dbvh_obb *b, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_obb_meet( a, b, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_obb_distance( const dbvh_capsule *a, const dbvh_obb *b,
                                                              double *distance_out ) {
	if ( distance_out != NULL )
		*distance_out = 0.0;
	const dbvh_status status = dbvhi_check_pair( distance_out, dbvhi_check_capsule( a ), dbvhi_check_obb( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_obb( b );
	*distance_out = dbvhi_bodies_distance( &p, &q, a->radius, obb_scale( a->from, a->to, b, &a->radius ) );
	return DBVH_OK;
}

dbvh_status dbvh_capsule_obb_distance( const dbvh_capsule *a, const dbvh_obb *b, double *distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_obb_distance( a, b, distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_obb_gap( const dbvh_capsule *a, const dbvh_obb *b,
                                                         dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status = dbvhi_check_pair( signed_distance_out, dbvhi_check_capsule( a ), dbvhi_check_obb( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_obb( b );
	dbvhi_bodies_gap( &p, &q, a->radius, obb_scale( a->from, a->to, b, &a->radius ), signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_capsule_obb_signed_distance( const dbvh_capsule *a, const dbvh_obb *b,
                                              dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_obb_gap( a, b, signed_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_aabb_gap( const dbvh_capsule *a, const dbvh_aabb *b,
                                                          dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status = dbvhi_check_pair( signed_distance_out, dbvhi_check_capsule( a ), dbvhi_check_aabb( b ) );
	if ( status != DBVH_OK )
		return status;
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->from, a->to, b->min, b->max, &a->radius },
	                                     ( const int[] ){ 3, 3, 3, 3, 1 }, 5 );
	const dbvhi_body p = dbvhi_body_of_segment( a->from, a->to ), q = dbvhi_body_of_aabb( b );
	dbvhi_bodies_gap( &p, &q, a->radius, exponent, signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_capsule_aabb_signed_distance( const dbvh_capsule *a, const dbvh_aabb *b,
                                               dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_aabb_gap( a, b, signed_distance_out ) );
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

static double triangle_distance( const dbvh_triangle *a, const dbvhi_body *body, int exponent ) {
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

static DBVHI_NOINLINE_FP dbvh_status do_triangle_obb_distance( const dbvh_triangle *a, const dbvh_obb *b,
                                                               double *distance_out ) {
	bool meet = false;
	if ( distance_out != NULL )
		*distance_out = 0.0;
	const dbvh_status status = dbvhi_check_pair( distance_out, dbvh_triangle_obb_intersect( a, b, &meet ), DBVH_OK );
	if ( status != DBVH_OK || meet )
		return status;
	const dbvhi_body body = dbvhi_body_of_obb( b );
	const int exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->corner[0], a->corner[1], a->corner[2], b->centre, b->half },
	                    ( const int[] ){ 3, 3, 3, 3, 3 }, 5 );
	*distance_out = triangle_distance( a, &body, exponent );
	return DBVH_OK;
}

dbvh_status dbvh_triangle_obb_distance( const dbvh_triangle *a, const dbvh_obb *b, double *distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_triangle_obb_distance( a, b, distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_triangle_aabb_distance( const dbvh_triangle *a, const dbvh_aabb *b,
                                                                double *distance_out ) {
	bool meet = false;
	if ( distance_out != NULL )
		*distance_out = 0.0;
	const dbvh_status status = dbvhi_check_pair( distance_out, dbvh_triangle_aabb_intersect( a, b, &meet ), DBVH_OK );
	if ( status != DBVH_OK || meet )
		return status;
	const dbvhi_body body = dbvhi_body_of_aabb( b );
	const int exponent =
	    dbvhi_scale_of( ( const double *[] ){ a->corner[0], a->corner[1], a->corner[2], b->min, b->max },
	                    ( const int[] ){ 3, 3, 3, 3, 3 }, 5 );
	*distance_out = triangle_distance( a, &body, exponent );
	return DBVH_OK;
}

dbvh_status dbvh_triangle_aabb_distance( const dbvh_triangle *a, const dbvh_aabb *b, double *distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_triangle_aabb_distance( a, b, distance_out ) );
}
