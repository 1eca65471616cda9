// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of dbvh_collide(): the traversal of two packed trees, and the filters in doubles for pairs of triangles
// that floats leave undecided.

#pragma once

#include "query/common/packed_run.h"
#include "simd/isa.h"

// Continue a traversal (collide), or begin a search with a guess at one pair of leaves (dive). Returns 1 when there are
// candidates to decide, or at the pause, with or without candidates; 0 when nothing is left.
typedef int dbvhi_collide_kernel( dbvhi_packed_run *run );

// Compare all leaves of A with the leaves of B from run->small_next on, without the trees. Returns 1 when there are
// candidates to decide, 0 when nothing is left.
typedef int dbvhi_small_kernel( dbvhi_packed_run *run, uint32_t leaf_count_a, uint32_t leaf_count_b );

// Least number of pairs of triangles left of two leaves for which the leaves are tested as wholes.
#define DBVHI_FLAT_LANES 5

// Most leaves of A, and most pairs of leaves, that are compared without the trees: fewer pairs where a vector of
// sixteen floats is made of several.
#define DBVHI_SMALL_LEAVES 8
#define DBVHI_SMALL_PAIRS 25
#define DBVHI_SMALL_PAIRS_NARROW 9

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

// Is a row of a rotation an axis? Its products are then exact.
static inline int dbvhi_is_axis( const double row[3] ) {
	return ( row[0] != 0.0 ) + ( row[1] != 0.0 ) + ( row[2] != 0.0 ) == 1 &&
	       __builtin_fabs( row[0] + row[1] + row[2] ) == 1.0;
}

// For each instruction set, by dbvhi_isa_level().
extern dbvhi_collide_kernel *const dbvhi_collide_kernel_table[DBVHI_ISA_COUNT];
extern dbvhi_small_kernel *const dbvhi_small_kernel_table[DBVHI_ISA_COUNT];
extern dbvhi_collide_kernel *const dbvhi_dive_kernel_table[DBVHI_ISA_COUNT];
extern dbvhi_triangle_kernel *const dbvhi_triangle_kernel_table[DBVHI_ISA_COUNT];
// The second filter: for triangles that lie nearly in one plane.
extern dbvhi_triangle_kernel *const dbvhi_flat_kernel_table[DBVHI_ISA_COUNT];
// The third filter: the tests of both in pairs of doubles.
extern dbvhi_triangle_kernel *const dbvhi_fine_kernel_table[DBVHI_ISA_COUNT];
