// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/collide/roots.h"

#include "base/assert.h"
#include "base/inline.h"
#include "query/collide/overlap.h"

#include <math.h>
#include <string.h>

DBVHI_KERNEL_TABLE( dbvhi_root_kernel, dbvhi_root_kernel )

// Bounds the rounding of everything that is compared here. u = 2^-53; O is the sum of the offsets of both roots and of
// the pose, which no partial sum of the way between the roots exceeds; S bounds the extents of both volumes, and the
// way between the centres once the balls are known to be near each other.
//     the way between the centres   five roundings of each term, 5 u O; 7 u S more once it is turned into A's axes
//     the turn of B in A's axes     two products of matrices, 12 u an entry: 36 u S by the extents, as much by the way
//     what is compared              up to 16 u S
// On an axis of B and on a product of edges these come together once each; nowhere more than 5 u O + 130 u S. Where the
// pose deviates by d from a rotation, its axes of B are off from right angles by d: what B extends along one of its
// own, or along a product, is off by at most 3 d of the sum of its half lengths, and its ball is stretched by d.
static double rounding_margin( const dbvhi_mesh_pair *pair, const dbvhi_node *a, const dbvhi_node *b ) {
	double offsets = 0.0;
	for ( int k = 0; k < 3; ++k )
		offsets += fabs( a->pos.v[k] ) + fabs( b->pos.v[k] ) + fabs( pair->pose.pos[k] );
	const double size_b = b->half.v[0] + b->half.v[1] + b->half.v[2] + 4.0 * b->radius;
	const double size = size_b + a->half.v[0] + a->half.v[1] + a->half.v[2] + 4.0 * a->radius;
	return 0x1p-53 * ( 32.0 * offsets + 256.0 * size ) + 4.0 * pair->deviation * size_b + 0x1p-1040;
}

bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters ) {
	DBVHI_ASSERT( max_distance >= 0.0 );
	const dbvhi_node *a = dbvhi_tree_root( pair->fixed ), *b = dbvhi_tree_root( pair->moved );
	dbvhi_mat pose;
	dbvhi_vec ball, way;
	memcpy( pose.m, pair->pose.rot, sizeof pose.m );
	memcpy( way.v, pair->pose.pos, sizeof way.v );
	const double margin = rounding_margin( pair, a, b ) + dbvhi_distance_margin( max_distance, pair->deviation );
	ball = dbvhi_add( dbvhi_mat_apply( &pose, b->sphere_outside ), way );
	counters->sphere_tests += 1;
	if ( dbvhi_spheres_disjoint( a->sphere_outside, a->radius, ball, b->radius, margin ) )
		return true;
	way = dbvhi_sub( dbvhi_add( dbvhi_mat_apply( &pose, b->pos ), way ), a->pos );
	counters->box_tests += 1;
	return dbvhi_root_kernel_table[dbvhi_isa_level()]( a, b, &pair->pose, way.v ) > margin;
}
