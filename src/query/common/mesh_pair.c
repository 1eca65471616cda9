// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/mesh_pair.h"

#include "base/assert.h"
#include "base/status.h"
#include "bvh/any_node.h"
#include "query/common/roots.h"

#include <math.h>

dbvh_status dbvhi_mesh_pair_init( dbvhi_mesh_pair *pair, const dbvh_tree *a, const dbvh_pose *pose_a,
                                  const dbvh_tree *b, const dbvh_pose *pose_b ) {
	DBVHI_ASSERT( a != NULL && b != NULL );
	dbvhi_relative_pose relative;
	DBVHI_TRY( dbvhi_pose_relate( pose_a, pose_b, &relative ) );
	pair->fixed = relative.a_moves ? b : a;
	pair->moved = relative.a_moves ? a : b;
	pair->pose = relative.frame_from_moved;
	pair->deviation = relative.deviation;
	pair->corner_error = -1.0;
	pair->a_moves = relative.a_moves;
	pair->touching = false;
	return DBVH_OK;
}

static dbvhi_roots test_pair_of_roots( const dbvhi_mesh_pair *pair, double max_distance ) {
	DBVHI_ASSERT( max_distance >= 0.0 && pair->deviation >= 0.0 );
	double deviation = pair->deviation;
	return dbvhi_roots_kernel_table[dbvhi_isa_level()]( dbvhi_tree_root( pair->fixed ), dbvhi_tree_root( pair->moved ),
	                                                    &pair->pose, max_distance, &deviation );
}

bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters ) {
	const dbvhi_roots roots = test_pair_of_roots( pair, max_distance );
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
		*roots = test_pair_of_roots( pair, max_distance );
	pair->touching = *roots == DBVHI_ROOTS_TOUCHING;
	return status;
}

void dbvhi_mesh_pair_init_self( dbvhi_mesh_pair *pair, const dbvh_tree *tree ) {
	DBVHI_ASSERT( tree != NULL );
	*pair = ( dbvhi_mesh_pair ){ .fixed = tree, .moved = tree, .pose = dbvh_pose_identity() };
}

// Derived in docs/design/margins.md. u is half an ulp of 1; K the steps from both roots; S bounds every extent.
double dbvhi_mesh_pair_margin( const dbvhi_mesh_pair *pair ) {
	DBVHI_ASSERT( pair->deviation >= 0.0 );
	const dbvhi_node *a = dbvhi_any_root( pair->fixed ), *b = dbvhi_any_root( pair->moved );
	double offsets = 0.0;
	for ( int k = 0; k < 3; ++k )
		offsets += fabs( a->pos.v[k] ) + fabs( b->pos.v[k] ) + fabs( pair->pose.pos[k] );
	const double size_b = b->half.v[0] + b->half.v[1] + b->half.v[2] + 4.0 * b->radius;
	const double size = size_b + a->half.v[0] + a->half.v[1] + a->half.v[2] + 4.0 * a->radius;
	const double steps = (double)pair->fixed->depth + (double)pair->moved->depth;
	return 0x1p-53 * ( 32.0 * offsets + 64.0 * steps * steps * size ) + 4.0 * pair->deviation * size_b +
	       dbvhi_subnormal_margin( steps );
}

// The margin of every axis, by the sum R of the two radii: only boxes whose spheres overlap are compared, and no box is
// larger than its sphere. Floats round by u = 2^-24.
//
// - An entry of the matrix from box to box is off by 64 u: the quaternion by 18 u, so its matrix by 36 u; 25 u more by
//   the evaluation, and u / 32 by the grid of the quaternion's numbers (TURN_GRID in packed_search.c).
// - The offset between the spheres is off by 40 u R once it is turned; the offset between the boxes, which is at most
//   2.8 R long, by 210 u R more.
// - The largest error of the three axes of A is 250 u R in the offset and 210 u R in the reach; of those of B 760 u R
//   and 210 u R; of the nine cross products of edges 870 u R and 140 u R. So 1152 u R is enough for any of the fifteen.
//
// A pose that is no rotation adds 51 d r. Let d be the largest entry of |rot^T rot - I|. By its polar form rot is
// within 3 d of the nearest rotation. The sums that the quaternion is made from are off by 9 d, or by three times 6 d
// for a length of 2 or more: the unit quaternion is off by 7 d, its rotation by 14 d, and a point of the moved sphere
// by 14 d + 3 d in each of three directions.
double dbvhi_packed_relative_margin( double deviation ) {
	DBVHI_ASSERT( deviation >= 0.0 );
	return 1152.0 * 0x1p-24 + 51.0 * deviation;
}
