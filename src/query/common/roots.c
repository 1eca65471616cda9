// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/roots.h"

#include "base/assert.h"

static dbvhi_roots compare( const dbvhi_mesh_pair *pair, double max_distance ) {
	DBVHI_ASSERT( max_distance >= 0.0 && pair->deviation >= 0.0 );
	double deviation = pair->deviation;
	return dbvhi_roots_kernel_table[dbvhi_isa_level()]( dbvhi_tree_root( pair->fixed ), dbvhi_tree_root( pair->moved ),
	                                                    &pair->pose, max_distance, &deviation );
}

bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters ) {
	const dbvhi_roots roots = compare( pair, max_distance );
	dbvhi_roots_count( roots, counters );
	return dbvhi_roots_disjoint( roots );
}

dbvh_status dbvhi_init_pair( dbvhi_mesh_pair *pair, const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                             const dbvh_pose *pose_b, double max_distance, dbvh_policy policy, double deviation,
                             dbvhi_roots *roots ) {
	pair->touching = false;
	if ( dbvhi_roots_near( *roots ) ) {
		pair->fixed = pose_a == NULL ? a : b;
		pair->moved = pose_a == NULL ? b : a;
		pair->pose = pose_a == NULL ? *pose_b : *pose_a;
		pair->deviation = deviation;
		pair->corner_error = -1.0;
		pair->a_moves = pose_a != NULL;
		pair->touching = *roots == DBVHI_ROOTS_TOUCHING;
		return DBVH_OK;
	}
	const dbvh_status status = dbvhi_mesh_pair_init( pair, a, pose_a, b, pose_b );
	*roots = DBVHI_ROOTS_UNKNOWN;
	if ( status == DBVH_OK && dbvhi_mesh_pair_is_packed( pair, policy ) )
		*roots = compare( pair, max_distance );
	pair->touching = *roots == DBVHI_ROOTS_TOUCHING;
	return status;
}
