// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What the kernels of distances and of times of impact work on: a traversal of two packed trees for what is nearer than
// some length, the nearest first.

#pragma once

#include "query/common/packed_run.h"
#include "simd/isa.h"

// Two triangles that are within reach as far as floats can tell.
typedef struct dbvhi_near_candidate {
	uint32_t a, b;      // in leaf order
	float lower, upper; // bounds of their distance
} dbvhi_near_candidate;

// Pairs of triangles that wait to be measured, a pair a column: the corners as load_leaves() places them, and in what
// unit, and what bounds are off by.
#define DBVHI_NEAR_QUEUE 48

typedef struct dbvhi_near_queue {
	float a[9][DBVHI_NEAR_QUEUE], b[9][DBVHI_NEAR_QUEUE];
	float unit[DBVHI_NEAR_QUEUE], slack[DBVHI_NEAR_QUEUE];
	uint32_t leaf_a[DBVHI_NEAR_QUEUE], leaf_b[DBVHI_NEAR_QUEUE]; // triangles in leaf order
	uint32_t count;
} dbvhi_near_queue;

// What the kernel is to do with pairs that are certainly within reach.
typedef enum dbvhi_near_goal {
	DBVHI_NEAR_FIRST,   // be content with one
	DBVHI_NEAR_ALL,     // go on
	DBVHI_NEAR_NEAREST, // reach no farther than the nearest so far
} dbvhi_near_goal;

typedef struct dbvhi_nearest_run {
	dbvhi_packed_run packed;   // of which candidates, leaf queues and counts of candidates are not used
	float *stack_key;          // beside the other stacks: about how far apart, a lower bound
	float *stack_rank;         // and by what the order goes; NULL where the last that was put there is as good
	float best;                // pairs farther apart than this do not count; rounded up
	float reach;               // pairs farther apart than this need not be looked at: not above `best`
	float stretch;             // gaps may be too long by that part
	float margin;              // what bounds the error of a sphere's position: packed.margin has the reach beside it
	uint32_t small_a, small_b; // leaves, where so few are compared without the trees; else 0
	uint64_t ordered;          // so many vectors of nodes the closest come first; 0: no more
	dbvhi_near_goal goal;
	float factor, allowance; // DBVHI_NEAR_NEAREST: `reach` is factor ( best - allowance )
	float direction[3];      // about a unit vector: from A to B where they were nearest so far
	dbvhi_near_queue *queue;
	dbvhi_near_candidate *candidates; // room for DBVHI_NEAR_CANDIDATES
	uint32_t candidate_count;
} dbvhi_nearest_run;

#define DBVHI_NEAR_CANDIDATES 1024

// What a budget is charged for measuring pairs of triangles: up to sixteen in floats, and one in doubles.
#define DBVHI_MEASURE_STEPS 8
#define DBVHI_COMPARE_STEPS 1

// At most so many pairs of leaves are compared without the trees.
#define DBVHI_NEAR_SMALL 25
