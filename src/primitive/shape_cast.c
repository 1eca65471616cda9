// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Spheres and boxes in motion. The first shape moves, in the frame of the second, which stays: its centre is on the
// path a + t ( translation_a - translation_b ).

#include "base/status.h"
#include "primitive/cast.h"
#include "primitive/core.h"
#include "primitive/round.h"

static dbvhi_path end_of( const dbvhi_path *path ) {
	dbvhi_path end = *path;
	end.begin = end.end = 1.0;
	return end;
}

static bool stands_still( const dbvhi_path *path ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( path->ahead[k] != path->behind[k] )
			return false;
	}
	return true;
}

static void step_of( const dbvhi_path *path, dbvhi_dd step[3] ) {
	for ( int k = 0; k < 3; ++k )
		step[k] = dbvhi_dd_sum( path->ahead[k], -path->behind[k] );
}

// Complete the result of a cast that certainly has contact, and whose contact at both ends is known.
static void fill( dbvh_shape_cast_result *sweep, bool at_start, bool at_end, dbvhi_round_question *until,
                  dbvhi_round_question *since, const void *context, double first, double last ) {
	sweep->intersects = true;
	sweep->at_start = at_start;
	sweep->at_end = at_end;
	sweep->enter = at_start ? 0.0 : dbvhi_round_down( until, context, first, 0.0, 1.0 );
	sweep->exit = at_end ? 1.0 : dbvhi_round_up( since, context, last, 0.0, 1.0 );
}

// ------------------------------------------------------------------------------------------------
// Two spheres

typedef struct spheres {
	dbvhi_path path;
	const dbvh_sphere *other;
	dbvhi_sum radii;
} spheres;

static int spheres_until( const void *context, double t ) {
	const spheres *q = context;
	return dbvhi_begins_at_or_after( dbvhi_path_ball_phase( &q->path, q->other->centre, &q->radii, t ) );
}

static int spheres_since( const void *context, double t ) {
	const spheres *q = context;
	return dbvhi_ends_at_or_before( dbvhi_path_ball_phase( &q->path, q->other->centre, &q->radii, t ) );
}

DBVHI_CAST( sphere_sphere, sphere, sphere ) {
	const spheres q = { dbvhi_path_of_cast( a->centre, by_a, by_b ), b, dbvhi_sum2( a->radius, b->radius ) };
	if ( dbvhi_point_path_compared( b->centre, &q.path, &q.radii ) > 0 )
		return;
	dbvhi_dd from[3], step[3];
	double first = 0.0, last = 1.0;
	const bool at_start = dbvhi_points_compared( a->centre, b->centre, &q.radii ) <= 0;
	bool at_end = at_start;
	if ( !stands_still( &q.path ) ) {
		const dbvhi_path end = end_of( &q.path );
		at_end = dbvhi_point_path_compared( b->centre, &end, &q.radii ) <= 0;
		for ( int k = 0; k < 3; ++k )
			from[k] = dbvhi_dd_sum( a->centre[k], -b->centre[k] );
		step_of( &q.path, step );
		dbvhi_ball_times( from, step, a->radius + b->radius, &first, &last );
	}
	fill( out, at_start, at_end, spheres_until, spheres_since, &q, first, last );
}

// ------------------------------------------------------------------------------------------------
// Two boxes

static int slabs_until( const void *context, double t ) {
	return dbvhi_slabs_until( context, t );
}

static int slabs_since( const void *context, double t ) {
	return dbvhi_slabs_since( context, t );
}

DBVHI_CAST( aabb_aabb, aabb, aabb ) {
	// b.min - a.max <= t step <= b.max - a.min
	const dbvhi_slabs slabs = { dbvhi_path_of_cast( a->min, by_a, by_b ), true, b->min, b->max, a->min, a->max, NULL };
	if ( !dbvhi_slabs_met( &slabs ) )
		return;
	double first, last;
	dbvhi_slabs_guess( &slabs, &first, &last );
	fill( out, dbvhi_slabs_during( &slabs, 0.0 ) != 0, dbvhi_slabs_during( &slabs, 1.0 ) != 0, slabs_until, slabs_since,
	      &slabs, first, last );
}

// ------------------------------------------------------------------------------------------------
// A sphere and a plane

typedef struct plane_question {
	dbvhi_path path;
	const dbvh_plane *plane;
	double radius;
} plane_question;

static int plane_until( const void *context, double t ) {
	const plane_question *q = context;
	return dbvhi_begins_at_or_after( dbvhi_path_plane_phase( &q->path, q->plane, q->radius, t ) );
}

static int plane_since( const void *context, double t ) {
	const plane_question *q = context;
	return dbvhi_ends_at_or_before( dbvhi_path_plane_phase( &q->path, q->plane, q->radius, t ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_plane_cast( const dbvh_sphere *a, const double translation_a[3],
                                                           const dbvh_plane *b, dbvh_shape_cast_result *result_out ) {
	if ( result_out != NULL )
		memset( result_out, 0, sizeof *result_out );
	DBVHI_TRY( dbvhi_check_motion( result_out, dbvhi_check_sphere( a ), dbvhi_check_plane( b ), translation_a, NULL ) );
	const plane_question q = { dbvhi_path_of_cast( a->centre, translation_a, NULL ), b, a->radius };
	dbvhi_path start = q.path;
	start.end = 0.0;
	const bool at_start = dbvhi_path_plane_compared( &start, b, a->radius ) <= 0;
	const bool at_end = dbvhi_path_plane_compared( &q.path, b, a->radius ) <= 0;
	// Apart at both ends, they intersect in between if they change sides.
	if ( !at_start && !at_end && dbvhi_path_plane_side( &start, b ) == dbvhi_path_plane_side( &q.path, b ) )
		return DBVH_OK;
	double first = 0.0, last = 1.0;
	if ( !at_start || !at_end )
		dbvhi_plane_times( &q.path, b, a->radius, &first, &last );
	fill( result_out, at_start, at_end, plane_until, plane_since, &q, first, last );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_plane_cast( const dbvh_sphere *a, const double translation_a[3], const dbvh_plane *b,
                                    dbvh_shape_cast_result *result_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_plane_cast( a, translation_a, b, result_out ) );
}
