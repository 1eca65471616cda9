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

static dbvh_status repair( double half[3], double epsilon ) {
	if ( !isfinite( half[0] ) || !isfinite( half[1] ) || !isfinite( half[2] ) || !isfinite( epsilon ) )
		return DBVH_NOT_FINITE;
	const double longest = fmax( fmax( half[0], half[1] ), half[2] );
	if ( !( longest > 0.0 && epsilon >= 0.0 && epsilon <= 1.0 ) )
		return DBVH_INVALID_ARGUMENT;
	for ( int k = 0; k < 3; ++k )
		half[k] = fmax( half[k], ( epsilon > 0.0 ? epsilon : DBVHI_THINNEST ) * longest );
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_repair( dbvh_ellipsoid *ellipsoid, double epsilon ) {
	return ellipsoid != NULL ? repair( ellipsoid->half, epsilon ) : DBVH_INVALID_ARGUMENT;
}

dbvh_status dbvh_ellipsoid_repair( dbvh_ellipsoid *ellipsoid, double epsilon ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_repair( ellipsoid, epsilon ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_obb_repair( dbvh_obb *box, double epsilon ) {
	return box != NULL ? repair( box->half, epsilon ) : DBVH_INVALID_ARGUMENT;
}

dbvh_status dbvh_obb_repair( dbvh_obb *box, double epsilon ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_obb_repair( box, epsilon ) );
}

static DBVHI_NOINLINE_FP double do_ellipsoid_margin( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box ) {
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

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_meets_obb( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box,
                                                             dbvh_ellipsoid_method method, bool *intersect_out ) {
	if ( ellipsoid == NULL || box == NULL || intersect_out == NULL || (unsigned)method >= DBVH_ELLIPSOID_METHOD_COUNT )
		return DBVH_INVALID_ARGUMENT;
	dbvh_status status = dbvhi_volume_check( ellipsoid->centre, ellipsoid->axis, ellipsoid->half );
	// An axis along which a flat box has no extent passes the check of lengths as 1.
	double half[3];
	bool flat = false;
	for ( int k = 0; k < 3; ++k ) {
		flat = flat || box->half[k] == 0.0;
		half[k] = box->half[k] == 0.0 ? 1.0 : box->half[k];
	}
	if ( status == DBVH_OK )
		status = dbvhi_volume_check( box->centre, box->axis, half );
	*intersect_out = status == DBVH_OK && ( flat ? dbvhi_ellipsoid_meets_flat( ellipsoid, box )
	                                             : dbvhi_ellipsoid_tests[method]( ellipsoid, box ) );
	return status;
}

dbvh_status dbvh_ellipsoid_obb_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box,
                                          dbvh_ellipsoid_method method, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_meets_obb( ellipsoid, box, method, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoids_meet( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b,
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

static bool is_point( const double point[3] ) {
	return isfinite( point[0] ) && isfinite( point[1] ) && isfinite( point[2] );
}

static bool is_near( const double point[3] ) {
	return fabs( point[0] ) <= 0x1p120 && fabs( point[1] ) <= 0x1p120 && fabs( point[2] ) <= 0x1p120;
}

// The point in coordinates that make the ellipsoid the unit ball about the origin.
static dbvhi_vec in_ball( const dbvh_ellipsoid *e, const double point[3] ) {
	const dbvhi_vec d = { { point[0] - e->centre[0], point[1] - e->centre[1], point[2] - e->centre[2] } };
	return dbvhi_times( dbvhi_inverse_half( e ), dbvhi_along( e->axis, d ) );
}

// A segment, or a point where both ends are the same.
static dbvh_status meets_segment( const dbvh_ellipsoid *ellipsoid, const double start[3], const double end[3],
                                  bool *intersect_out ) {
	*intersect_out = false;
	DBVHI_TRY( dbvhi_volume_check( ellipsoid->centre, ellipsoid->axis, ellipsoid->half ) );
	if ( !( is_point( start ) && is_point( end ) ) )
		return DBVH_NOT_FINITE;
	if ( !( is_near( start ) && is_near( end ) ) )
		return DBVH_LIMIT;
	const dbvhi_vec p = in_ball( ellipsoid, start ), q = in_ball( ellipsoid, end );
	const dbvhi_vec middle = dbvhi_scale( 0.5, dbvhi_add( p, q ) ), reach = dbvhi_scale( 0.5, dbvhi_sub( q, p ) );
	*intersect_out = dbvhi_dot( p, p ) <= 1.0 || dbvhi_dot( q, q ) <= 1.0 ||
	                 dbvhi_segment_near( middle, reach, dbvhi_dot( reach, reach ) );
	return DBVH_OK;
}

static dbvh_status meets_point( const dbvh_ellipsoid *ellipsoid, const double point[3], bool *intersect_out ) {
	return meets_segment( ellipsoid, point, point, intersect_out );
}

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_meets_segment( const dbvh_ellipsoid *ellipsoid, const double start[3],
                                                                 const double end[3], bool *intersect_out ) {
	if ( ellipsoid == NULL || start == NULL || end == NULL || intersect_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	return meets_segment( ellipsoid, start, end, intersect_out );
}

dbvh_status dbvh_ellipsoid_segment_intersect( const dbvh_ellipsoid *ellipsoid, const double start[3],
                                              const double end[3], bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_meets_segment( ellipsoid, start, end, intersect_out ) );
}

dbvh_status dbvh_ellipsoid_point_intersect( const dbvh_ellipsoid *ellipsoid, const double point[3],
                                            bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_ellipsoid_meets_segment( ellipsoid, point, point, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_meets_sphere( const dbvh_ellipsoid *ellipsoid,
                                                                const dbvh_sphere *sphere, bool *intersect_out ) {
	if ( ellipsoid == NULL || sphere == NULL || intersect_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	if ( sphere->radius == 0.0 )
		return meets_point( ellipsoid, sphere->centre, intersect_out );
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

static DBVHI_NOINLINE_FP dbvh_status do_ellipsoid_fit( const double *points, size_t count,
                                                       const dbvh_allocator *allocator, dbvh_ellipsoid *ellipsoid_out,
                                                       dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( ellipsoid_out, sizeof *ellipsoid_out, "ellipsoid_out", error ) );
	dbvhi_taken_points taken;
	DBVHI_TRY( dbvhi_points_take( points, count, 3, allocator, &taken, error ) );
	*ellipsoid_out = dbvhi_ellipsoid_least( taken.set, 0x1p-60, 0.0, taken.extra );
	for ( int k = 0; k < 3; ++k ) {
		ellipsoid_out->centre[k] *= taken.unit;
		ellipsoid_out->half[k] *= taken.unit;
	}
	dbvhi_points_give_back( &taken );
	return DBVH_OK;
}

dbvh_status dbvh_ellipsoid_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                dbvh_ellipsoid *ellipsoid_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_ellipsoid_fit( points, count, allocator, ellipsoid_out, error ) ) );
}
