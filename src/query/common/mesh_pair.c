// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/mesh_pair.h"

#include "base/assert.h"
#include "base/status.h"
#include "bvh/any_node.h"

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

// With u = 2^-24, as floats round. R is the sum of the two radii: only boxes whose spheres overlap are looked at, and
// no box is larger than its sphere. The quaternion that turns one box into the other's frame is off by 18 u, so an
// entry of its matrix by 36 u, and by 25 u for its evaluation, and by u / 32 for the grid that its numbers are put on
// (TURN_GRID in packed_search.c); call it 64 u. The offset between the spheres loses 40 u R as it is turned, that
// between the boxes, at most 2.8 R, 210 u R more by their offsets. An axis of A then has 250 u R + 210 u R of error, an
// axis of B 760 u R + 210 u R, an edge cross 870 u R + 140 u R: 1152 u R is enough for all. Where the pose is no
// rotation, its entries differ from those of the quaternion: with d for the largest entry of |rot^T rot - I|, rot is
// within 3 d of the nearest rotation (by its polar form), so what the quaternion is made of is off by 9 d and three
// times 6 d, for a length of 2 or more, the unit quaternion by 7 d, its rotation by 14 d, and a point of the moved
// sphere by at most 17 d in each of three directions: 51 d r.
double dbvhi_packed_relative_margin( double deviation ) {
	DBVHI_ASSERT( deviation >= 0.0 );
	return 1152.0 * 0x1p-24 + 51.0 * deviation;
}
