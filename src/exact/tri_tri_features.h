// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What two triangles share, as a list of points that are known by where they lie in both triangles: no coordinates.

#pragma once

#include "exact/orient.h"
#include "exact/tri_feature.h"

// A point of both triangles that is an end of what they share.
typedef struct dbvhi_cell {
	dbvhi_tri_feature fixed, moved;
} dbvhi_cell;

#define DBVHI_MOST_CELLS 6

typedef struct dbvhi_shared_points {
	// None, one (a point), two (a segment), or three to six in order round a convex polygon of coplanar triangles,
	// anticlockwise seen from the tip of the normal of `fixed`. Cells of degenerate triangles may denote one point
	// twice.
	uint8_t count;
	// Of a segment where the planes cross: 1 if it runs from the first cell to the second along n_fixed x n_moved, -1
	// if the other way; else 0.
	int8_t direction;
	int8_t facing; // of a polygon: whether the normals point the same way (1) or oppositely (-1); else 0
	dbvhi_cell cell[DBVHI_MOST_CELLS];
} dbvhi_shared_points;

// Finds it, by exact signs. `points` as dbvhi_points_init() left it.
void dbvhi_triangles_cut( dbvhi_points *points, dbvhi_shared_points *out );
