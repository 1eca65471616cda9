// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a tree and of a query, for the files of this folder and for their tests.
//
// Coordinates. A tree's own frame has the middle of the mesh at its origin and the mesh within [-1, 1]^3:
//
//     y = ( x * scale - centre ) * stretch,      scale and stretch powers of two.
//
// Slabs of the environment are floats in its frame, rounded outwards. Points of the flying tree are multiples of 2^-24
// in its frame, so that everything about their convex hulls is exact in integers; a point is off by 2^-25 + 2^-52 a
// coordinate. A query brings them to the environment's frame, with a bound of all that is rounded on the way.

#pragma once

#include "hull.h"
#include "quickcd.h"

enum {
	QUICKCD_MOST = 13,  // directions of the largest k
	QUICKCD_LANES = 16, // room for them
	QUICKCD_LIST = 64,  // hulls of more vertices are not kept where only corners are wanted
	QUICKCD_CLIMB =
	    1024, // hulls of more vertices are climbed on, of fewer all are rotated: measured, with wide vectors
};

// The directions of k, of which the first three are the axes. Their number is k / 2.
const signed char ( *quickcd_directions( int k ) )[3];

// Half of a DOP in memory is padded to this many floats.
static inline int quickcd_half( int k ) {
	return k == 6 ? 4 : k == 14 ? 8 : k == 26 ? 16 : 12;
}

// A node of the environment is `half` lower bounds, `half` negated upper bounds, and two numbers: where the first of
// its two children is, or its first triangle, and the number of its triangles, 0 for an inner node. The numbers lie in
// the padding where there is some, whose lanes no test looks at: the other side is infinite there.
static inline int quickcd_stride( int k ) {
	return k == 6 ? 8 : k == 14 ? 16 : k == 26 ? 32 : 26;
}

typedef struct quickcd_links {
	uint32_t first, count;
} quickcd_links;

// How a flying node is rotated.
typedef struct quickcd_shape {
	uint32_t point, point_count; // vertices to rotate, where there is no hull
	uint32_t hull;               // or UINT32_MAX
} quickcd_shape;

struct quickcd_tree {
	quickcd_options options;
	size_t triangle_count, node_count, depth;
	double scale, centre[3], stretch;
	double largest;        // |coordinate| of any corner
	double *corners;       // nine a triangle, in leaf order, as given
	uint32_t *triangle;    // its number in file order
	float *nodes;          // quickcd_stride() each, the root first, children next to each other
	quickcd_links *links;  // the same two numbers, for the flying tree
	float *sizes;          // the longest side of a node's box
	quickcd_shape *shapes; // shapes of a flying tree's nodes
	float *points;         // three floats each
	size_t point_count, point_capacity;
	quickcd_hull *hulls;
	size_t hull_count, hull_capacity;
};

// The corners of the polytope lower[i] <= d_i x <= upper[i], within 2^-40 of each true one, for |bounds| <= 4; each at
// least 2^-23 from all others in some coordinate. At most QUICKCD_CORNERS of them.
enum { QUICKCD_CORNERS = 96 };
size_t quickcd_corners( int k, const double *lower, const double *upper, double ( *out )[3] );

// One query under way.
typedef struct quickcd_run {
	const quickcd_tree *environment, *flying;
	const dbvh_pose *pose;
	quickcd_work *work;
	bool find_all;
	double error; // rounding error of a moved corner
	// For lane i, the direction d_i in the flying tree's frame, in columns; what to add to the highest and to the
	// negated lowest value along it. Beyond k / 2: zero, and infinity.
	float direction[3][QUICKCD_LANES];
	float raise[2][QUICKCD_LANES];
	double turned[QUICKCD_MOST]
	             [3]; // `direction` without scale, multiples of 2^-25, so that products with points are exact
	double ratio;     // scale of `direction`
	uint8_t nearest[2][QUICKCD_MOST]; // nearest of the 26 stored directions to it, and to its opposite
	bool nearest_ready;
	quickcd_counters counters;
} quickcd_run;

// Sets up what depends on the pose.
void quickcd_aim( quickcd_run *run );

// Makes room for what the two trees need. False where memory runs out.
bool quickcd_work_fit( quickcd_work *work, const quickcd_tree *environment, const quickcd_tree *flying );

// The extreme values of a flying node with a hull, before `raise` is added.
void quickcd_climb( quickcd_run *run, const quickcd_hull *hull, float highest[QUICKCD_LANES],
                    float lowest[QUICKCD_LANES] );

struct quickcd_work {
	uint32_t *stamps; // number of the query that computed a flying node's DOP
	float *slabs;     // its DOP: 2 * half floats, highest values and negated lowest ones
	uint32_t *image_stamps;
	double *images; // fifteen a flying triangle: its moved corners, and their bounds
	size_t node_capacity, triangle_capacity;
	uint32_t query;
	uint32_t *stack; // the environment's, then the flying tree's; or pairs of both
	size_t stack_capacity;
	uint64_t *keys;
	dbvh_pair *pairs;
	size_t key_count, key_capacity;
	bool failed;
};

// Compares the triangles of two leaves. True if the search is over.
bool quickcd_leaves( quickcd_run *run, quickcd_links environment, quickcd_links flying );

// The traversals, by half and instruction set.
typedef void quickcd_traversal( quickcd_run *run );
typedef void quickcd_reorient( quickcd_run *run, uint32_t node, float *slab );

typedef struct quickcd_kernel {
	quickcd_traversal *traverse, *traverse_larger;
	quickcd_reorient *reorient;
} quickcd_kernel;

quickcd_kernel quickcd_kernel_baseline( int k );
quickcd_kernel quickcd_kernel_avx2( int k );
quickcd_kernel quickcd_kernel_avx512( int k );

// The one in use.
quickcd_kernel quickcd_kernel_current( int k );
