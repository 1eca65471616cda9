// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The penetration depth of the convex hulls of two sets of points.

#pragma once

#include "base/budget.h"
#include "dualbvh/base.h"
#include "dualbvh/interval.h"

#include <stddef.h>

typedef struct dbvhi_hull_points {
	const double *at[2]; // three doubles a point, of the fixed and the moved set
	size_t count[2];
	double size;  // bounds every coordinate
	double error; // bounds what each coordinate is off
} dbvhi_hull_points;

typedef struct dbvhi_hull_depth {
	dbvh_interval depth; // the width of both along `direction` is at most the upper end
	double direction[3]; // direction of the moved set, of length 1, rounded
} dbvhi_hull_depth;

// Bound the depth of both hulls to a width relative to the upper end, or until `most` directions have been measured. A
// depth below the errors of points is [0, upper]. Errors: OUT_OF_MEMORY.
dbvh_status dbvhi_hull_depth_find( const dbvhi_hull_points *points, double relative_width, size_t most,
                                   const dbvh_allocator *allocator, dbvhi_meter *meter, dbvhi_hull_depth *out );
