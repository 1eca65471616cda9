// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The public functions of ellipsoid.h: arguments are checked here and nowhere below.

#include "primitive/ellipsoid/ellipsoid.h"

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

dbvhi_ellipsoid_test *const dbvhi_ellipsoid_tests[DBVH_ELLIPSOID_METHOD_COUNT] = {
    [DBVH_ELLIPSOID_METHOD_DESCENT] = dbvhi_ellipsoid_descent,
    [DBVH_ELLIPSOID_METHOD_BRUTE_FORCE] = dbvhi_ellipsoid_brute_force,
    [DBVH_ELLIPSOID_METHOD_FACE_DISTANCE] = dbvhi_ellipsoid_face_distance,
    [DBVH_ELLIPSOID_METHOD_FACE_SELECT] = dbvhi_ellipsoid_face_select,
    [DBVH_ELLIPSOID_METHOD_QUICK_REJECTION] = dbvhi_ellipsoid_quick_rejection,
    [DBVH_ELLIPSOID_METHOD_ALL_FEATURES] = dbvhi_ellipsoid_all_features,
    [DBVH_ELLIPSOID_METHOD_CLOSEST_FEATURES] = dbvhi_ellipsoid_closest_features,
    [DBVH_ELLIPSOID_METHOD_MINKOWSKI] = dbvhi_ellipsoid_minkowski,
};

static double deviation( const double axes[3][3] ) {
	double worst = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec row = dbvhi_along( axes, dbvhi_axis( axes, i ) );
		for ( int j = 0; j < 3; ++j )
			worst = fmax( worst, fabs( row.v[j] - ( i == j ? 1.0 : 0.0 ) ) );
	}
	return worst;
}

// Both kinds of volume have the same members.
dbvh_status dbvhi_volume_check( const double centre[3], const double axes[3][3], const double half[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		if ( !isfinite( centre[i] ) || !isfinite( half[i] ) || !isfinite( axes[i][0] ) || !isfinite( axes[i][1] ) ||
		     !isfinite( axes[i][2] ) )
			return DBVH_NOT_FINITE;
	}
	for ( int i = 0; i < 3; ++i ) {
		if ( !( half[i] > 0.0 ) )
			return DBVH_INVALID_ARGUMENT;
	}
	for ( int i = 0; i < 3; ++i ) {
		if ( half[i] < 0x1p-120 || half[i] > 0x1p120 || fabs( centre[i] ) > 0x1p120 )
			return DBVH_LIMIT;
	}
	return deviation( axes ) <= 0x1p-30 ? DBVH_OK : DBVH_NOT_RIGID;
}

dbvh_status dbvhi_volume_blame( dbvh_status status, const char *name, size_t index, dbvh_error *error ) {
	const char *why = status == DBVH_NOT_FINITE  ? "a number is NaN or infinite"
	                  : status == DBVH_NOT_RIGID ? "the axes are off orthonormal by more than 2^-30"
	                  : status == DBVH_LIMIT ? "a half length is outside 2^-120 to 2^120, or the centre beyond 2^120"
	                                         : "a half length is not above 0";
	if ( index == SIZE_MAX )
		return dbvhi_error_set( error, status, "%s: %s", name, why );
	return dbvhi_error_set( error, status, "%s[%zu]: %s", name, index, why );
}

static dbvh_status repair( double half[3] ) {
	if ( !isfinite( half[0] ) || !isfinite( half[1] ) || !isfinite( half[2] ) )
		return DBVH_NOT_FINITE;
	const double longest = fmax( fmax( half[0], half[1] ), half[2] );
	if ( !( longest > 0.0 ) )
		return DBVH_INVALID_ARGUMENT;
	for ( int k = 0; k < 3; ++k )
		half[k] = fmax( half[k], DBVHI_THINNEST * longest );
	return DBVH_OK;
}

static DBVHI_BEHIND dbvh_status do_ellipsoid_repair( dbvh_ellipsoid *ellipsoid ) {
	return ellipsoid != NULL ? repair( ellipsoid->half ) : DBVH_INVALID_ARGUMENT;
}

dbvh_status dbvh_ellipsoid_repair( dbvh_ellipsoid *ellipsoid ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_repair( ellipsoid ) );
}

static DBVHI_BEHIND dbvh_status do_obb_repair( dbvh_obb *box ) {
	return box != NULL ? repair( box->half ) : DBVH_INVALID_ARGUMENT;
}

dbvh_status dbvh_obb_repair( dbvh_obb *box ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_obb_repair( box ) );
}

static DBVHI_BEHIND double do_ellipsoid_margin( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box ) {
	if ( ellipsoid == NULL || box == NULL )
		return NAN;
	const double off = fmax( deviation( ellipsoid->axis ), deviation( box->axis ) );
	const double reach = dbvhi_length( dbvhi_offset( ellipsoid, box ) ) + ellipsoid->half[0] + ellipsoid->half[1] +
	                     ellipsoid->half[2] + box->half[0] + box->half[1] + box->half[2];
	return ( 0x1p-47 + 8.0 * off ) * reach / fmin( fmin( ellipsoid->half[0], ellipsoid->half[1] ), ellipsoid->half[2] );
}

double dbvh_ellipsoid_margin( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box ) {
	DBVHI_IN_DEFAULT_FPENV( double, do_ellipsoid_margin( ellipsoid, box ) );
}

static DBVHI_BEHIND dbvh_status do_ellipsoid_meets_obb( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box,
                                                        dbvh_ellipsoid_method method, bool *intersect_out ) {
	if ( ellipsoid == NULL || box == NULL || intersect_out == NULL || (unsigned)method >= DBVH_ELLIPSOID_METHOD_COUNT )
		return DBVH_INVALID_ARGUMENT;
	dbvh_status status = dbvhi_volume_check( ellipsoid->centre, ellipsoid->axis, ellipsoid->half );
	if ( status == DBVH_OK )
		status = dbvhi_volume_check( box->centre, box->axis, box->half );
	*intersect_out = status == DBVH_OK && dbvhi_ellipsoid_tests[method]( ellipsoid, box );
	return status;
}

dbvh_status dbvh_ellipsoid_obb_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box,
                                          dbvh_ellipsoid_method method, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_meets_obb( ellipsoid, box, method, intersect_out ) );
}

static DBVHI_BEHIND dbvh_status do_ellipsoids_meet( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b,
                                                    bool *intersect_out ) {
	if ( a == NULL || b == NULL || intersect_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	dbvh_status status = dbvhi_volume_check( a->centre, a->axis, a->half );
	if ( status == DBVH_OK )
		status = dbvhi_volume_check( b->centre, b->axis, b->half );
	*intersect_out = status == DBVH_OK && dbvhi_ellipsoids_intersect( a, b );
	return status;
}

dbvh_status dbvh_ellipsoid_ellipsoid_intersect( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b,
                                                bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoids_meet( a, b, intersect_out ) );
}

static DBVHI_BEHIND dbvh_status do_ellipsoid_meets_sphere( const dbvh_ellipsoid *ellipsoid, const dbvh_sphere *sphere,
                                                           bool *intersect_out ) {
	if ( ellipsoid == NULL || sphere == NULL || intersect_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	const double half[3] = { sphere->radius, sphere->radius, sphere->radius };
	dbvh_status status = dbvhi_volume_check( ellipsoid->centre, ellipsoid->axis, ellipsoid->half );
	if ( status == DBVH_OK )
		status = dbvhi_volume_check( sphere->centre, axes, half );
	const dbvhi_vec centre = { { sphere->centre[0], sphere->centre[1], sphere->centre[2] } };
	*intersect_out = status == DBVH_OK && dbvhi_ellipsoid_intersects_sphere( ellipsoid, centre, sphere->radius );
	return status;
}

dbvh_status dbvh_ellipsoid_sphere_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_sphere *sphere,
                                             bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_meets_sphere( ellipsoid, sphere, intersect_out ) );
}

static DBVHI_BEHIND dbvh_status do_ellipsoid_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                                  dbvh_ellipsoid *ellipsoid_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( points == NULL || ellipsoid_out == NULL )
		return dbvhi_error_null( error, points == NULL ? "points" : "ellipsoid_out" );
	memset( ellipsoid_out, 0, sizeof *ellipsoid_out );
	if ( count == 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "count is 0: there are no points" );
	double largest = 0.0;
	for ( size_t i = 0; i < count; ++i ) {
		for ( size_t k = 0; k < 3; ++k ) {
			if ( !isfinite( points[3 * i + k] ) ) {
				if ( error != NULL )
					error->element = (int64_t)i;
				return dbvhi_error_set( error, DBVH_NOT_FINITE, "point %zu has a coordinate that is NaN or infinite",
				                        i );
			}
			largest = fmax( largest, fabs( points[3 * i + k] ) );
		}
	}
	if ( largest > 0.0 && ( largest < 0x1p-50 || largest > 0x1p110 ) )
		return dbvhi_error_set( error, DBVH_LIMIT,
		                        "the largest coordinate is %.9g; its size must be 0 or between 2^-50 and 2^110",
		                        largest );
	dbvh_allocator a;
	const dbvh_status taken = dbvhi_allocator_take( allocator, &a, error );
	if ( taken != DBVH_OK )
		return taken;
	if ( count > SIZE_MAX / 6 )
		return DBVH_OUT_OF_MEMORY;
	double *room = dbvhi_alloc( &a, 6 * count, sizeof( double ) );
	if ( room == NULL )
		return DBVH_OUT_OF_MEMORY;
	// By a power of two to near 1.
	int exponent = 0;
	frexp( largest > 0.0 ? largest : 1.0, &exponent );
	const double down = ldexp( 1.0, -exponent ), up = ldexp( 1.0, exponent );
	for ( size_t i = 0; i < count; ++i ) {
		for ( size_t k = 0; k < 3; ++k )
			room[k * count + i] = points[3 * i + k] * down;
	}
	const dbvhi_point_set set = { room, room + count, room + 2 * count, count };
	*ellipsoid_out = dbvhi_ellipsoid_least( set, 0x1p-60, 0.0, room + 3 * count );
	for ( int k = 0; k < 3; ++k ) {
		ellipsoid_out->centre[k] *= up;
		ellipsoid_out->half[k] *= up;
	}
	dbvhi_free( &a, room, 6 * count, sizeof( double ) );
	return DBVH_OK;
}

dbvh_status dbvh_ellipsoid_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                dbvh_ellipsoid *ellipsoid_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_ellipsoid_fit( points, count, allocator, ellipsoid_out, error ) ) );
}
