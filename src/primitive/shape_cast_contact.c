// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The places of two shapes of a cast at a given time, and their contact there: the shapes are moved, each coordinate
// rounded once, and their signed distance is taken.

#include "base/status.h"
#include "exact/number/fma.h"
#include "primitive/cast.h"

// x + time * by, rounded once.
static void move( const double x[3], const double by[3], double time, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = by != NULL ? dbvhi_fma( time, by[k], x[k] ) : x[k];
}

static dbvh_status check_time( const double by[3], double time ) {
	if ( ( by != NULL && !dbvhi_finite3( by ) ) || !isfinite( time ) )
		return DBVH_NOT_FINITE;
	return time >= 0.0 && time <= 1.0 ? DBVH_OK : DBVH_INVALID_ARGUMENT;
}

// Clears *out; what is wrong with the shapes is asked first, as everywhere.
static dbvh_status check( dbvh_shape_cast_contact *out, dbvh_status a, dbvh_status b, const double by_a[3],
                          const double by_b[3], double time ) {
	if ( out != NULL )
		memset( out, 0, sizeof *out );
	const dbvh_status shapes = dbvhi_check_pair( out, a, b );
	return shapes != DBVH_OK ? shapes : dbvhi_check_pair( out, check_time( by_a, time ), check_time( by_b, time ) );
}

static void move_sphere( const dbvh_sphere *s, const double by[3], double time, dbvh_sphere *out, double position[3] ) {
	*out = *s;
	move( s->centre, by, time, out->centre );
	memcpy( position, out->centre, sizeof out->centre );
}

static void move_aabb( const dbvh_aabb *b, const double by[3], double time, dbvh_aabb *out, double position[3] ) {
	move( b->min, by, time, out->min );
	move( b->max, by, time, out->max );
	for ( int k = 0; k < 3; ++k )
		position[k] = 0.5 * out->min[k] + 0.5 * out->max[k];
}

static void move_triangle( const dbvh_triangle *t, const double by[3], double time, dbvh_triangle *out,
                           double position[3] ) {
	for ( int corner = 0; corner < 3; ++corner )
		move( t->corner[corner], by, time, out->corner[corner] );
	memcpy( position, out->corner[0], sizeof out->corner[0] );
}

// Clear the result if it failed: the signed distance refuses shapes that have moved beyond the largest double.
static dbvh_status finish( dbvh_status status, dbvh_shape_cast_contact *out ) {
	if ( status != DBVH_OK )
		memset( out, 0, sizeof *out );
	return status;
}

#define CAST_CONTACT( name, type_a, type_b )                                                                           \
	static DBVHI_NOINLINE_FP dbvh_status do_##name( const dbvh_##type_a *a, const double by_a[3],                      \
	                                                const dbvh_##type_b *b, const double by_b[3], double time,         \
	                                                dbvh_shape_cast_contact *out ) {                                   \
		const dbvh_status status =                                                                                     \
		    check( out, dbvhi_check_##type_a( a ), dbvhi_check_##type_b( b ), by_a, by_b, time );                      \
		if ( status != DBVH_OK )                                                                                       \
			return status;                                                                                             \
		dbvh_##type_a p;                                                                                               \
		dbvh_##type_b q;                                                                                               \
		move_##type_a( a, by_a, time, &p, out->position_a );                                                           \
		move_##type_b( b, by_b, time, &q, out->position_b );                                                           \
		return finish( dbvh_##name##_signed_distance( &p, &q, &out->contact ), out );                                  \
	}                                                                                                                  \
	dbvh_status dbvh_##name##_cast_contact( const dbvh_##type_a *a, const double by_a[3], const dbvh_##type_b *b,      \
	                                        const double by_b[3], double time, dbvh_shape_cast_contact *out ) {        \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name( a, by_a, b, by_b, time, out ) );                               \
	}

CAST_CONTACT( sphere_sphere, sphere, sphere )
CAST_CONTACT( aabb_aabb, aabb, aabb )
CAST_CONTACT( sphere_aabb, sphere, aabb )
CAST_CONTACT( sphere_triangle, sphere, triangle )

static DBVHI_NOINLINE_FP dbvh_status do_sphere_plane( const dbvh_sphere *a, const double by_a[3], const dbvh_plane *b,
                                                      double time, dbvh_shape_cast_contact *out ) {
	DBVHI_TRY( check( out, dbvhi_check_sphere( a ), dbvhi_check_plane( b ), by_a, NULL, time ) );
	dbvh_sphere p;
	move_sphere( a, by_a, time, &p, out->position_a );
	return finish( dbvh_sphere_plane_signed_distance( &p, b, &out->contact ), out );
}

dbvh_status dbvh_sphere_plane_cast_contact( const dbvh_sphere *a, const double translation_a[3], const dbvh_plane *b,
                                            double time, dbvh_shape_cast_contact *contact_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_plane( a, translation_a, b, time, contact_out ) );
}
