// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/fit/points.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>

// The largest magnitude of a coordinate. NOT_FINITE with the first point that has none.
static dbvh_status find_largest( const double *points, size_t count, double *largest_out, dbvh_error *error ) {
	double largest = 0.0;
	for ( size_t i = 0; i < count; ++i )
		for ( size_t k = 0; k < 3; ++k ) {
			if ( !isfinite( points[3 * i + k] ) ) {
				if ( error != NULL )
					error->element = (int64_t)i;
				return dbvhi_error_set( error, DBVH_NOT_FINITE, "point %zu has a coordinate that is NaN or infinite",
				                        i );
			}
			largest = fmax( largest, fabs( points[3 * i + k] ) );
		}
	*largest_out = largest;
	if ( largest > 0.0 && ( largest < 0x1p-50 || largest > 0x1p110 ) )
		return dbvhi_error_set( error, DBVH_LIMIT,
		                        "the largest coordinate is %.9g; its size must be 0 or between 2^-50 and 2^110",
		                        largest );
	return DBVH_OK;
}

dbvh_status dbvhi_points_take( const double *points, size_t count, size_t extra, const dbvh_allocator *allocator,
                               dbvhi_taken_points *out, dbvh_error *error ) {
	*out = ( dbvhi_taken_points ){ .unit = 1.0 };
	if ( points == NULL )
		return dbvhi_error_null( error, "points" );
	if ( count == 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "count is 0: there are no points" );
	double largest = 0.0;
	DBVHI_TRY( find_largest( points, count, &largest, error ) );
	DBVHI_TRY( dbvhi_allocator_take( allocator, &out->allocator, error ) );
	if ( count > SIZE_MAX / ( 3 + extra ) )
		return DBVH_OUT_OF_MEMORY;
	out->room_count = ( 3 + extra ) * count;
	out->room = dbvhi_alloc( &out->allocator, out->room_count, sizeof( double ) );
	if ( out->room == NULL )
		return DBVH_OUT_OF_MEMORY;
	int exponent = 0;
	frexp( largest > 0.0 ? largest : 1.0, &exponent );
	out->unit = ldexp( 1.0, exponent );
	const double down = ldexp( 1.0, -exponent );
	for ( size_t i = 0; i < count; ++i )
		for ( size_t k = 0; k < 3; ++k )
			out->room[k * count + i] = points[3 * i + k] * down;
	out->set = ( dbvhi_point_set ){ out->room, out->room + count, out->room + 2 * count, count };
	out->extra = out->room + 3 * count;
	return DBVH_OK;
}

void dbvhi_points_give_back( dbvhi_taken_points *taken ) {
	dbvhi_free( &taken->allocator, taken->room, taken->room_count, sizeof( double ) );
}
