// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Structures of arrays as columns, for batch_intersect.c and batch_measure.c.

#pragma once

#include "base/assert.h"
#include "base/status.h"
#include "primitive/batch/kernel.h"
#include "primitive/check.h"

#include <string.h>

enum { MOST_COLUMNS = 15 };

typedef struct columns {
	const double *column[MOST_COLUMNS];
	int width;
	size_t count;
	dbvh_status ( *check )( const double *shape ); // checks one shape, in the order of gather()
	const char *rule;                              // complaint about a shape whose numbers are finite
} columns;

static inline void put( columns *out, const double *const *list, int count ) {
	DBVHI_ASSERT( out->width + count <= MOST_COLUMNS );
	for ( int k = 0; k < count; ++k )
		out->column[out->width++] = list[k];
}

// The shape of element i, as its struct has it: doubles in the order of the columns.
static inline void gather( const columns *from, size_t i, double *out ) {
	DBVHI_ASSERT( from->count == 1 || i < from->count );
	const size_t at = from->count == 1 ? 0 : i;
	for ( int k = 0; k < from->width; ++k )
		out[k] = from->column[k][at];
}

// The columns of a shape that stands for all: each number once a lane, so that kernels need no loop of their own for
// it.
typedef struct wide_columns {
	const double *column[MOST_COLUMNS];
	double lanes[MOST_COLUMNS][DBVHI_MOST_LANES];
} wide_columns;

// The columns that a kernel takes.
static inline const double *const *lane_columns( const double *const *from, int width, bool is_one,
                                                 wide_columns *room ) {
	DBVHI_ASSERT( width <= MOST_COLUMNS );
	if ( !is_one )
		return from;
	for ( int k = 0; k < width; ++k ) {
		for ( int i = 0; i < DBVHI_MOST_LANES; ++i )
			room->lanes[k][i] = from[k][0];
		room->column[k] = room->lanes[k];
	}
	return room->column;
}

// Check the arguments of a batch of either kind and count its pairs: *count_out is 0 if there is nothing to do.
static inline dbvh_status check_columns( const columns *a, const columns *b, const void *out, dbvh_error *error,
                                         size_t *count_out ) {
	const size_t count = a->count == 1 ? b->count : a->count;
	*count_out = 0;
	if ( a->count != b->count && a->count != 1 && b->count != 1 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "a.count is %zu and b.count is %zu, and neither is 1",
		                        a->count, b->count );
	if ( count == 0 )
		return DBVH_OK;
	bool missing = out == NULL;
	for ( int k = 0; k < a->width; ++k )
		missing = missing || a->column[k] == NULL;
	for ( int k = 0; k < b->width; ++k )
		missing = missing || b->column[k] == NULL;
	if ( missing )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        out == NULL ? "the array of answers is NULL" : "an array of a or b is NULL" );
	*count_out = count;
	return DBVH_OK;
}

// The sentence for pair i, which was refused with `status`: which of its shapes is to blame, and why. Returns `status`.
static inline dbvh_status blame_pair( const columns *a, const columns *b, size_t i, dbvh_status status,
                                      dbvh_error *error ) {
	if ( error == NULL )
		return status;
	error->element = (int64_t)i;
	const columns *const both[] = { a, b };
	for ( int k = 0; k < 2; ++k ) {
		double shape[MOST_COLUMNS];
		gather( both[k], i, shape );
		if ( both[k]->check( shape ) == status )
			return dbvhi_error_set( error, status, "%s[%zu]: %s", k == 0 ? "a" : "b", both[k]->count == 1 ? 0 : i,
			                        status == DBVH_NOT_FINITE ? "a number is NaN or infinite"
			                        : status == DBVH_NOT_RIGID
			                            ? "the axes are too far from unit vectors at right angles"
			                            : both[k]->rule );
	}
	return dbvhi_error_set( error, status, "pair %zu: %s", i, dbvh_status_text( status ) );
}

// ------------------------------------------------------------------------------------------------
// Columns in the order of the doubles in the structs

#define CHECK_NUMBERS( type )                                                                                          \
	static inline dbvh_status check_numbers_##type( const double *numbers ) {                                          \
		dbvh_##type shape;                                                                                             \
		memcpy( &shape, numbers, sizeof shape );                                                                       \
		return dbvhi_check_##type( &shape );                                                                           \
	}
CHECK_NUMBERS( sphere )
CHECK_NUMBERS( aabb )
CHECK_NUMBERS( obb )
CHECK_NUMBERS( capsule )
CHECK_NUMBERS( segment )
CHECK_NUMBERS( plane )
CHECK_NUMBERS( triangle )
CHECK_NUMBERS( ray )

static inline columns of_sphere( const dbvh_sphere_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_sphere, .rule = "the radius is negative" };
	put( &out, x->centre, 3 );
	put( &out, &x->radius, 1 );
	return out;
}

static inline columns of_aabb( const dbvh_aabb_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_aabb, .rule = "min is above max" };
	put( &out, x->min, 3 );
	put( &out, x->max, 3 );
	return out;
}

static inline columns of_obb( const dbvh_obb_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_obb, .rule = "half is negative" };
	put( &out, x->centre, 3 );
	for ( int k = 0; k < 3; ++k )
		put( &out, x->axis[k], 3 );
	put( &out, x->half, 3 );
	return out;
}

static inline columns of_capsule( const dbvh_capsule_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_capsule, .rule = "the radius is negative" };
	put( &out, x->from, 3 );
	put( &out, x->to, 3 );
	put( &out, &x->radius, 1 );
	return out;
}

static inline columns of_segment( const dbvh_segment_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_segment, .rule = "" };
	put( &out, x->from, 3 );
	put( &out, x->to, 3 );
	return out;
}

static inline columns of_plane( const dbvh_plane_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_plane, .rule = "the normal is zero" };
	put( &out, x->normal, 3 );
	put( &out, &x->offset, 1 );
	return out;
}

static inline columns of_triangle( const dbvh_triangle_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_triangle, .rule = "" };
	for ( int k = 0; k < 3; ++k )
		put( &out, x->corner[k], 3 );
	return out;
}

static inline columns of_ray( const dbvh_ray_array *x ) {
	columns out = { .count = x->count, .check = check_numbers_ray, .rule = "" };
	put( &out, x->from, 3 );
	put( &out, x->direction, 3 );
	return out;
}
