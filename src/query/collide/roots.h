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
	DBVHI_ROOTS_TOUCHING, // near, and along the normal of a face of either box they overlap by next to nothing
	DBVHI_ROOTS_BOXES_DISJOINT,
	DBVHI_ROOTS_BALLS_DISJOINT,
	DBVHI_ROOTS_REFUSED, // the pose is none, or so large that its numbers say nothing
	DBVHI_ROOTS_UNKNOWN, // nobody has asked
} dbvhi_roots;

static inline bool dbvhi_roots_disjoint( dbvhi_roots roots ) {
	return roots == DBVHI_ROOTS_BALLS_DISJOINT || roots == DBVHI_ROOTS_BOXES_DISJOINT;
}

static inline bool dbvhi_roots_near( dbvhi_roots roots ) {
	return roots <= DBVHI_ROOTS_TOUCHING;
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

// What the roots say where one pose is NULL, the other one is not the identity, and the policy asks for the packed
// forms; elsewhere UNKNOWN. Before anything else is done, the pose is checked on the way; *deviation_out is that of it.
static inline dbvhi_roots dbvhi_roots_ask( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                           const dbvh_pose *pose_b, double max_distance, dbvh_policy policy,
                                           double *deviation_out ) {
	const dbvh_pose *pose = pose_a == NULL ? pose_b : pose_b == NULL ? pose_a : NULL;
	*deviation_out = -1.0;
	if ( pose == NULL || !dbvhi_is_packed( a, b, policy ) || dbvhi_pose_is_identity( pose ) )
		return DBVHI_ROOTS_UNKNOWN;
	const dbvh_tree *fixed = pose_a == NULL ? a : b, *moved = pose_a == NULL ? b : a;
	return dbvhi_roots_kernel_table[dbvhi_isa_level()]( dbvhi_tree_root( fixed ), dbvhi_tree_root( moved ), pose,
	                                                    max_distance, deviation_out );
}

// Makes the pair and what the roots say of it, as far as neither is known; `deviation` is from dbvhi_roots_ask(), whose
// answer *roots is at first. dbvhi_mesh_pair_init() has the errors.
dbvh_status dbvhi_roots_place( dbvhi_mesh_pair *pair, const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                               const dbvh_pose *pose_b, double max_distance, dbvh_policy policy, double deviation,
                               dbvhi_roots *roots );
