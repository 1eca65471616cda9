// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fitting the two volumes of one node to its triangles.

#pragma once

#include "dualbvh/tree.h"
#include "tree/node.h"
#include "volume/box.h"
#include "volume/sphere.h"

// A triangle on its way into the tree, in the builder's scale.
typedef struct dbvhi_build_triangle {
	double corners[9];
	uint32_t number; // in file order
	uint32_t pad;
} dbvhi_build_triangle;

// Room for the corners of a node's triangles, one array a coordinate, three entries a triangle.
typedef struct dbvhi_scratch {
	double *x, *y, *z;
} dbvhi_scratch;

typedef struct dbvhi_fit {
	dbvhi_frame frame;	  // of this node
	dbvhi_vec mean;		  // the centroid of the surface, where the node is split
} dbvhi_fit;

// Fills all of `node` but its links. `parent` is the frame of the parent node.
dbvhi_fit dbvhi_fit_node( dbvhi_node *node, const dbvhi_build_triangle *triangles, size_t count,
						  const dbvhi_frame *parent, const dbvh_tree_options *options, dbvhi_scratch scratch );

// How far |axis . (point - origin)|, computed, may be below the truth, where `largest` bounds the components of the
// difference: each difference rounds once and the sum of three products at most three times more, relative to a sum of
// magnitudes of at most sqrt(3) * 1.01 * largest.
static inline double dbvhi_projection_error( double largest ) {
	return 10.0 * 0x1p-53 * largest + 0x1p-1000;
}
