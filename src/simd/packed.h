// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The packed tree, as the kernels read it: wide nodes in structure-of-arrays order. Lengths are in the mesh's unit,
// positions relative to a centre that the tree keeps in double.

#pragma once

#include <stdint.h>

// Children of a node, and triangles of a leaf.
#define DBVHI_WIDTH 4

// For each child the smallest sphere and an oriented box. The third axis is a2 x a0. Extents and the way from the box's
// centre to the sphere's are counted in steps, extents rounded up. An unused lane has an extent of DBVHI_NO_CHILD steps
// and no axes, and is never used: the lane masks leave it out.
typedef struct dbvhi_packed_node {
	float centre[3][DBVHI_WIDTH];
	float axis0[3][DBVHI_WIDTH];    // along the smallest extent
	float axis2[3][DBVHI_WIDTH];    // along the largest
	int16_t half[3][DBVHI_WIDTH];   // ascending
	int16_t sphere[3][DBVHI_WIDTH]; // relative to the box's centre
	float radius[DBVHI_WIDTH];
	int32_t child[DBVHI_WIDTH]; // a node, or ~ a leaf
	float step;
	uint32_t child_count;
} dbvhi_packed_node;

#define DBVHI_NO_CHILD ( -1 )

// Up to four triangles, quantised to a grid of their own: corner = origin + step ( 256 high + low ), 24 bits like the
// fraction of a float but for the sign. Unused lanes repeat the first.
typedef struct dbvhi_packed_leaf {
	float origin[3];
	float step;
	int16_t high[3][3][DBVHI_WIDTH]; // [corner][coordinate][triangle]
	uint8_t low[3][3][DBVHI_WIDTH];
	float size;               // the largest |corner - origin| of a coordinate, quantisation included
	uint32_t first_and_count; // the first triangle in leaf order * 4 + their number - 1
} dbvhi_packed_leaf;

_Static_assert( sizeof( dbvhi_packed_node ) == 232, "a node is 58 bytes a child" );
_Static_assert( sizeof( dbvhi_packed_leaf ) == 132, "a leaf is 33 bytes a triangle" );

// Two triangles that the kernel could not tell apart.
typedef struct dbvhi_candidate {
	uint32_t a, b; // triangles in leaf order
} dbvhi_candidate;

// Everything a kernel needs to go on with a traversal, and where it leaves what it has found.
typedef struct dbvhi_packed_run {
	const dbvhi_packed_node *nodes_a, *nodes_b;
	const dbvhi_packed_leaf *leaves_a, *leaves_b;
	float rot[3][3], pos[3];              // frame of A from frame of B, both about their centres
	double rot_exact[3][3], pos_exact[3]; // the same in double
	float margin;                         // bounds the error of a box's position
	float margin_relative;                // what else is off, relative to the two radii
	double origin_error;                  // bounds the error of a leaf's origin moved by rot_exact and pos_exact
	// Pairs of nodes whose children are to be compared, and which of the lane pairs: lane (i, j) is bit 4 j + i.
	int32_t *stack_a, *stack_b, *stack_lanes;
	uint32_t stack_count;
	int32_t *leaf_a, *leaf_b; // room for DBVHI_LEAF_QUEUE
	uint32_t leaf_count;
	uint32_t first_only; // the search ends with the first contact
	dbvhi_candidate *candidates; // room for DBVHI_CANDIDATES
	uint32_t candidate_count;
	uint64_t node_tests, leaf_tests; // vectors of 16 pairs compared
} dbvhi_packed_run;

// Pairs taken from the stack at a time: enough to hide the latency of one behind the others, few enough to stay with
// the nearest first.
#define DBVHI_CHUNK 8
// A chunk adds up to 16 pairs of leaves for each pair of nodes; queues are emptied when they hold this many.
#define DBVHI_LEAF_BATCH 16
#define DBVHI_LEAF_QUEUE ( DBVHI_LEAF_BATCH + 16 * DBVHI_CHUNK + 16 )
// Up to sixteen a pair of leaves, on top of what was left for the next batch.
#define DBVHI_CANDIDATES ( 16 * DBVHI_LEAF_QUEUE + 8 )
// So many pairs of nodes into a search for the first contact, it gives up hope of an early one.
#define DBVHI_EAGER_TESTS 40

// The deepest stack for trees of these depths: each chunk replaces its pairs by at most 16 times as many, one level
// further down in at least one tree. A vector's width is added for stores that write past the end.
#define DBVHI_PACKED_STACK( depth_a, depth_b ) ( 16 * DBVHI_CHUNK * ( ( depth_a ) + ( depth_b ) + 1 ) + 16 )

// A child this many times larger than its partner, by the radius, is divided alone.
#define DBVHI_SIZE_RATIO 3.0f

// Goes on until there are candidates to decide (1) or nothing is left (0).
typedef int dbvhi_packed_kernel( dbvhi_packed_run *run );

// Eight pairs of triangles for the double filter, one array a coordinate: corner c's coordinate k at [3 c + k].
#define DBVHI_TRIANGLE_BATCH 8
#define DBVHI_BATCH_APART 0.0
#define DBVHI_BATCH_MEET 1.0
#define DBVHI_BATCH_UNSURE 2.0

typedef struct dbvhi_triangle_batch {
	double fixed[9][DBVHI_TRIANGLE_BATCH], moved[9][DBVHI_TRIANGLE_BATCH];
	double rot[3][3], pos[3]; // fixed from moved
	double error;             // bounds the rounding of a moved corner
	double answer[DBVHI_TRIANGLE_BATCH];
} dbvhi_triangle_batch;

typedef void dbvhi_triangle_kernel( dbvhi_triangle_batch *batch );
