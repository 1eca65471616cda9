// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The broad phase: all overlapping pairs of many axis-aligned boxes, exactly those that comparing each with each finds.
//
// Boxes are kept twice: in doubles as given, and in floats, sixteen to a group, in the order of a space-filling curve.
// Over the groups stands an implicit tree with sixteen children a node. A coordinate becomes a float by a map that
// never decreases (subtract the middle of the scene, round), so that boxes which overlap in doubles overlap in floats:
// the tree leaves nothing out. Two floats that differ tell about the doubles for certain; only where they are equal are
// the doubles looked at.
//
// What is stale. Boxes are what callers set; the tree is made from boxes, and the list of pairs from both. Tree and
// list each have a set of the boxes that have moved since they were made, and only their own update empties it. A
// question about one box needs the tree alone.
//
// The list of pairs is kept. When nothing has moved it is as it was; when little has, only what moved is asked for
// again. Where more pairs overlap than `most_pairs` there is no list: a pile of n boxes has n squared pairs, and
// whoever needs them all asks for those of one box after another.

#pragma once

#include "base/alloc.h"
#include "base/budget.h"
#include "scene/broad_phase_kernel.h"
#include "scene/number_set.h"

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

typedef struct dbvhi_broad_phase {
	dbvh_allocator allocator;
	double *boxes; // by number
	size_t count, box_capacity;
	// In the order of the curve, whole groups; what is left of the last one overlaps nothing.
	uint32_t *order; // the number of the box at each place
	uint32_t *place; // and back
	size_t order_capacity, place_capacity;
	float *level[DBVHI_BROAD_LEVELS]; // level 0: the boxes; above: the bounds of sixteen groups of the level below
	size_t level_groups[DBVHI_BROAD_LEVELS], level_capacity[DBVHI_BROAD_LEVELS];
	int levels;
	double middle[3];
	bool has_tree; // every box has a place in the order, and all but `since_tree` are where they should be
	dbvhi_number_set since_tree; // boxes that have moved since
	size_t drift;                // how many boxes have been moved since the order was made
	double width;                // sum of the groups' widths when the order was made
	// The pairs, lower number << 32 | higher number, ascending.
	uint64_t *pairs, *scratch;
	size_t pair_count, pair_capacity, scratch_capacity;
	bool has_list;                    // the list has all pairs but those of `since_list`,
	bool is_crowded;                  // or there are more than most_pairs
	dbvhi_number_set since_list;      // boxes that have moved since
	size_t pairs_a_box, pairs_always; // parameters of dbvhi_broad_phase_most_pairs()
} dbvhi_broad_phase;

void dbvhi_broad_phase_init( dbvhi_broad_phase *phase, const dbvh_allocator *allocator );
void dbvhi_broad_phase_free( dbvhi_broad_phase *phase );

// Changes the number of boxes, which are numbered from 0. New boxes overlap nothing until they are set. OUT_OF_MEMORY
// changes nothing.
dbvh_status dbvhi_broad_phase_resize( dbvhi_broad_phase *phase, size_t count );

// Moves a box. Constant time; all six numbers must be finite, or the box be dbvhi_box_nowhere.
void dbvhi_broad_phase_set( dbvhi_broad_phase *phase, uint32_t number, const double box[DBVHI_BOX_NUMBERS] );
extern const double dbvhi_box_nowhere[DBVHI_BOX_NUMBERS];

// The most pairs that a list has: it depends on nothing but the number of boxes.
static inline size_t dbvhi_broad_phase_most_pairs( const dbvhi_broad_phase *p ) {
	return p->pairs_a_box * p->count + p->pairs_always;
}

// Brings the tree up to date. O(n log n) where much has moved, less where little has, and nothing where nothing has.
// `watch` is charged about a step for each box: OUT_OF_MEMORY, and what the watch says, leave the rest to the next
// call.
dbvh_status dbvhi_broad_phase_update( dbvhi_broad_phase *phase, dbvhi_meter *watch );

// Brings the tree and the list of pairs up to date, or finds that the scene is crowded. The memory it takes is within
// most_pairs.
dbvh_status dbvhi_broad_phase_list( dbvhi_broad_phase *phase, dbvhi_meter *watch );

// Calls visit() with the number of every box that overlaps `box`, in no order; ends early where that returns false.
// The tree must be up to date.
typedef bool dbvhi_box_visitor( void *context, uint32_t number );
void dbvhi_broad_phase_overlaps( const dbvhi_broad_phase *phase, const double box[DBVHI_BOX_NUMBERS],
                                 dbvhi_box_visitor *visit, void *context );

// ------------------------------------------------------------------------------------------------
// The boxes of a broad phase one by one, the nearest first: best first down its tree, with a heap of what is to be
// looked into (Hjaltason and Samet 1999).

typedef struct dbvhi_front_entry {
	double bound;
	uint32_t index; // number of a group; on level 0 of a box
	int level;
} dbvhi_front_entry;

// The heap, which is kept from walk to walk. All zero at first.
typedef struct dbvhi_front {
	dbvhi_front_entry *heap;
	size_t count, capacity;
} dbvhi_front;

// How near is a box, at least? It may be anything that holds what is asked about: where a holds b, a is not farther
// than b. INFINITY: it is to be left out.
typedef double dbvhi_box_bound( const void *question, const double box[DBVHI_BOX_NUMBERS] );

// Takes the next box; returns false to end the walk. It may lower *limit, beyond which nothing is visited.
typedef bool dbvhi_front_visitor( void *context, uint32_t number );

// Visits all boxes whose bound is at most *limit, in the order of their bounds. The phase must be up to date.
// OUT_OF_MEMORY where the heap cannot grow.
dbvh_status dbvhi_front_walk( dbvhi_front *front, const dbvhi_broad_phase *phase, dbvhi_box_bound *bound,
                              const void *question, const double *limit, dbvhi_front_visitor *visit, void *context );
