// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The ellipsoids of two nodes in a traversal: what their test is, and what it costs.

#pragma once

#include "primitive/ellipsoid/ellipsoid.h"

#include <stdint.h>

// At most so many nodes of a tree have one that the packed form keeps.
enum { DBVHI_ELLIPSOIDS_MOST = 255 };

// R S R^T, for any R: the shape in other coordinates.
void dbvhi_shape_turn( const dbvhi_mat *rot, const double m[6], double out[6] );

// Conservative, for a traversal: true only if the two are farther apart than `margin`, which bounds what the offset
// from centre to centre is off (docs/design/margins.md). `rot` and `pos` place the frame of b in that of a; any affine
// map will do.
bool dbvhi_ellipsoids_disjoint( const dbvhi_reach *a, const dbvhi_reach *b, const dbvhi_mat *rot, dbvhi_vec pos,
                                double margin );

// A box anywhere: its axes are the columns, of length 1 and orthogonal to within a pose's tolerance.
typedef struct dbvhi_placed_box {
	dbvhi_vec centre;
	dbvhi_mat axes;
	dbvhi_vec half;
} dbvhi_placed_box;

// The ellipsoid of a node against the box of another, in one frame. Conservative: true only if the two are farther
// apart than `margin`, which bounds what the offset from centre to centre is off.
bool dbvhi_ellipsoid_box_disjoint( const dbvhi_reach *ellipsoid, const dbvhi_placed_box *box, double margin );

// The ellipsoid in the frame that `rot` and `pos` place its own in.
dbvhi_reach dbvhi_reach_place( const dbvhi_reach *ellipsoid, const dbvhi_mat *rot, dbvhi_vec pos );

// What a traversal spends, in nanoseconds, as `dualbvh-bench mixed` measures it.
typedef struct dbvhi_ellipsoid_costs {
	double query;     // of a query, whatever it finds
	double sphere;    // a pair of spheres; in the packed form four by four
	double box;       // a pair of boxes, after that
	double triangle;  // a pair of triangles; in the packed form of leaves
	double ellipsoid; // a pair of ellipsoids
	uint32_t budget;  // after so many tests that separated nothing, a query makes no more
} dbvhi_ellipsoid_costs;

// Of the two traversals.
extern const dbvhi_ellipsoid_costs dbvhi_reference_costs, dbvhi_packed_costs;
