// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What the kernel of query/toi/kernel.inl works on: a traversal of two packed trees, the second of them in motion, for
// what may intersect in a piece of time; the soonest first.

#pragma once

#include "query/distance/kernel.h"

// Lengths are in the unit of the trees, times in parts of the piece, so that a velocity is the way to its end.
typedef struct dbvhi_motion_run {
	// Of which the trees, the pose at the beginning, its margins, the stacks and the candidates are used. `lower` of a
	// candidate is a time before which it does not intersect.
	dbvhi_nearest_run near;
	// A point y of B, from its centre, has the velocity velocity y + drift, and is accelerated by at most
	// 2 |bend y + bend_drift|, to be bounded as the following say.
	float velocity[3][3], drift[3];
	float bend[3][3], bend_drift[3];
	float bend_more;     // what else it bends aside, anywhere,
	float bend_spread;   // and in each unit of length from where the above is asked
	float twist;         // what velocities differ by, in each unit of length
	float way;           // bounds all velocities
	float shrink;        // makes lengths in the piece about 1, at most
	float limit;         // no time after this is of interest
	uint32_t is_turning; // else the velocity is `drift` everywhere, and nothing bends
	// Pairs that bend aside by more than this, relative to their radii, are put aside as long as there is room, to be
	// looked at in shorter pieces. `coarse` counts as that, too: a part of what floats make of the way.
	float coarse;
	float most_bend, bend_margin;
	int32_t *wait_a, *wait_b, *wait_lanes; // as the stacks
	uint32_t wait_count, wait_capacity;
} dbvhi_motion_run;

// Goes on until there are candidates, all of one pair of leaves, or it has made so many tests as is set for its next
// pause (1), or nothing is left (0).
typedef int dbvhi_toi_kernel( dbvhi_motion_run *run );
extern dbvhi_toi_kernel *const dbvhi_toi_kernel_table[DBVHI_ISA_COUNT];
