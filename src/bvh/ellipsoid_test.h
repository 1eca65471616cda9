// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tests of node ellipsoids in a traversal, and their costs.

#pragma once

#include "primitive/ellipsoid/ellipsoid.h"

#include <stdint.h>

// DBVHI_ELLIPSOIDS_MOST: ellipsoids that the packed form keeps at most.
enum { DBVHI_ELLIPSOIDS_MOST = 255 };

// Computes R S R^T for any R: the shape in other coordinates.
void dbvhi_shape_turn( const dbvhi_mat *rot, const double m[6], double out[6] );

// Conservative separation: true only if the two are farther apart than `margin`, which bounds the error of the offset
// from centre to centre (docs/design/margins.md). `rot` and `pos` place the frame of b in that of a; any affine map
// will do.
bool dbvhi_ellipsoids_disjoint( const dbvhi_reach *a, const dbvhi_reach *b, const dbvhi_mat *rot, dbvhi_vec pos,
                                double margin );

// A box in any pose: its axes are the columns, of length 1 and orthogonal to within a pose's tolerance.
typedef struct dbvhi_placed_box {
	dbvhi_vec centre;
	dbvhi_mat axes;
	dbvhi_vec half;
} dbvhi_placed_box;

// Conservative separation of an ellipsoid and a box in one frame: true only if they are farther apart than `margin`,
// which bounds the error of the offset from centre to centre.
bool dbvhi_ellipsoid_box_disjoint( const dbvhi_reach *ellipsoid, const dbvhi_placed_box *box, double margin );

// Returns the ellipsoid in the frame that `rot` and `pos` place its own in.
dbvhi_reach dbvhi_reach_place( const dbvhi_reach *ellipsoid, const dbvhi_mat *rot, dbvhi_vec pos );

// Costs of a traversal in nanoseconds, as `dualbvh-bench mixed` measures them.
typedef struct dbvhi_ellipsoid_costs {
	double query;     // fixed cost of a query
	double sphere;    // a pair of spheres; in the packed form four by four
	double box;       // a pair of boxes whose spheres overlap
	double triangle;  // a pair of triangles; in the packed form of leaves
	double ellipsoid; // a pair of ellipsoids
	uint32_t budget;  // a query stops testing ellipsoids after so many failed tests
} dbvhi_ellipsoid_costs;

// Costs of the reference traversal and of the packed one.
extern const dbvhi_ellipsoid_costs dbvhi_reference_costs, dbvhi_packed_costs;
