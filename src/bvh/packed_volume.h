// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Volumes of a packed child in doubles, for traversals without a kernel.

#pragma once

#include "bvh/node.h"
#include "bvh/packed_block.h"
#include "math/quaternion.h"

// Bounds what volumes lose where they are subnormal in the unit of the mesh, which only those of a scaled block may be:
// a position is the sum of two numbers, each off by half of the smallest double.
#define DBVHI_VOLUME_LOSS 0x1p-1070

// Decodes box and sphere of a child in the unit of the mesh, with the tree's centre placed at `centre`. Both enclose
// the triangles as stored, with a margin of a part in 32,700, far more than the rounding here.
static inline void dbvhi_packed_volume_about( const dbvhi_packed *packed, uint32_t node, int lane,
                                              const double centre[3], dbvhi_node *out ) {
	DBVHI_ASSERT( node < packed->node_count && (unsigned)lane < DBVHI_WIDTH );
	const dbvhi_packed_spheres *s = &dbvhi_packed_spheres_of( packed )[node];
	const dbvhi_packed_box *box = &dbvhi_packed_boxes_of( packed )[DBVHI_WIDTH * (size_t)node + (size_t)lane];
	const double unit = (double)s->radius[lane] / (double)DBVHI_STEPS;
	double q[4];
	dbvhi_vec offset;
	const dbvhi_power up = dbvhi_packed_up( packed );
	const double lost = dbvhi_packed_is_scaled( packed ) ? DBVHI_VOLUME_LOSS : 0.0;
	for ( int k = 0; k < 4; ++k )
		q[k] = dbvhi_packed_number( box, DBVHI_TURN_W + k );
	dbvhi_rotation_from_quaternion( q, out->rot.m );
	for ( int k = 0; k < 3; ++k ) {
		offset.v[k] = dbvhi_times_power( up, unit * dbvhi_packed_number( box, DBVHI_OFFSET_0 + k ) );
		out->half.v[k] = dbvhi_times_power( up, unit * dbvhi_packed_number( box, DBVHI_HALF_0 + k ) ) + lost;
		out->sphere_outside.v[k] = centre[k] + dbvhi_times_power( up, (double)s->centre[k][lane] );
		out->pos.v[k] = out->sphere_outside.v[k] + offset.v[k];
	}
	out->sphere_inside = dbvhi_scale( -1.0, dbvhi_mat_apply_transposed( &out->rot, offset ) );
	out->radius = dbvhi_times_power( up, (double)s->radius[lane] ) + lost;
}

// dbvhi_packed_volume_about() in the frame of the mesh.
static inline void dbvhi_packed_volume( const dbvhi_packed *packed, uint32_t node, int lane, dbvhi_node *out ) {
	double centre[3];
	dbvhi_packed_mesh_centre( packed, centre );
	dbvhi_packed_volume_about( packed, node, lane, centre, out );
}
