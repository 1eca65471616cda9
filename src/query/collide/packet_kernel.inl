// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The shared traversal of a packet of poses, by the stages of kernel.inl: spheres and triangles one pose at a time,
// boxes of all poses in one vector. Its margins are those of each pose's own run.

#define DBVHI_WIDE_FEW

#include "query/collide/packet.h"
#include "simd/kernel_name.h"
#include "simd/vec_f.h"

dbvhi_packet_kernel DBVHI_KERNEL_NAME( dbvhi_packet_kernel );

#if FEW >= 8

#include "query/collide/leaf_filter.inl"
#include "query/common/node_stages.inl"

// Pairs that wait for the test of boxes while there are spheres to test.
#define AHEAD ( FEW + 8 )
// Pairs of leaves that wait while there are nodes to test.
#define LEAVES_AHEAD 4
// Spheres overlap deeply if their centres are nearer than the root of this part of the sum of their radii: a contact is
// likeliest below such pairs, so they are pushed last. A smaller part compares up to a third more nodes before the
// first contact.
#define DEEP_SQUARE 0.5f

// Compare the spheres of the children of the topmost pair of nodes.
VECTOR_INLINE void spheres_of_top( dbvhi_packet *k, uint32_t pose ) {
	dbvhi_packed_run *run = &k->run[pose];
	const uint32_t at = --k->stack_count, begin = k->box_end;
	run->box_end = begin;
	test_spheres( run, k->stack_a[at], k->stack_b[at], (uint32_t)k->stack_lanes[at] & 0xffff );
	const int_few of_all = (int32_t)pose - ( int_few ){ 0 };
	for ( uint32_t i = 0; i < 16; i += FEW )
		memcpy( k->queue_pose + begin + i, &of_all, sizeof of_all );
	k->box_end = run->box_end;
	run->box_tests += k->box_end - begin;
}

VECTOR_INLINE lane_poses poses_of_lanes( const dbvhi_packet *k, int_few pose ) {
	lane_poses out = { .turn_scale = few_lookup( k->turn_scale, pose ) };
	for ( int i = 0; i < 4; ++i )
		out.turn[i] = few_lookup( k->turn[i], pose );
	for ( int i = 0; i < 9; ++i )
		out.rot[i / 3][i % 3] = few_lookup( k->rot[i], pose );
	return out;
}

// Push the pairs of lanes that a test of boxes has left: pairs of leaves to the leaves, others on the stack, as
// dbvhi_child_pair_of() says, those of `deep` last. Masks of `a_larger` and `b_larger` are -1 or 0 a lane.
VECTOR_INLINE void push_lanes( dbvhi_packet *k, uint32_t from, int_few child_a, int_few child_b, uint32_t lanes,
                               uint32_t deep, int_few a_larger, int_few b_larger ) {
	DBVHI_ASSERT( k->stack_count + 2 * FEW <= DBVHI_PACKET_STACK && k->leaf_count + FEW <= DBVHI_PACKET_LEAVES );
	int_few id_a, id_b, pose;
	memcpy( &id_a, k->queue.a + from, sizeof id_a );
	memcpy( &id_b, k->queue.b + from, sizeof id_b );
	memcpy( &pose, k->queue_pose + from, sizeof pose );
	const int_few is_leaf_a = child_a < 0, is_leaf_b = child_b < 0;
	const int_few a_stays = is_leaf_a | ( b_larger & ~is_leaf_b ), b_stays = is_leaf_b | ( a_larger & ~is_leaf_a );
	const int_few lanes_a = 0x1111 << ( id_a & 3 ), lanes_b = 0xf << ( DBVHI_WIDTH * ( id_b & 3 ) );
	const int_few lanes_either = ( b_stays & lanes_b ) | ( ~b_stays & 0xffff );
	const int_few next[3] = { ( a_stays & ( id_a >> 2 ) ) | ( ~a_stays & child_a ),
	                          ( b_stays & ( id_b >> 2 ) ) | ( ~b_stays & child_b ),
	                          ( a_stays & lanes_a ) | ( ~a_stays & lanes_either ) | pose << 16 };
	const int_few leaves[3] = { child_a, child_b, pose };
	const uint32_t are_leaves = lanes & few_negative( child_a ) & few_negative( child_b ), rest = lanes & ~are_leaves;
	int32_t *const stack[3] = { k->stack_a, k->stack_b, k->stack_lanes };
	int32_t *const queue[3] = { k->leaf_a, k->leaf_b, k->leaf_pose };
	k->stack_count = few_keep( stack, k->stack_count, rest & ~deep, next );
	k->stack_count = few_keep( stack, k->stack_count, rest & deep, next );
	k->leaf_count = few_keep( queue, k->leaf_count, are_leaves, leaves );
}

// Compare the boxes of the newest pairs of the queue, up to FEW.
VECTOR_INLINE void test_newest_boxes( dbvhi_packet *k ) {
	const uint32_t count = k->box_end < FEW ? k->box_end : FEW, from = k->box_end - count;
	DBVHI_ASSERT( count > 0 );
	dbvhi_box_queue *queue = &k->queue;
	// Padding lanes compare the first boxes of both trees at the first pose; their result is masked out below.
	if ( count < FEW ) {
		memset( queue->a + from + count, 0, FEW * sizeof queue->a[0] );
		memset( queue->b + from + count, 0, FEW * sizeof queue->b[0] );
		memset( k->queue_pose + from + count, 0, FEW * sizeof k->queue_pose[0] );
	}
	int_few pose;
	memcpy( &pose, k->queue_pose + from, sizeof pose );
	const float_few radius_a = few_load( queue->radius_a + from ), radius_b = few_load( queue->radius_b + from );
	const boxes a = gather_boxes( k->run[0].boxes_a, queue->a + from, radius_a );
	const boxes b = gather_boxes( k->run[0].boxes_b, queue->b + from, radius_b );
	const float_few offset[3] = { few_load( queue->offset[0] + from ), few_load( queue->offset[1] + from ),
	                              few_load( queue->offset[2] + from ) };
	const float_few radii = radius_a + radius_b;
	const float_few margin = few_fma( radii, few_lookup( k->margin_relative, pose ), few_lookup( k->margin, pose ) );
	const lane_poses poses = poses_of_lanes( k, pose );
	const uint32_t overlap = boxes_overlap( &poses, &a, &b, offset, margin, 0 ) & ( ( 1u << count ) - 1 );
	const float_few square = few_fma( offset[0], offset[0], few_fma( offset[1], offset[1], offset[2] * offset[2] ) );
	const uint32_t deep = few_greater( radii * radii * few_set( DEEP_SQUARE ), square );
	const uint32_t top_before = k->stack_count;
	push_lanes( k, from, a.child, b.child, overlap, deep, radius_a > radius_b * DBVHI_SIZE_RATIO,
	            radius_b > radius_a * DBVHI_SIZE_RATIO );
	for ( uint32_t i = top_before; k->run[0].is_large && i < k->stack_count; ++i )
		fetch_node_pair( &k->run[0], k->stack_a[i], k->stack_b[i] );
	k->box_end = from;
}

// Filter the triangles of the newest pairs of leaves, as long as they are of this pose and none meet.
VECTOR_INLINE void filter_newest_leaves( dbvhi_packet *k, uint32_t pose ) {
	dbvhi_packed_run *run = &k->run[pose];
	run->candidate_count = run->contact_count = 0;
	do {
		k->leaf_count -= 1;
		const int32_t leaf_a = ~k->leaf_a[k->leaf_count], leaf_b = ~k->leaf_b[k->leaf_count];
		const dbvhi_packed_leaf *a = &run->leaves_a[leaf_a], *b = &run->leaves_b[leaf_b];
		const leaf_lanes lanes = triangles_overlap( run, a, b );
		run->leaf_tests += 1;
		if ( !are_flat_and_apart( run, lanes, leaf_a, leaf_b ) )
			keep_lanes( run, lanes, a->first_and_count >> 2, b->first_and_count >> 2 );
	} while ( run->contact_count == 0 && k->leaf_count > 0 && (uint32_t)k->leaf_pose[k->leaf_count - 1] == pose );
}

dbvhi_packet_stop DBVHI_KERNEL_NAME( dbvhi_packet_kernel )( dbvhi_packet *k ) {
	for ( ;; ) {
		const int last = k->stack_count == 0 && k->box_end == 0;
		if ( k->leaf_count >= LEAVES_AHEAD || ( last && k->leaf_count > 0 ) ) {
			const uint32_t pose = (uint32_t)k->leaf_pose[k->leaf_count - 1];
			k->stopped = pose;
			if ( ( k->live >> pose & 1 ) == 0 ) {
				k->leaf_count -= 1;
				continue;
			}
			if ( ( k->with_leaves >> pose & 1 ) == 0 )
				return DBVHI_PACKET_LEAVES_REACHED;
			filter_newest_leaves( k, pose );
			if ( k->run[pose].candidate_count + k->run[pose].contact_count > 0 )
				return DBVHI_PACKET_CANDIDATES;
			continue;
		}
		if ( last )
			return DBVHI_PACKET_OVER;
		if ( k->box_end >= AHEAD || k->stack_count == 0 ) {
			test_newest_boxes( k );
			continue;
		}
		const uint32_t pose = (uint32_t)k->stack_lanes[k->stack_count - 1] >> 16;
		if ( ( k->live >> pose & 1 ) == 0 ) {
			k->stack_count -= 1;
		} else if ( k->run[pose].node_tests >= k->run[pose].pause || k->stack_count > DBVHI_PACKET_HIGH ) {
			k->stopped = pose;
			return DBVHI_PACKET_LEFT;
		} else {
			spheres_of_top( k, pose );
		}
	}
}

#else

// note: with vectors of four, packets gain nothing (dbvhi_packets_suit()).
dbvhi_packet_stop DBVHI_KERNEL_NAME( dbvhi_packet_kernel )( dbvhi_packet *k ) {
	DBVHI_ASSERT( k->live == 0 );
	(void)k;
	return DBVHI_PACKET_OVER;
}

#endif
