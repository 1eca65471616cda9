// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of the broad phase: pairs of boxes in a tree of groups, and what overlaps one box.

#pragma once

#include "simd/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Two boxes in doubles, six numbers each: see broad_phase.h.
static inline bool dbvhi_boxes_overlap( const double *a, const double *b ) {
	return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

// The tree as the kernels see it: see broad_phase.h.
typedef struct dbvhi_box_tree {
	const float *const *level;
	const size_t *level_groups;
	int levels;
	const double *boxes;
	const uint32_t *order;
} dbvhi_box_tree;

// A curve that fills a box, 2^bits cells along each axis. It only has to be good, not exact.
typedef struct dbvhi_box_curve {
	double lower[3], scale[3]; // to cells
	double extent;
	int bits; // at most 10
} dbvhi_box_curve;

// Finds the pairs of boxes of which the first is in a group from *group on, below `end`, and the second not before it.
// Leaves off at a whole group where less than DBVHI_BOX_PAIRS_SLACK are left of the room. Returns how many it has found
// in all, the first `count` being there already.
#define DBVHI_BOX_PAIRS_SLACK 4096
typedef struct dbvhi_box_pairs_kernels {
	// `pairs_out` has room for at least DBVHI_BOX_PAIRS_SLACK more than `count`. *group and *other say where to go on:
	// with the groups from *other on against *group.
	size_t ( *pairs )( const dbvhi_box_tree *tree, size_t *group, size_t *other, size_t end, uint64_t *pairs_out,
	                   size_t count, size_t capacity );
	// The boxes that overlap one, as a mask for each group; returns how many groups, at most `capacity`, from group
	// *group on, and sets it to where to go on.
	size_t ( *overlaps )( const dbvhi_box_tree *tree, const float box[6], size_t *group, uint32_t *groups_out,
	                      uint16_t *masks_out, size_t capacity );
	// How far along a Hilbert curve the centres of boxes are (Skilling 2004). A box that is nowhere gets any key.
	void ( *along )( const dbvhi_box_curve *curve, const double *boxes, size_t count, uint32_t *keys_out );
} dbvhi_box_pairs_kernels;

// For each instruction set, by dbvhi_isa_level().
extern const dbvhi_box_pairs_kernels *const dbvhi_box_pairs_table[DBVHI_ISA_COUNT];
