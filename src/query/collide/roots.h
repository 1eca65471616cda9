// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The volumes of two whole meshes, in doubles: what a query asks before it sets anything up. Parts whose boxes are
// apart, which is most pairs of an assembly, are answered by this alone.

#pragma once

#include "bvh/node.h"
#include "query/common/mesh_pair.h"
#include "simd/isa.h"

// The largest gap between two boxes on the fifteen axes, the last nine of which are no longer than 1. `way`: from the
// centre of A's box to that of B's.
typedef double dbvhi_root_kernel( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                  const double way[3] );

// What is known of two whole meshes.
typedef enum dbvhi_roots {
	DBVHI_ROOTS_NEAR,
	DBVHI_ROOTS_BOXES_DISJOINT,
	DBVHI_ROOTS_BALLS_DISJOINT,
	DBVHI_ROOTS_REFUSED, // the pose is none, or so large that its numbers say nothing
	DBVHI_ROOTS_UNKNOWN, // nobody has asked
} dbvhi_roots;

static inline bool dbvhi_roots_disjoint( dbvhi_roots roots ) {
	return roots == DBVHI_ROOTS_BALLS_DISJOINT || roots == DBVHI_ROOTS_BOXES_DISJOINT;
}

// What it took.
static inline void dbvhi_roots_count( dbvhi_roots roots, dbvh_counters *counters ) {
	counters->sphere_tests += roots <= DBVHI_ROOTS_BALLS_DISJOINT;
	counters->box_tests += roots <= DBVHI_ROOTS_BOXES_DISJOINT;
}

// Balls, then boxes. Where *deviation is negative, the pose is checked first, and that becomes what dbvhi_pose_check()
// says of it.
typedef dbvhi_roots dbvhi_roots_kernel( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                        double max_distance, double *deviation );

// For each instruction set, by dbvhi_isa_level().
extern dbvhi_root_kernel *const dbvhi_root_kernel_table[DBVHI_ISA_COUNT];
extern dbvhi_roots_kernel *const dbvhi_roots_kernel_table[DBVHI_ISA_COUNT];

// Are the balls or the boxes about two trees farther apart than `max_distance`? Counts the tests.
bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters );

// dbvhi_mesh_pair_init(), and what the roots say if the policy asks for the packed forms. Where one pose is NULL, the
// other one is checked and the roots are compared before anything else is done; the pair is not made if they are
// disjoint.
dbvh_status dbvhi_roots_place( dbvhi_mesh_pair *pair, const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                               const dbvh_pose *pose_b, double max_distance, dbvh_policy policy,
                               dbvhi_roots *roots_out );
