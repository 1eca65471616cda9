// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fitting the two volumes of one node to its triangles.

#pragma once

#include "base/assert.h"
#include "bvh/node.h"
#include "dualbvh/tree.h"
#include "primitive/fit/box_fit.h"
#include "primitive/fit/sphere_fit.h"

// A triangle on its way into the tree. Its corners are numbers in the list of points of the node it is in: corners that
// triangles share are measured once.
typedef struct dbvhi_build_triangle {
	uint32_t corner[3];
	uint32_t number; // in file order
} dbvhi_build_triangle;

// What a node is fitted to, in the builder's scale. The points are those of its triangles, in the order in which the
// triangles name them first.
typedef struct dbvhi_part {
	dbvhi_build_triangle *triangles;
	size_t count;
	dbvhi_point_set points;
} dbvhi_part;

typedef struct dbvhi_fit {
	dbvhi_frame frame; // of this node
	dbvhi_vec mean;    // the centroid of the surface, or of a sample of it
	dbvhi_vec spread;  // the direction of its largest variance, in the mesh; of one triangle nothing
	double *along[3];  // how far each point is along each axis (or against it), from the first point
} dbvhi_fit;

// Of larger nodes only about so many triangles, evenly spread, have a say in which points are extreme. Room for a
// corner of each: too large for a stack.
#define DBVHI_FIT_SAMPLE 1024
typedef struct dbvhi_fit_sample {
	double x[3][DBVHI_FIT_SAMPLE];
} dbvhi_fit_sample;

// Fills all of `node` but its links. `parent` is the frame of the parent node; `along` has room for a number a point in
// each of its arrays, which the fit then holds in the order of the axes. No centre is beyond `limit` along an axis of
// its frame: in a mesh that reaches the largest double, the offset from one end to the other is no double any more.
dbvhi_fit dbvhi_fit_node( dbvhi_node *node, const dbvhi_part *part, const dbvhi_frame *parent,
                          const dbvh_tree_options *options, double limit, double *const along[3],
                          dbvhi_fit_sample *sample );

static inline dbvhi_vec dbvhi_part_corner( const dbvhi_part *part, size_t triangle, int corner ) {
	DBVHI_ASSERT( triangle < part->count && (unsigned)corner < 3 );
	const uint32_t i = part->triangles[triangle].corner[corner];
	return ( dbvhi_vec ){ { part->points.x[i], part->points.y[i], part->points.z[i] } };
}

// How far |axis . (point - origin)|, computed, may be below the truth, where `largest` bounds the components of the
// difference: each difference rounds once and the sum of three products at most three times more, relative to a sum of
// magnitudes of at most sqrt(3) * 1.01 * largest.
static inline double dbvhi_projection_error( double largest ) {
	return 10.0 * 0x1p-53 * largest + 0x1p-1000;
}
