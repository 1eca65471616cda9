// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The public functions of fit.h.

#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/fit.h"
#include "primitive/fit/box_fit.h"
#include "primitive/fit/sphere_fit.h"

#include <math.h>
#include <string.h>

// Coordinates are below 1 in the unit of the fits.
#define ROUNDING 0x1p-48

static DBVHI_NOINLINE_FP dbvh_status do_sphere_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                                    dbvh_sphere *sphere_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( sphere_out, sizeof *sphere_out, "sphere_out", error ) );
	dbvhi_taken_points taken;
	DBVHI_TRY( dbvhi_points_take( points, count, 0, allocator, &taken, error ) );
	const dbvhi_sphere sphere = dbvhi_sphere_smallest( taken.set );
	for ( int k = 0; k < 3; ++k )
		sphere_out->centre[k] = sphere.centre.v[k] * taken.unit;
	sphere_out->radius = sphere.radius * taken.unit;
	dbvhi_points_give_back( &taken );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                             dbvh_sphere *sphere_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_sphere_fit( points, count, allocator, sphere_out, error ) ) );
}

// The axes of the covariance of points.
static dbvhi_mat principal_axes( dbvhi_point_set points ) {
	double mean[3] = { 0 }, covariance[6] = { 0 };
	for ( size_t i = 0; i < points.count; ++i ) {
		mean[0] += points.x[i];
		mean[1] += points.y[i];
		mean[2] += points.z[i];
	}
	for ( int k = 0; k < 3; ++k )
		mean[k] /= (double)points.count;
	for ( size_t i = 0; i < points.count; ++i ) {
		const double d[3] = { points.x[i] - mean[0], points.y[i] - mean[1], points.z[i] - mean[2] };
		for ( int k = 0; k < 3; ++k ) {
			covariance[k] += d[k] * d[k];
			covariance[3 + k] += d[k] * d[( k + 1 ) % 3];
		}
	}
	return dbvhi_eigenvectors( covariance, 0x1p-50, NULL );
}

static dbvhi_mat tight_axes( dbvhi_point_set points ) {
	dbvhi_mat axes = principal_axes( points );
	double few[3][DBVHI_EXTREMAL_POINTS];
	if ( points.count > DBVHI_EXTREMAL_POINTS ) {
		const size_t count = dbvhi_extremal_points( &axes, points, few );
		points = ( dbvhi_point_set ){ few[0], few[1], few[2], count };
	}
	dbvhi_axes_refine( &axes, points );
	return dbvhi_frame_from( ( dbvhi_vec ){ { axes.m[0][0], axes.m[1][0], axes.m[2][0] } },
	                         ( dbvhi_vec ){ { axes.m[0][1], axes.m[1][1], axes.m[2][1] } } );
}

// A projection loses three products, their sum and a difference of coordinates up to 1, and so does the centre; half
// extents are larger by ROUNDING, some ten times that.
static DBVHI_NOINLINE_FP dbvh_status do_obb_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                                 dbvh_obb *box_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( box_out, sizeof *box_out, "box_out", error ) );
	dbvhi_taken_points taken;
	DBVHI_TRY( dbvhi_points_take( points, count, 0, allocator, &taken, error ) );
	const dbvhi_mat axes = tight_axes( taken.set );
	const dbvhi_box box = dbvhi_box_along( &axes, taken.set );
	for ( int k = 0; k < 3; ++k ) {
		box_out->centre[k] = box.centre.v[k] * taken.unit;
		box_out->half[k] = ( box.half.v[k] + ROUNDING ) * taken.unit;
		for ( int c = 0; c < 3; ++c )
			box_out->axis[k][c] = box.axes.m[c][k];
	}
	dbvhi_points_give_back( &taken );
	return DBVH_OK;
}

dbvh_status dbvh_obb_fit( const double *points, size_t count, const dbvh_allocator *allocator, dbvh_obb *box_out,
                          dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_obb_fit( points, count, allocator, box_out, error ) ) );
}
