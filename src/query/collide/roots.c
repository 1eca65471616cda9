// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/collide/roots.h"

#include "base/assert.h"

DBVHI_KERNEL_TABLE( dbvhi_root_kernel, dbvhi_root_kernel )
DBVHI_KERNEL_TABLE( dbvhi_roots_kernel, dbvhi_roots_kernel )

static dbvhi_roots compare( const dbvh_tree *fixed, const dbvh_tree *moved, const dbvh_pose *pose, double max_distance,
                            double *deviation, dbvh_counters *counters ) {
	DBVHI_ASSERT( max_distance >= 0.0 );
	const dbvhi_roots roots = dbvhi_roots_kernel_table[dbvhi_isa_level()](
	    dbvhi_tree_root( fixed ), dbvhi_tree_root( moved ), pose, max_distance, deviation );
	if ( roots != DBVHI_ROOTS_REFUSED ) {
		counters->sphere_tests += 1;
		counters->box_tests += roots != DBVHI_ROOTS_BALLS_DISJOINT;
	}
	return roots;
}

static bool are_disjoint( dbvhi_roots roots ) {
	return roots == DBVHI_ROOTS_BALLS_DISJOINT || roots == DBVHI_ROOTS_BOXES_DISJOINT;
}

bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters ) {
	DBVHI_ASSERT( pair->deviation >= 0.0 );
	double deviation = pair->deviation;
	return are_disjoint( compare( pair->fixed, pair->moved, &pair->pose, max_distance, &deviation, counters ) );
}

dbvh_status dbvhi_roots_place( dbvhi_mesh_pair *pair, const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                               const dbvh_pose *pose_b, double max_distance, dbvh_policy policy,
                               dbvh_counters *counters, bool *disjoint_out ) {
	const dbvh_pose *pose = pose_a == NULL ? pose_b : pose_b == NULL ? pose_a : NULL;
	if ( pose != NULL && dbvhi_is_packed( a, b, policy ) && !dbvhi_pose_is_identity( pose ) ) {
		pair->fixed = pose_a == NULL ? a : b;
		pair->moved = pose_a == NULL ? b : a;
		pair->a_moves = pose_a != NULL;
		pair->deviation = -1.0;
		pair->corner_error = -1.0;
		const dbvhi_roots roots = compare( pair->fixed, pair->moved, pose, max_distance, &pair->deviation, counters );
		if ( roots != DBVHI_ROOTS_REFUSED ) {
			*disjoint_out = are_disjoint( roots );
			if ( !*disjoint_out )
				pair->pose = *pose;
			return DBVH_OK;
		}
	}
	const dbvh_status status = dbvhi_mesh_pair_init( pair, a, pose_a, b, pose_b );
	*disjoint_out = status == DBVH_OK && dbvhi_mesh_pair_is_packed( pair, policy ) &&
	                dbvhi_roots_are_disjoint( pair, max_distance, counters );
	return status;
}
