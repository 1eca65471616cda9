// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Everything against a plane.

#include "base/fpenv.h"
#include "base/status.h"
#include "primitive/pair.h"
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
	DBVHI_TRY( dbvhi_check_pair( plane_distance_out, dbvhi_check_point( point ), dbvhi_check_plane( plane ) ) );
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

DBVHI_PRIMITIVE( sphere_plane_distance, sphere, plane, dbvh_plane_distance ) {
	ball_level( a->centre, a->radius, b, out );
}

DBVHI_PRIMITIVE( capsule_plane_distance, capsule, plane, dbvh_plane_distance ) {
	dbvh_plane_distance from = { 0 }, to = { 0 };
	ball_level( a->from, a->radius, b, &from );
	ball_level( a->to, a->radius, b, &to );
	if ( from.side == to.side )
		*out = fabs( from.distance ) < fabs( to.distance ) ? from : to;
}

DBVHI_PRIMITIVE( triangle_plane_distance, triangle, plane, dbvh_plane_distance ) {
	int side[3];
	for ( int k = 0; k < 3; ++k )
		side[k] = dbvhi_point_plane_side( a->corner[k], b );
	if ( side[0] == 0 || side[0] != side[1] || side[0] != side[2] )
		return;
	for ( int k = 0; k < 3; ++k ) {
		dbvh_plane_distance level = { 0 };
		level_at( a->corner[k], b, side[0], &level );
		if ( k == 0 || fabs( level.distance ) < fabs( out->distance ) )
			*out = level;
	}
}

DBVHI_PRIMITIVE( sphere_plane_side, sphere, plane, int ) {
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	if ( dbvhi_point_plane_compared( a->centre, b, &radius ) > 0 )
		*out = dbvhi_point_plane_side( a->centre, b );
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

DBVHI_PRIMITIVE( aabb_plane_side, aabb, plane, int ) {
	double nearest[3];
	*out = side_of_aabb( a, b, nearest );
}

DBVHI_PRIMITIVE( aabb_plane_distance, aabb, plane, dbvh_plane_distance ) {
	double nearest[3];
	const int side = side_of_aabb( a, b, nearest );
	level_at( nearest, b, side, out );
}

DBVHI_PRIMITIVE( obb_plane_distance, obb, plane, dbvh_plane_distance ) {
	out->side = dbvhi_obb_plane_side( a, b );
	if ( out->side == 0 )
		return;
	double normal[3] = { 0.0, 0.0, 0.0 }, reach = 0.0;
	dbvhi_unit( b->normal, normal );
	for ( int i = 0; i < 3; ++i ) {
		const double *x = a->axis[i];
		reach += a->half[i] * fabs( x[0] * normal[0] + x[1] * normal[1] + x[2] * normal[2] );
	}
	const pair p = { NULL, a, b };
	const double guess = fabs( height_of( a->centre, b ) ) - reach;
	const double distance = dbvhi_distance_of( compare_plane, &p, 0.0, 0.0, guess );
	out->distance = out->side > 0 ? distance : -distance;
}

DBVHI_PRIMITIVE( sphere_plane_signed_distance, sphere, plane, dbvh_signed_distance ) {
	const pair p = { a->centre, NULL, b };
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	const int meeting = compare_plane( &p, &radius ), side = dbvhi_point_plane_side( a->centre, b );
	const double height = fabs( height_of( a->centre, b ) );
	if ( meeting > 0 )
		out->distance = dbvhi_distance_of( compare_plane, &p, a->radius, 0.0, height - a->radius );
	else if ( meeting < 0 )
		out->depth = dbvhi_depth_of( compare_plane, &p, a->radius, a->radius - height );
	dbvhi_unit( b->normal, out->normal );
	for ( int k = 0; k < 3; ++k ) {
		if ( side >= 0 )
			out->normal[k] = -out->normal[k];
		out->point_a[k] = a->centre[k] + out->normal[k] * a->radius;
		out->point_b[k] = a->centre[k] + out->normal[k] * height;
	}
}
