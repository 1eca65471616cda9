// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The bodies that a batch moves, their pairs, and the scratch memory of every thread: all in one piece of memory, which
// is taken on the calling thread.

#pragma once

#include "scene/scene.h"

typedef struct dbvhi_moving_pair {
	uint32_t a, b; // places in the list of bodies that are moved
} dbvhi_moving_pair;

// Pairs of up to this number of moved bodies are listed once for all configurations. More are found by a sweep over
// their boxes in each, so that memory does not grow with the square of their number.
#define DBVHI_MOST_LISTED 64
static inline size_t dbvhi_moving_most_pairs( size_t body_count ) {
	return body_count > DBVHI_MOST_LISTED ? 0 : body_count * ( body_count - ( body_count > 0 ) ) / 2;
}

typedef struct dbvhi_moving {
	dbvh_scene *scene;
	uint32_t *bodies; // numbers of the moved bodies, in the order of the poses
	size_t body_count;
	uint32_t *place;          // for every body number its index in `bodies`, or DBVH_NO_BODY; the scene's
	size_t listed_count;      // how many of them have their place
	dbvhi_moving_pair *pairs; // the pairs of moved bodies that rules do not exclude, if is_listed
	size_t pair_count;
	bool is_listed;  // at most DBVHI_MOST_LISTED bodies move; pairs of more are swept
	bool has_others; // bodies that stay
	char *scratches;
	size_t scratch_bytes;
	void *memory;
	size_t bytes;
} dbvhi_moving;

// `bodies` NULL: all of the scene, ascending. They must be bodies of the scene. The broad phase must be up to date.
// Every workspace gets room for the traversals; `over_time`: for searches of times of impact, too. Whatever it returns,
// end() is to be called.
dbvh_status dbvhi_moving_begin( dbvhi_moving *moving, dbvh_scene *scene, const uint32_t *bodies, size_t body_count,
                                size_t scratch_bytes, bool over_time, uint32_t thread_count, dbvh_error *error );
void dbvhi_moving_end( dbvhi_moving *moving );

static inline void *dbvhi_moving_scratch( const dbvhi_moving *moving, uint32_t thread ) {
	return moving->scratches + thread * moving->scratch_bytes;
}

// Pieces of a block of memory, each on a cache line of its own. With `memory` NULL they are only measured.
typedef struct dbvhi_pieces {
	char *memory;
	size_t bytes;
} dbvhi_pieces;

static inline void *dbvhi_piece( dbvhi_pieces *p, size_t count, size_t size ) {
	void *here = p->memory != NULL ? p->memory + p->bytes : NULL;
	p->bytes += ( count * size + 63 ) / 64 * 64;
	return here;
}

// Are all named bodies in the scene?
dbvh_status dbvhi_moving_check( const dbvh_scene *scene, const uint32_t *bodies, size_t count, dbvh_error *error );

// Visits a pair; returns whether to go on.
typedef bool dbvhi_moving_visitor( void *context, const dbvhi_moving_pair *pair );

// Visits the pairs of moved bodies that rules do not exclude and whose boxes are at most *reach apart along one axis,
// in an order that depends on the boxes alone. The box of moved body i begins at boxes[stride i]; coordinates are no
// NaN. *reach may fall on the way. `keys` has room for a key a moved body. O(n log n), and a step for each pair that
// overlaps along that axis.
void dbvhi_moving_sweep( const dbvhi_moving *moving, const double *boxes, size_t stride, const double *reach,
                         uint64_t *keys, dbvhi_moving_visitor *visit, void *context );

// ------------------------------------------------------------------------------------------------
// Boxes round what a body sweeps.

// A box along the axes that encloses every triangle of a tree at every time from `begin` to `end` of a motion, in real
// arithmetic and as computed, grown by `grown` on each side.
void dbvhi_swept_box( const dbvh_tree *tree, const dbvh_motion *motion, double begin, double end, double grown,
                      double box_out[DBVHI_BOX_NUMBERS] );

// How many times its own size a body goes, about.
double dbvhi_sweep_length( const dbvh_tree *tree, const dbvh_motion *motion );
