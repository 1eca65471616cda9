// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A tree over some of the boxes of a broad phase, bulk loaded along a Hilbert curve. Boxes lie in groups of sixteen;
// over the groups stands an implicit tree with sixteen children a node.
//
// A coordinate becomes a float by a map that never decreases (subtract the middle of the boxes, round), so that boxes
// which overlap in doubles overlap in floats: the tree leaves nothing out. Two floats that differ tell about the
// doubles for certain; only where they are equal are the doubles looked at.
//
// A box may be put, moved and taken out at its place: bounds follow, but the place is not a better one then.

#pragma once

#include "base/alloc.h"
#include "base/budget.h"
#include "scene/broad_phase_kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Six doubles a box: the lower corner, then the upper one. A box whose lower corner is above its upper one overlaps
// nothing.
#define DBVHI_BOX_NUMBERS 6

// A group of sixteen boxes as the kernels see it: lower x, y, z and upper x, y, z, sixteen floats each.
#define DBVHI_GROUP_BOXES 16
#define DBVHI_GROUP_FLOATS ( 6 * DBVHI_GROUP_BOXES )

// Sixteen children a node: 2^32 boxes have seven levels above the groups.
#define DBVHI_BROAD_LEVELS 8

// A place without a box.
#define DBVHI_NO_NUMBER UINT32_MAX

// All zero: an empty tree.
typedef struct dbvhi_bulk_tree {
	uint32_t *order; // the number of the box at each place, whole groups; or DBVHI_NO_NUMBER
	size_t order_capacity;
	size_t places;                    // places that have been given away, from the first one on
	size_t live;                      // boxes in the tree
	float *level[DBVHI_BROAD_LEVELS]; // level 0: the boxes; above: the bounds of sixteen groups of the level below
	size_t level_groups[DBVHI_BROAD_LEVELS], level_capacity[DBVHI_BROAD_LEVELS];
	int levels;
	float *home; // level 1 as it was when the order was made or checked
	size_t home_capacity;
	double middle[3];
	double width; // sum of the groups' widths when the order was made
} dbvhi_bulk_tree;

void dbvhi_bulk_free( dbvhi_bulk_tree *tree, const dbvh_allocator *allocator );

// Makes `to`, which is empty, a copy. Returns false without memory; `to` is to be freed in any case.
bool dbvhi_bulk_copy( dbvhi_bulk_tree *to, const dbvhi_bulk_tree *from, const dbvh_allocator *allocator );

// Makes the tree over the boxes numbers[0 .. count), or, with `numbers` NULL, over all below `count`. `scratch` has
// room for 2 `count` keys. OUT_OF_MEMORY, or what the watch says: the tree is not to be used then.
dbvh_status dbvhi_bulk_make( dbvhi_bulk_tree *tree, const dbvh_allocator *allocator, const double *boxes,
                             const uint32_t *numbers, size_t count, uint64_t *scratch, dbvhi_meter *watch );

// Makes the tree one of `capacity` places that have no box yet.
bool dbvhi_bulk_make_empty( dbvhi_bulk_tree *tree, const dbvh_allocator *allocator, size_t capacity,
                            const double middle[3] );

// Puts all boxes anew where they are now, in the order that there is. Returns whether that order is as good as a new
// one: groups have become no wider than by an eighth, and the boxes are still about the middle.
bool dbvhi_bulk_refit( dbvhi_bulk_tree *tree, const double *boxes );

// Puts a box into a place, or with DBVHI_NO_NUMBER takes out the one that is there.
void dbvhi_bulk_put( dbvhi_bulk_tree *tree, size_t place, uint32_t number, const double *boxes );

// Is a box about where its group was when the order was made? Bounds of groups that hold only such boxes are at most
// twice as wide as they were.
bool dbvhi_bulk_is_home( const dbvhi_bulk_tree *tree, size_t place, const double box[DBVHI_BOX_NUMBERS] );

// Sort by `bits` bits of the upper half of each key, then by the `low` lowest bits of its lower half. `keys` and
// `other` have room for `count` each; returns the array that holds the sorted keys.
uint64_t *dbvhi_sort_by_bits( uint64_t *keys, uint64_t *other, size_t count, int bits, int low );

static inline bool dbvhi_box_is_somewhere( const double *box ) {
	return box[0] <= box[3];
}

// The tree as the kernels see it.
static inline dbvhi_box_tree dbvhi_bulk_view( const dbvhi_bulk_tree *tree, const double *boxes ) {
	return ( dbvhi_box_tree ){ .level = (const float *const *)tree->level,
	                           .level_groups = tree->level_groups,
	                           .levels = tree->levels,
	                           .boxes = boxes,
	                           .order = tree->order };
}
