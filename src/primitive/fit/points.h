// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The corners of a node's triangles, one array a coordinate, as the fits take them.

#pragma once

#include <stddef.h>

typedef struct dbvhi_point_set {
	const double *x, *y, *z;
	size_t count; // > 0
} dbvhi_point_set;
