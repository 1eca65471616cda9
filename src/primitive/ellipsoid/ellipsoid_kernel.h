// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One ellipsoid against many boxes, sixteen at a time in floats: what the kernel is given and returns.

#pragma once

#include "simd/isa.h"

#include <stddef.h>
#include <stdint.h>

// Sixteen boxes, a lane each. Lengths are in units in which no number is much above 1, about an origin of the pack's.
typedef struct dbvhi_obb_block {
	float centre[3][16];
	float axes[3][3][16]; // axes[i]: direction i
	float half[3][16];
} dbvhi_obb_block;

typedef struct dbvhi_ellipsoid_run {
	const dbvhi_obb_block *blocks;
	size_t block_count;
	float centre[3];
	float axes[3][3], half[3], inverse[3];
	// Thresholds with the error of a computed distance in the ball's space: squares of the lengths up to which two
	// volumes certainly meet, and from which they are certainly disjoint, in ordinary space, then in the ball's.
	float near_square, far_square, inner_square, outer_square;
	// Results, a bit a lane for each block: intersecting; undecided. All others are disjoint.
	uint16_t *meet, *open;
} dbvhi_ellipsoid_run;

typedef void dbvhi_ellipsoid_kernel( const dbvhi_ellipsoid_run *run );

// For each instruction set, by dbvhi_isa_level().
extern dbvhi_ellipsoid_kernel *const dbvhi_ellipsoid_kernel_table[DBVHI_ISA_COUNT];
