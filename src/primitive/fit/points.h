// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Points as the fits take them, one array a coordinate: the corners of a node's triangles, or those of a caller.

#pragma once

#include "dualbvh/base.h"

#include <stddef.h>

typedef struct dbvhi_point_set {
	const double *x, *y, *z;
	size_t count; // > 0
} dbvhi_point_set;

// A caller's points, in a power of two that makes their largest coordinate 1/2 to 1.
typedef struct dbvhi_taken_points {
	dbvhi_point_set set;
	double unit;   // the power of two that coordinates were divided by
	double *extra; // `extra` doubles a point, for whatever
	double *room;
	size_t room_count;
	dbvh_allocator allocator;
} dbvhi_taken_points;

// Checks and copies them. Errors as in fit.h; nothing is to be given back then.
dbvh_status dbvhi_points_take( const double *points, size_t count, size_t extra, const dbvh_allocator *allocator,
                               dbvhi_taken_points *out, dbvh_error *error );

void dbvhi_points_give_back( dbvhi_taken_points *taken );
