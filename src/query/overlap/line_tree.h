// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A tree over the segments that lie in one triangle, to find those that may cross each of them.
//
// Its volumes are octagons in the plane of the triangle. They are turned so that most segments, where these are
// parallel or at right angles, run along two of their sides: long thin triangles that cross a large one side by side
// have octagons that are disjoint, as boxes along fixed axes would not be.

#pragma once

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DBVHI_LINE_AXES 4

// A segment: its ends and by what each coordinate of these may be off.
typedef struct dbvhi_tree_line {
	double end[2][3];
	double error;
	uint32_t number; // whatever the caller knows it by
} dbvhi_tree_line;

// The extent along each axis.
typedef struct dbvhi_octagon {
	double low[DBVHI_LINE_AXES], high[DBVHI_LINE_AXES];
} dbvhi_octagon;

typedef struct dbvhi_line_tree {
	dbvhi_tree_line *lines; // filled by the caller, which keeps room for `count` of them
	size_t count, line_capacity;
	dbvhi_octagon *octagons; // of the lines
	size_t octagon_capacity;
	dbvhi_octagon *nodes; // a node of n lines has its first half behind it and its second one behind that
	size_t node_capacity;
	uint64_t *order; // the line of each leaf, in the lower half of a number
	size_t order_capacity;
	double axis[DBVHI_LINE_AXES][3];
	uint64_t tests; // volumes that were compared or made
} dbvhi_line_tree;

// Make room for that many lines. False without memory.
bool dbvhi_line_tree_require( dbvhi_line_tree *tree, const dbvh_allocator *allocator, size_t count );
// Build it over `count` lines in `lines`, of one triangle with these corners. O(n log^2 n).
void dbvhi_line_tree_build( dbvhi_line_tree *tree, const double corner[3][3] );
void dbvhi_line_tree_free( dbvhi_line_tree *tree, const dbvh_allocator *allocator );

// List the lines that may cross line `index` in `found`, which has room for all, itself among them. Returns their
// number.
size_t dbvhi_line_tree_find( dbvhi_line_tree *tree, size_t index, uint32_t *found );
