// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compare the volumes of two whole meshes, in doubles, before a query sets anything up. Parts whose boxes are apart,
// which is most pairs of an assembly, are answered by this alone.

#pragma once

#include "bvh/node.h"
#include "query/common/mesh_pair.h"
#include "simd/isa.h"

// Result of comparing the root volumes of two trees.
typedef enum dbvhi_roots {
	DBVHI_ROOTS_NEAR,
	DBVHI_ROOTS_TOUCHING, // near, and along the normal of a face of either box they overlap by next to nothing
	DBVHI_ROOTS_BOXES_DISJOINT,
	DBVHI_ROOTS_BALLS_DISJOINT,
	DBVHI_ROOTS_REFUSED, // no rigid pose, or a position out of the reach of floats (DBVHI_PACKED_REACH)
	DBVHI_ROOTS_UNKNOWN, // not compared
} dbvhi_roots;

static inline bool dbvhi_roots_disjoint( dbvhi_roots roots ) {
	return roots == DBVHI_ROOTS_BALLS_DISJOINT || roots == DBVHI_ROOTS_BOXES_DISJOINT;
}

static inline bool dbvhi_roots_near( dbvhi_roots roots ) {
	return roots <= DBVHI_ROOTS_TOUCHING;
}

// Count the tests that led to a result.
static inline void dbvhi_roots_count( dbvhi_roots roots, dbvh_counters *counters ) {
	counters->sphere_tests += roots <= DBVHI_ROOTS_BALLS_DISJOINT;
	counters->box_tests += roots <= DBVHI_ROOTS_BOXES_DISJOINT;
}

// Compare the balls, then the boxes. If *deviation is negative, check the pose first and set *deviation to that of
// dbvhi_pose_check(), or leave it negative if the pose is refused.
typedef dbvhi_roots dbvhi_roots_kernel( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                        double max_distance, double *deviation );

// For each instruction set, by dbvhi_isa_level().
extern dbvhi_roots_kernel *const dbvhi_roots_kernel_table[DBVHI_ISA_COUNT];

// Are the balls or the boxes about two trees farther apart than `max_distance`? Counts the tests.
bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters );

// Compare the roots before anything else is set up, if one pose is NULL, the other one is not the identity, and the
// policy asks for the packed forms; otherwise UNKNOWN. The pose is checked on the way, and *deviation_out is its
// deviation.
static inline dbvhi_roots dbvhi_test_roots( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
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

// Set up the pair, and compare the roots unless dbvhi_test_roots() has: *roots is its answer at first, `deviation` what
// it returned. The errors are those of dbvhi_mesh_pair_init().
dbvh_status dbvhi_init_pair( dbvhi_mesh_pair *pair, const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                             const dbvh_pose *pose_b, double max_distance, dbvh_policy policy, double deviation,
                             dbvhi_roots *roots );
