// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The intersection of two triangles as a list of points. A point is a feature of each triangle, without coordinates.

#pragma once

#include "exact/orient.h"
#include "exact/tri_feature.h"

// A point of both triangles that is an end of what they share.
typedef struct dbvhi_cell {
	dbvhi_tri_feature fixed, moved;
} dbvhi_cell;

#define DBVHI_MOST_CELLS 6

typedef struct dbvhi_shared_points {
	// Number of cells: 0, 1 (a point), 2 (a segment), or 3 to 6 in order round a convex polygon of coplanar triangles,
	// anticlockwise seen from the tip of the normal of `fixed`. Cells of degenerate triangles may denote one point
	// twice.
	uint8_t count;
	// Orientation of a segment where the planes cross: 1 if it runs from the first cell to the second along n_fixed x
	// n_moved, -1 if against that; else 0.
	int8_t direction;
	int8_t facing; // orientation of a polygon's triangles: 1 if their normals agree, -1 if opposite; else 0
	dbvhi_cell cell[DBVHI_MOST_CELLS];
} dbvhi_shared_points;

// Finds the intersection, by exact signs. `points` as dbvhi_points_init() left it.
void dbvhi_triangles_cut( dbvhi_points *points, dbvhi_shared_points *out );

// ------------------------------------------------------------------------------------------------
// Coordinates of the points that exact/tri_tri_features.h finds.

// The point in the frame in which one of the triangles was given (`moved`: before the pose), each coordinate rounded
// once to the nearest double, ties to even; zero is +0. For one of the triangles it is a mean of its corners with
// determinants for weights, which no affine map changes, so no pose is inverted.
void dbvhi_cell_position( dbvhi_points *points, dbvhi_cell cell, bool in_moved, double position_out[3] );
