// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Separating axes of boxes: the parts of `dualbvh-bench axes`. For Chang, Wang and Kim (2009), section 3.2 and the
// appendix.

#pragma once

#include "dualbvh/dualbvh.h"
#include "math/vec.h"

// The fifteen axes, as bits of a mask: a0 a1 a2, b0 b1 b2, c00 c01 c02 c10 c11 c12 c20 c21 c22. Extents ascend.
enum { AXES = 15, AXES_MASKS = 1 << AXES };
#define AXES_ALL ( (uint32_t)AXES_MASKS - 1 )

extern const char *const axes_names[AXES];

// The number of an axis, -1 where there is none of that name.
int axes_find( const char *name );

// The axes on which two boxes are more than `margin` apart (in lengths of the axis, as the library's tests take them).
// rot and pos: box b in the frame of box a.
uint32_t axes_separating( const dbvhi_mat *rot, dbvhi_vec pos, dbvhi_vec half_a, dbvhi_vec half_b, double margin );

// How often each set of axes was what separates, among pairs of boxes whose spheres overlap.
typedef struct axes_tally {
	uint64_t masks[AXES_MASKS];
	uint64_t spheres, boxes, leaves; // pairs of spheres compared, of boxes, and of leaves that were reached
} axes_tally;

// The tests that discard a pair of nodes: the axes of `mask`, after the spheres if `spheres` is set.
typedef struct axes_rule {
	uint32_t mask;
	bool spheres;
} axes_rule;

// Goes through two reference trees as the library's DBVH_POLICY_DUAL does (or DBVH_POLICY_RAPID, without spheres),
// looks at all axes of every pair of boxes that it intersects, and adds them to the tally. All pairs, to the end. Ends
// the program where memory runs out.
void axes_walk( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, axes_rule rule, axes_tally *tally );

// Do the meshes intersect? The same search with the spheres and the first `n` axes of this order: 0 to
// AXES_SEARCH_MOST, or AXES for all, one after the other until one separates. For taking its time. The pose must be
// rigid.
enum { AXES_SEARCH_MOST = 8 };
extern const char *const axes_search_order[AXES_SEARCH_MOST];
bool axes_search( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, int n );

// The two-dimensional statistics of the appendix.
typedef struct axes_plane {
	size_t samples, below_tenth;
	double average, worst;
	double worst_angle, worst_h1, worst_h2; // case with the largest loss
} axes_plane;

axes_plane axes_plane_loss( void );

// One sample: the part of what two minor axes leave in the disc that the major axes would have taken away. Angle in
// degrees between a0 and b0, half extents h and 1.
double axes_plane_ratio( double angle, double h1, double h2 );
