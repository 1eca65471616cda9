// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The broad phase: all overlapping pairs of many axis-aligned boxes, exactly those that comparing each with each finds.
//
// Boxes are kept in doubles as given, and in the floats of bulk-loaded trees (bulk_tree.h), each box in one of them.
//
// Most boxes are in the large tree. A box that is new, or has left the place where its group was, goes into the first
// small tree, which is looked through as a whole. When that is full, its boxes and those of the next small trees make
// one: the logarithmic method (Bentley and Saxe 1980). Small tree k has room for 64 4^k boxes, so a box is sorted some
// two times a tree. When the small trees hold a quarter of all boxes, or pairs of all are listed anew, everything goes
// into the large tree. So inserting, moving and removing a box takes O(log n) amortised, and a question about one box
// looks at some log4( n / 256 ) trees besides the large one.
//
// What is stale. Boxes are what callers set; trees are made from boxes, and the list of pairs from both. Trees and list
// each have a set of the boxes that have changed since they were made, and only their own update empties it. A question
// about one box needs the trees alone.
//
// The list of pairs is kept. When nothing has moved it is as it was; when little has, only boxes that moved are asked
// for again. Where more pairs overlap than `most_pairs` there is no list: a pile of n boxes has n squared pairs, and
// whoever needs them all asks for those of one box after another.

#pragma once

#include "base/alloc.h"
#include "base/budget.h"
#include "scene/bulk_tree.h"
#include "scene/number_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Small tree k has room for 64 4^k boxes: 13 of them for a quarter of 2^32. The large tree is the last.
#define DBVHI_SMALL_TREES 13
#define DBVHI_LARGE_TREE DBVHI_SMALL_TREES
#define DBVHI_SMALL_ROOM 64

// The place of a box.
typedef struct dbvhi_seat {
	uint32_t place; // in the tree
	uint32_t tree;  // or DBVHI_NO_TREE
} dbvhi_seat;
#define DBVHI_NO_TREE UINT32_MAX

typedef struct dbvhi_broad_phase {
	dbvh_allocator allocator;
	double *boxes; // by number
	size_t count, box_capacity;
	dbvhi_bulk_tree tree[DBVHI_SMALL_TREES + 1];
	dbvhi_seat *seat; // by number
	size_t seat_capacity;
	bool has_tree; // every box has a seat or is nowhere, and all but `since_tree` are where they should be
	dbvhi_number_set since_tree; // boxes that have changed since
	// The pairs, lower number << 32 | higher number, ascending.
	uint64_t *pairs, *scratch;
	size_t pair_count, pair_capacity, scratch_capacity;
	bool has_list;                    // the list has all pairs but those of `since_list`,
	bool is_crowded;                  // or there are more than most_pairs
	dbvhi_number_set since_list;      // boxes that have changed since
	size_t pairs_a_box, pairs_always; // parameters of dbvhi_broad_phase_most_pairs()
} dbvhi_broad_phase;

void dbvhi_broad_phase_init( dbvhi_broad_phase *phase, const dbvh_allocator *allocator );
void dbvhi_broad_phase_free( dbvhi_broad_phase *phase );

// Makes `to`, which is uninitialised, a copy with memory of `allocator`. OUT_OF_MEMORY; `to` is to be freed in any
// case.
dbvh_status dbvhi_broad_phase_copy( dbvhi_broad_phase *to, const dbvhi_broad_phase *from,
                                    const dbvh_allocator *allocator );

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

// Brings the trees up to date. O(n log n) where much has moved, O(log n) amortised a box where little has, and nothing
// where nothing has. `watch` is charged about a step for each box that is sorted: OUT_OF_MEMORY, and what the watch
// says, leave the rest to the next call.
dbvh_status dbvhi_broad_phase_update( dbvhi_broad_phase *phase, dbvhi_meter *watch );

// Brings the trees and the list of pairs up to date, or finds that the scene is crowded. The memory it takes is within
// most_pairs.
dbvh_status dbvhi_broad_phase_list( dbvhi_broad_phase *phase, dbvhi_meter *watch );

// Calls visit() with the number of every box that overlaps `box`, in no order; ends early where that returns false.
// The trees must be up to date.
typedef bool dbvhi_box_visitor( void *context, uint32_t number );
void dbvhi_broad_phase_overlaps( const dbvhi_broad_phase *phase, const double box[DBVHI_BOX_NUMBERS],
                                 dbvhi_box_visitor *visit, void *context );

// A box that encloses all of them, by the tops of the trees: a little larger than need be. dbvhi_box_nowhere if there
// is none.
void dbvhi_broad_phase_bounds( const dbvhi_broad_phase *phase, double box_out[DBVHI_BOX_NUMBERS] );

// ------------------------------------------------------------------------------------------------
// The boxes of a broad phase one by one, the nearest first: best first down its trees, with a heap of what is to be
// looked into (Hjaltason and Samet 1999).

typedef struct dbvhi_front_entry {
	double bound;
	uint32_t index; // number of a group; on level 0 of a box
	int16_t level, tree;
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
