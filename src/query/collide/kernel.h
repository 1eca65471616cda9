// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of dbvh_collide(): the traversal of two packed trees, and the filter in doubles for what floats leave
// over.

#pragma once

#include "query/common/packed_run.h"
#include "simd/isa.h"

// Goes on until there are candidates to decide (1) or nothing is left (0). At the pause it returns 1 too, with or
// without candidates.
typedef int dbvhi_collide_kernel( dbvhi_packed_run *run );

// All leaves of one tree with all of the other, from run->small_next of B on: for trees of few. Goes on until there are
// candidates to decide (1) or nothing is left (0).
typedef int dbvhi_small_kernel( dbvhi_packed_run *run, uint32_t leaf_count_a, uint32_t leaf_count_b );

// So many pairs of triangles of two leaves are worth a test of the leaves as a whole.
#define DBVHI_FLAT_LANES 5

// Few are so many leaves of A, and pairs of leaves: fewer where a vector of sixteen floats is made of several.
#define DBVHI_SMALL_LEAVES 8
#define DBVHI_SMALL_PAIRS 25
#define DBVHI_SMALL_PAIRS_NARROW 9

// The pairs of children of two nodes whose spheres may overlap: its first stage alone.
typedef uint32_t dbvhi_sphere_kernel( const dbvhi_packed_run *run, int32_t node_a, int32_t node_b );

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

// Whether a row of a rotation is an axis, so that its products are exact.
static inline int dbvhi_is_axis( const double row[3] ) {
	return ( row[0] != 0.0 ) + ( row[1] != 0.0 ) + ( row[2] != 0.0 ) == 1 &&
	       __builtin_fabs( row[0] + row[1] + row[2] ) == 1.0;
}

// For each instruction set, by dbvhi_isa_level().
extern dbvhi_collide_kernel *const dbvhi_collide_kernel_table[DBVHI_ISA_COUNT];
extern dbvhi_small_kernel *const dbvhi_small_kernel_table[DBVHI_ISA_COUNT];
extern dbvhi_sphere_kernel *const dbvhi_sphere_kernel_table[DBVHI_ISA_COUNT];
extern dbvhi_triangle_kernel *const dbvhi_triangle_kernel_table[DBVHI_ISA_COUNT];
// For what that has left unsure: triangles that lie nearly in one plane.
extern dbvhi_triangle_kernel *const dbvhi_flat_kernel_table[DBVHI_ISA_COUNT];
// And for what that has left: both tests again, in pairs of doubles.
extern dbvhi_triangle_kernel *const dbvhi_fine_kernel_table[DBVHI_ISA_COUNT];
