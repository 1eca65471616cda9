// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Input, stacks and output of the kernel in query/toi/kernel.inl: a traversal of two packed trees, the second of them
// in motion, for pairs of triangles that may intersect in a piece of time; the soonest first.

#pragma once

#include "query/distance/nearest_run.h"

// Lengths are in the unit of the trees. The unit of time is the piece, so a velocity is the displacement in the piece.
typedef struct dbvhi_motion_run {
	// The trees, the pose at the beginning, its margins, the stacks and the candidates are those of this run; the rest
	// of it is not used. `lower` of a candidate is a time before which it does not intersect.
	dbvhi_nearest_run near;
	// A point y of B, from its centre, has the velocity `velocity y + drift`. Its deviation from a straight line in the
	// piece is at most |bend y + bend_drift| + bend_more, and by bend_spread larger for each unit of length between the
	// point and y.
	float velocity[3][3], drift[3];
	float bend[3][3], bend_drift[3];
	float bend_more;
	float bend_spread;
	float twist;         // difference of the velocities of two points, for each unit of length between them
	float way;           // bounds all velocities
	float shrink;        // factor that makes all lengths in the piece at most about 1
	float limit;         // candidates after this time are discarded
	uint32_t is_turning; // 0: the velocity is `drift` everywhere, and all points move on straight lines
	// Pairs that deviate by more than most_bend radii + bend_margin are put aside as long as there is room, to be
	// searched in shorter pieces. `coarse`, a share of the rounding of positions in floats, is added to the deviation.
	float coarse;
	float most_bend, bend_margin;
	int32_t *wait_a, *wait_b, *wait_lanes; // pairs put aside, in the form of the stacks
	uint32_t wait_count, wait_capacity;
} dbvhi_motion_run;

// Continue the traversal. Returns 1 if there are candidates, all of one pair of leaves, or if the number of tests has
// reached the next pause; 0 if nothing is left.
typedef int dbvhi_toi_kernel( dbvhi_motion_run *run );
extern dbvhi_toi_kernel *const dbvhi_toi_kernel_table[DBVHI_ISA_COUNT];
