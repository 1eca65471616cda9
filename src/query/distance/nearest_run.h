// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Input, stacks and output of the kernels of distance and time of impact: a traversal of two packed trees for pairs of
// triangles that are nearer than some length, the nearest first.

#pragma once

#include "query/common/packed_run.h"
#include "simd/isa.h"

// Two triangles that may be within reach, as far as floats can tell.
typedef struct dbvhi_near_candidate {
	uint32_t a, b;      // in leaf order
	float lower, upper; // bounds of their distance
} dbvhi_near_candidate;

// Pairs of triangles that wait to be measured, a pair a column: the corners as load_leaves() places them, the unit of
// length, and the error of bounds in that unit.
#define DBVHI_NEAR_QUEUE 48

typedef struct dbvhi_near_queue {
	float a[9][DBVHI_NEAR_QUEUE], b[9][DBVHI_NEAR_QUEUE];
	float unit[DBVHI_NEAR_QUEUE], slack[DBVHI_NEAR_QUEUE];
	uint32_t leaf_a[DBVHI_NEAR_QUEUE], leaf_b[DBVHI_NEAR_QUEUE]; // triangles in leaf order
	uint32_t count;
} dbvhi_near_queue;

// The kernel's goal: which pairs within reach it has to find.
typedef enum dbvhi_near_goal {
	DBVHI_NEAR_FIRST,   // any one
	DBVHI_NEAR_ALL,     // all
	DBVHI_NEAR_NEAREST, // the nearest: `reach` falls to the nearest so far
} dbvhi_near_goal;

typedef struct dbvhi_nearest_run {
	dbvhi_packed_run packed;   // note: its candidates and their count are not used
	float *stack_key;          // lower bound of the distance of each pair on the stack
	float *stack_rank;         // order of the search; NULL: the pair on top of the stack is next
	float best;                // pairs farther apart than this do not count; rounded up
	float reach;               // pairs farther apart than this are discarded: not above `best`
	float stretch;             // relative error of gaps
	float margin;              // error of a sphere's position; packed.margin is this and the reach
	uint32_t small_a, small_b; // numbers of leaves, if so few that they are compared without the trees; else 0
	uint64_t ordered;          // vectors of nodes for which the nearest pair is next; 0: any order
	dbvhi_near_goal goal;
	float factor, allowance; // DBVHI_NEAR_NEAREST: `reach` is factor ( best - allowance )
	float direction[3];      // about a unit vector: from A to B between the nearest points so far
	dbvhi_near_queue *queue;
	dbvhi_near_candidate *candidates; // DBVHI_NEAR_CANDIDATES entries
	uint32_t candidate_count;
} dbvhi_nearest_run;

#define DBVHI_NEAR_CANDIDATES 1024

// Cost of measuring pairs of triangles, in steps of dbvh_budget: up to sixteen in floats, and one in doubles.
#define DBVHI_MEASURE_STEPS 8
#define DBVHI_COMPARE_STEPS 1

// The most pairs of leaves that are compared without the trees.
#define DBVHI_NEAR_SMALL 25

// Continue the traversal. Returns 1 if there are candidates to decide or at the pause, 0 if nothing is left. Candidates
// are returned when there are many; when one may intersect, which ends a search for the nearest; and with
// DBVHI_NEAR_FIRST whenever there are any.
typedef int dbvhi_distance_kernel( dbvhi_nearest_run *run );
extern dbvhi_distance_kernel *const dbvhi_distance_kernel_table[DBVHI_ISA_COUNT];
