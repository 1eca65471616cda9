// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Everything against a plane.

#include "base/fpenv.h"
#include "primitive/check.h"
#include "primitive/round.h"
#include "primitive/signed_distance.h"

#include <string.h>

typedef struct pair {
	const double *point;
	const dbvh_obb *obb; // instead of the point
	const dbvh_plane *plane;
} pair;

static int compare_plane( const void *context, const dbvhi_sum *sum ) {
	const pair *p = context;
	return p->obb != NULL ? dbvhi_obb_plane_compared( p->obb, p->plane, sum )
	                      : dbvhi_point_plane_compared( p->point, p->plane, sum );
}

// normal . x - offset over |normal|, in doubles, the normal scaled to be about 1 long.
static double height_of( const double point[3], const dbvh_plane *plane ) {
	int exponent;
	const double *n = plane->normal;
	frexp( fmax( fmax( fabs( n[0] ), fabs( n[1] ) ), fabs( n[2] ) ), &exponent );
	const double x = ldexp( n[0], -exponent ), y = ldexp( n[1], -exponent ), z = ldexp( n[2], -exponent );
	const double h = x * point[0] + y * point[1] + z * point[2] - ldexp( plane->offset, -exponent );
	return h / sqrt( x * x + y * y + z * z );
}

static void level_at( const double point[3], const dbvh_plane *plane, int side,
                      dbvh_plane_distance *plane_distance_out ) {
	plane_distance_out->side = side;
	if ( side == 0 )
		return;
	const pair p = { point, NULL, plane };
	const double distance = dbvhi_distance_of( compare_plane, &p, 0.0, 0.0, fabs( height_of( point, plane ) ) );
	plane_distance_out->distance = side > 0 ? distance : -distance;
}

static DBVHI_NOINLINE_FP dbvh_status do_point_plane_level( const double point[3], const dbvh_plane *plane,
                                                           dbvh_plane_distance *plane_distance_out ) {
	if ( plane_distance_out != NULL )
		memset( plane_distance_out, 0, sizeof *plane_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( plane_distance_out, dbvhi_check_point( point ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	level_at( point, plane, dbvhi_point_plane_side( point, plane ), plane_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_point_plane_distance( const double point[3], const dbvh_plane *plane,
                                       dbvh_plane_distance *plane_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_point_plane_level( point, plane, plane_distance_out ) );
}

// The side of a ball, and how far it is.
static void ball_level( const double centre[3], double radius, const dbvh_plane *plane,
                        dbvh_plane_distance *plane_distance_out ) {
	const pair p = { centre, NULL, plane };
	const dbvhi_sum sum = dbvhi_sum1( radius );
	if ( compare_plane( &p, &sum ) <= 0 )
		return;
	plane_distance_out->side = dbvhi_point_plane_side( centre, plane );
	const double guess = fabs( height_of( centre, plane ) ) - radius;
	const double distance = dbvhi_distance_of( compare_plane, &p, radius, 0.0, guess );
	plane_distance_out->distance = plane_distance_out->side > 0 ? distance : -distance;
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_plane_level( const dbvh_sphere *sphere, const dbvh_plane *plane,
                                                            dbvh_plane_distance *plane_distance_out ) {
	if ( plane_distance_out != NULL )
		memset( plane_distance_out, 0, sizeof *plane_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( plane_distance_out, dbvhi_check_sphere( sphere ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	ball_level( sphere->centre, sphere->radius, plane, plane_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_plane_distance( const dbvh_sphere *sphere, const dbvh_plane *plane,
                                        dbvh_plane_distance *plane_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_plane_level( sphere, plane, plane_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_plane_level( const dbvh_capsule *capsule, const dbvh_plane *plane,
                                                             dbvh_plane_distance *plane_distance_out ) {
	if ( plane_distance_out != NULL )
		memset( plane_distance_out, 0, sizeof *plane_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( plane_distance_out, dbvhi_check_capsule( capsule ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	dbvh_plane_distance from = { 0 }, to = { 0 };
	ball_level( capsule->from, capsule->radius, plane, &from );
	ball_level( capsule->to, capsule->radius, plane, &to );
	if ( from.side == to.side )
		*plane_distance_out = fabs( from.distance ) < fabs( to.distance ) ? from : to;
	return DBVH_OK;
}

dbvh_status dbvh_capsule_plane_distance( const dbvh_capsule *capsule, const dbvh_plane *plane,
                                         dbvh_plane_distance *plane_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_plane_level( capsule, plane, plane_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_triangle_plane_level( const dbvh_triangle *triangle, const dbvh_plane *plane,
                                                              dbvh_plane_distance *plane_distance_out ) {
	if ( plane_distance_out != NULL )
		memset( plane_distance_out, 0, sizeof *plane_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( plane_distance_out, dbvhi_check_triangle( triangle ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	int side[3];
	for ( int k = 0; k < 3; ++k )
		side[k] = dbvhi_point_plane_side( triangle->corner[k], plane );
	if ( side[0] == 0 || side[0] != side[1] || side[0] != side[2] )
		return DBVH_OK;
	for ( int k = 0; k < 3; ++k ) {
		dbvh_plane_distance level = { 0 };
		level_at( triangle->corner[k], plane, side[0], &level );
		if ( k == 0 || fabs( level.distance ) < fabs( plane_distance_out->distance ) )
			*plane_distance_out = level;
	}
	return DBVH_OK;
}

dbvh_status dbvh_triangle_plane_distance( const dbvh_triangle *triangle, const dbvh_plane *plane,
                                          dbvh_plane_distance *plane_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_triangle_plane_level( triangle, plane, plane_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_plane_side( const dbvh_sphere *sphere, const dbvh_plane *plane,
                                                           int *side_out ) {
	if ( side_out != NULL )
		*side_out = 0;
	const dbvh_status status = dbvhi_check_pair( side_out, dbvhi_check_sphere( sphere ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	const dbvhi_sum radius = dbvhi_sum1( sphere->radius );
	if ( dbvhi_point_plane_compared( sphere->centre, plane, &radius ) > 0 )
		*side_out = dbvhi_point_plane_side( sphere->centre, plane );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_plane_side( const dbvh_sphere *sphere, const dbvh_plane *plane, int *side_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_plane_side( sphere, plane, side_out ) );
}

// A box intersects the plane unless the corners that are lowest and highest along the normal are on one side. `nearest`
// is the one that is nearer to the plane.
static int side_of_aabb( const dbvh_aabb *aabb, const dbvh_plane *plane, double nearest[3] ) {
	double low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		low[k] = plane->normal[k] > 0.0 ? aabb->min[k] : aabb->max[k];
		high[k] = plane->normal[k] > 0.0 ? aabb->max[k] : aabb->min[k];
	}
	const int side = dbvhi_point_plane_side( low, plane ) > 0 ? 1 : dbvhi_point_plane_side( high, plane ) < 0 ? -1 : 0;
	memcpy( nearest, side < 0 ? high : low, sizeof low );
	return side;
}

static DBVHI_NOINLINE_FP dbvh_status do_aabb_plane_side( const dbvh_aabb *aabb, const dbvh_plane *plane,
                                                         int *side_out ) {
	if ( side_out != NULL )
		*side_out = 0;
	const dbvh_status status = dbvhi_check_pair( side_out, dbvhi_check_aabb( aabb ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	double nearest[3];
	*side_out = side_of_aabb( aabb, plane, nearest );
	return DBVH_OK;
}

dbvh_status dbvh_aabb_plane_side( const dbvh_aabb *aabb, const dbvh_plane *plane, int *side_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_aabb_plane_side( aabb, plane, side_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_aabb_plane_level( const dbvh_aabb *aabb, const dbvh_plane *plane,
                                                          dbvh_plane_distance *plane_distance_out ) {
	if ( plane_distance_out != NULL )
		memset( plane_distance_out, 0, sizeof *plane_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( plane_distance_out, dbvhi_check_aabb( aabb ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	double nearest[3];
	const int side = side_of_aabb( aabb, plane, nearest );
	level_at( nearest, plane, side, plane_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_aabb_plane_distance( const dbvh_aabb *aabb, const dbvh_plane *plane,
                                      dbvh_plane_distance *plane_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_aabb_plane_level( aabb, plane, plane_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_obb_plane_level( const dbvh_obb *obb, const dbvh_plane *plane,
                                                         dbvh_plane_distance *plane_distance_out ) {
	if ( plane_distance_out != NULL )
		memset( plane_distance_out, 0, sizeof *plane_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( plane_distance_out, dbvhi_check_obb( obb ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	plane_distance_out->side = dbvhi_obb_plane_side( obb, plane );
	if ( plane_distance_out->side == 0 )
		return DBVH_OK;
	double normal[3] = { 0.0, 0.0, 0.0 }, reach = 0.0;
	dbvhi_unit( plane->normal, normal );
	for ( int i = 0; i < 3; ++i ) {
		const double *a = obb->axis[i];
		reach += obb->half[i] * fabs( a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2] );
	}
	const pair p = { NULL, obb, plane };
	const double guess = fabs( height_of( obb->centre, plane ) ) - reach;
	const double distance = dbvhi_distance_of( compare_plane, &p, 0.0, 0.0, guess );
	plane_distance_out->distance = plane_distance_out->side > 0 ? distance : -distance;
	return DBVH_OK;
}

dbvh_status dbvh_obb_plane_distance( const dbvh_obb *obb, const dbvh_plane *plane,
                                     dbvh_plane_distance *plane_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_obb_plane_level( obb, plane, plane_distance_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_plane_gap( const dbvh_sphere *sphere, const dbvh_plane *plane,
                                                          dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( signed_distance_out, dbvhi_check_sphere( sphere ), dbvhi_check_plane( plane ) );
	if ( status != DBVH_OK )
		return status;
	const pair p = { sphere->centre, NULL, plane };
	const dbvhi_sum radius = dbvhi_sum1( sphere->radius );
	const int meeting = compare_plane( &p, &radius ), side = dbvhi_point_plane_side( sphere->centre, plane );
	const double height = fabs( height_of( sphere->centre, plane ) );
	if ( meeting > 0 )
		signed_distance_out->distance =
		    dbvhi_distance_of( compare_plane, &p, sphere->radius, 0.0, height - sphere->radius );
	else if ( meeting < 0 )
		signed_distance_out->depth = dbvhi_depth_of( compare_plane, &p, sphere->radius, sphere->radius - height );
	dbvhi_unit( plane->normal, signed_distance_out->normal );
	for ( int k = 0; k < 3; ++k ) {
		if ( side >= 0 )
			signed_distance_out->normal[k] = -signed_distance_out->normal[k];
		signed_distance_out->point_a[k] = sphere->centre[k] + signed_distance_out->normal[k] * sphere->radius;
		signed_distance_out->point_b[k] = sphere->centre[k] + signed_distance_out->normal[k] * height;
	}
	return DBVH_OK;
}

dbvh_status dbvh_sphere_plane_signed_distance( const dbvh_sphere *sphere, const dbvh_plane *plane,
                                               dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_plane_gap( sphere, plane, signed_distance_out ) );
}
