// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fitting the two volumes of a node to its triangles.

#pragma once

#include "base/assert.h"
#include "bvh/node.h"
#include "dualbvh/tree.h"
#include "primitive/fit/box_fit.h"
#include "primitive/fit/sphere_fit.h"

// A triangle during the build. Its corners index the points of the node being built, so that shared corners are
// measured once.
typedef struct dbvhi_build_triangle {
	uint32_t corner[3];
	uint32_t number; // index in file order
} dbvhi_build_triangle;

// The triangles and points that a node is fitted to, in the builder's scale; points in the order of first use by the
// triangles.
typedef struct dbvhi_part {
	dbvhi_build_triangle *triangles;
	size_t count;
	dbvhi_point_set points;
} dbvhi_part;

typedef struct dbvhi_fit {
	dbvhi_frame frame; // frame of this node
	dbvhi_vec mean;    // centroid of the surface, or of a sample of it
	dbvhi_vec spread;  // direction of the surface's largest variance, in the mesh; zero for one triangle
	double *along[3];  // coordinate of each point along (or against) each axis, from the first point
} dbvhi_fit;

// DBVHI_FIT_SAMPLE: in larger nodes, only about so many evenly spread triangles are candidates for extreme points. The
// sample, a corner of each, is too large for a stack.
#define DBVHI_FIT_SAMPLE 1024
typedef struct dbvhi_fit_sample {
	double x[3][DBVHI_FIT_SAMPLE];
} dbvhi_fit_sample;

// Fills `node` except its links. `parent` is the frame of the parent; `along` has room for a number a point in each of
// its arrays, which the fit then holds in the order of the axes. No centre exceeds `limit` along an axis of its frame:
// in a mesh that reaches the largest double, the offset from one end to the other is no double.
dbvhi_fit dbvhi_fit_node( dbvhi_node *node, const dbvhi_part *part, const dbvhi_frame *parent,
                          const dbvh_tree_options *options, double limit, double *const along[3],
                          dbvhi_fit_sample *sample );

static inline dbvhi_vec dbvhi_part_corner( const dbvhi_part *part, size_t triangle, int corner ) {
	DBVHI_ASSERT( triangle < part->count && (unsigned)corner < 3 );
	const uint32_t i = part->triangles[triangle].corner[corner];
	return ( dbvhi_vec ){ { part->points.x[i], part->points.y[i], part->points.z[i] } };
}

// ------------------------------------------------------------------------------------------------
// Splitting the triangles of a node. Each function rearranges them so that the first part goes left, and returns its
// size, at least 1 and less than `count` (at least 2).

// Splits by the mean of the surface on the box's longest axis; if that leaves one side empty, on the next longest; if
// all do, in two halves as they lie (Gottschalk, Lin and Manocha 1996, section 4).
size_t dbvhi_split_mean( const dbvhi_part *part, const dbvhi_fit *fit );

// Splits by the mean of the surface along the direction of its largest variance, whatever the box's axes; in two halves
// as they lie if that leaves one side empty. RAPID's split.
size_t dbvhi_split_variance( const dbvhi_part *part, const dbvhi_fit *fit );

// Splits where the expected cost is least: the sum over both sides of the expected overlap of the side's box, in this
// node's axes, times log2( 1 + n ), the steps down to one of its n triangles. Every position on all three axes is tried
// in small nodes, 31 in large ones. Small nodes of more than four triangles are split only so that one side is a
// multiple of four, which fills the leaves of the packed form; in very large ones a sample decides. Falls back on
// dbvhi_split_mean().
size_t dbvhi_split_cost( const dbvhi_part *part, const dbvhi_fit *fit );

// Splits at the median on the longest axis, for branches that other splits have left too deep. `keys` has room for
// `count`.
size_t dbvhi_split_median( const dbvhi_part *part, const dbvhi_fit *fit, uint64_t *keys );
