// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The boxes of a broad phase one by one, the nearest first: best first down its tree, with a heap of what is to be
// looked into (Hjaltason and Samet 1999).

#pragma once

#include "scene/broad_phase.h"

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
