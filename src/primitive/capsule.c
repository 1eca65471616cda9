// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Spheres and capsules against capsules: a point or a segment and a segment.

#include "base/fpenv.h"
#include "primitive/check.h"
#include "primitive/signed_distance.h"

#include <string.h>

typedef struct sphere_pair {
	const dbvh_sphere *sphere;
	dbvhi_path axis;
} sphere_pair;

typedef struct capsule_pair {
	dbvhi_path a, b;
} capsule_pair;

static int compare_sphere_axis( const void *context, const dbvhi_sum *sum ) {
	const sphere_pair *p = context;
	return dbvhi_point_path_compared( p->sphere->centre, &p->axis, sum );
}

static int compare_capsules( const void *context, const dbvhi_sum *sum ) {
	const capsule_pair *p = context;
	return dbvhi_paths_compared( &p->a, &p->b, sum );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_capsule_meet( const dbvh_sphere *a, const dbvh_capsule *b,
                                                             bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status = dbvhi_check_pair( intersect_out, dbvhi_check_sphere( a ), dbvhi_check_capsule( b ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_path axis = dbvhi_path_segment( b->from, b->to );
	const dbvhi_sum radii = dbvhi_sum2( a->radius, b->radius );
	*intersect_out = dbvhi_point_path_compared( a->centre, &axis, &radii ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_sphere_capsule_intersect( const dbvh_sphere *a, const dbvh_capsule *b, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_capsule_meet( a, b, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_capsule_gap( const dbvh_sphere *a, const dbvh_capsule *b,
                                                            dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( signed_distance_out, dbvhi_check_sphere( a ), dbvhi_check_capsule( b ) );
	if ( status != DBVH_OK )
		return status;
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->centre, b->from, b->to, &a->radius, &b->radius },
	                                     ( const int[] ){ 3, 3, 3, 1, 1 }, 5 );
	dbvhi_near_points points;
	const dbvhi_exact_point3 from = dbvhi_exact_point3_at( b->from, exponent ),
	                         to = dbvhi_exact_point3_at( b->to, exponent );
	points.a = dbvhi_exact_point3_at( a->centre, exponent );
	points.b = dbvhi_nearest_on_segment( &points.a, &from, &to );
	double d[3];
	for ( int k = 0; k < 3; ++k )
		d[k] = to.x[k].hi - from.x[k].hi;
	dbvhi_perpendicular( d, points.fallback );
	const sphere_pair pair = { a, dbvhi_path_segment( b->from, b->to ) };
	dbvhi_gap_of( compare_sphere_axis, &pair, a->radius, b->radius, &points, exponent, signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_capsule_signed_distance( const dbvh_sphere *a, const dbvh_capsule *b,
                                                 dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_capsule_gap( a, b, signed_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_capsule_meet( const dbvh_capsule *a, const dbvh_capsule *b,
                                                              bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status = dbvhi_check_pair( intersect_out, dbvhi_check_capsule( a ), dbvhi_check_capsule( b ) );
	if ( status != DBVH_OK )
		return status;
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), dbvhi_path_segment( b->from, b->to ) };
	const dbvhi_sum radii = dbvhi_sum2( a->radius, b->radius );
	*intersect_out = dbvhi_paths_compared( &pair.a, &pair.b, &radii ) <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_capsule_capsule_intersect( const dbvh_capsule *a, const dbvh_capsule *b, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_capsule_meet( a, b, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_capsule_gap( const dbvh_capsule *a, const dbvh_capsule *b,
                                                             dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( signed_distance_out, dbvhi_check_capsule( a ), dbvhi_check_capsule( b ) );
	if ( status != DBVH_OK )
		return status;
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->from, a->to, b->from, b->to, &a->radius, &b->radius },
	                                     ( const int[] ){ 3, 3, 3, 3, 1, 1 }, 6 );
	const dbvhi_exact_point3 af = dbvhi_exact_point3_at( a->from, exponent ),
	                         at = dbvhi_exact_point3_at( a->to, exponent );
	const dbvhi_exact_point3 bf = dbvhi_exact_point3_at( b->from, exponent ),
	                         bt = dbvhi_exact_point3_at( b->to, exponent );
	dbvhi_near_points points;
	dbvhi_nearest_on_segments( &af, &at, &bf, &bt, &points.a, &points.b );
	double d[3], e[3];
	for ( int k = 0; k < 3; ++k ) {
		d[k] = at.x[k].hi - af.x[k].hi;
		e[k] = bt.x[k].hi - bf.x[k].hi;
	}
	dbvhi_across( d, e, points.fallback );
	const capsule_pair pair = { dbvhi_path_segment( a->from, a->to ), dbvhi_path_segment( b->from, b->to ) };
	dbvhi_gap_of( compare_capsules, &pair, a->radius, b->radius, &points, exponent, signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_capsule_capsule_signed_distance( const dbvh_capsule *a, const dbvh_capsule *b,
                                                  dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_capsule_gap( a, b, signed_distance_out ) );
}
