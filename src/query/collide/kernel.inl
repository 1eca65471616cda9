// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees, written once and compiled for every instruction set.
//
// Four stages, each fed with full vectors by the one before. Pairs of nodes wait on a stack; taken from it, the spheres
// of their 4 x 4 children are compared, of which two or three pairs are left. These wait in a queue until there are
// eight to compare the boxes of, a pair a lane. What is left of those goes back to the stack, or, where both are
// leaves, to a queue of its own; from that, 4 x 4 triangles are compared at a time, and what cannot be distinguished is
// handed out.

#include "query/collide/kernel.h"
#include "query/collide/leaf_filter.inl"
#include "query/common/node_stages.inl"

// Bring to the top of the stack the pair, of those pushed from `at` on, whose spheres overlap most for their size.
VECTOR_INLINE void choose_next( dbvhi_packed_run *run, uint32_t at, uint32_t lanes, uint32_t from ) {
	DBVHI_ASSERT( at < run->stack_count );
	const dbvhi_box_queue *queue = run->queue;
	float8 rank;
	for ( uint32_t k = 0; k < DBVHI_BOX_BATCH; k += FEW ) {
		const float_few x = few_load( queue->offset[0] + from + k ), y = few_load( queue->offset[1] + from + k );
		const float_few z = few_load( queue->offset[2] + from + k );
		const float_few radii = few_load( queue->radius_a + from + k ) + few_load( queue->radius_b + from + k );
		const float_few few = ( x * x + y * y + z * z ) / ( radii * radii );
		memcpy( (float *)&rank + k, &few, sizeof few );
	}
#if PART_FLOATS == 16
	const __m256 others_last = _mm256_mask_mov_ps( _mm256_set1_ps( INFINITY_FLOAT ), (__mmask8)lanes, (__m256)rank );
	__m256 least = _mm256_min_ps( others_last, _mm256_permute2f128_ps( others_last, others_last, 1 ) );
	least = _mm256_min_ps( least, _mm256_permute_ps( least, 0x4e ) );
	least = _mm256_min_ps( least, _mm256_permute_ps( least, 0xb1 ) );
	const uint32_t first = lanes & _mm256_cmp_ps_mask( others_last, least, _CMP_EQ_OQ );
	const uint32_t best = at + (uint32_t)__builtin_popcount( lanes & ( ( first & -first ) - 1 ) );
	bring_to_top( run, first != 0 ? best : at ); // no lane equals NaN
#else
	float value[8], least = INFINITY_FLOAT;
	memcpy( value, &rank, sizeof value );
	uint32_t best = at;
	for ( ; lanes != 0; lanes &= lanes - 1, ++at ) {
		const float x = value[__builtin_ctz( lanes )];
		best = x < least ? at : best;
		least = x < least ? x : least;
	}
	bring_to_top( run, best );
#endif
}

// Test the boxes of the oldest pairs of the queue, up to eight. An `eager` search, for one contact, takes the newest,
// and goes on with the pair of nodes whose spheres overlap most for their size: a contact is likeliest there.
static void test_boxes( dbvhi_packed_run *run, int eager ) {
	DBVHI_ASSERT( run->box_begin < run->box_end && run->box_end <= DBVHI_BOX_QUEUE );
	const dbvhi_box_queue *queue = run->queue;
	const uint32_t left = run->box_end - run->box_begin, count = left < DBVHI_BOX_BATCH ? left : DBVHI_BOX_BATCH;
	const uint32_t at = eager ? run->box_end - count : run->box_begin;
	const compared_boxes b = compare_boxes( run, at, count, 0 );
	const uint32_t leaves_before = run->leaf_count, top_before = run->stack_count;
	const uint32_t pushed =
	    push( run, queue->a + at, queue->b + at, b.child_a, b.child_b, b.overlap, b.a_larger, b.b_larger );
	if ( eager && run->node_tests < DBVHI_CHOOSY_TESTS && run->stack_count > top_before + 1 )
		choose_next( run, top_before, pushed, at );
	if ( run->is_large ) {
		fetch_leaves( run, leaves_before );
		fetch_nodes( run, top_before );
	}
	run->box_tests += count;
	if ( eager )
		run->box_end = at;
	else
		run->box_begin = at + count;
	if ( run->box_begin == run->box_end )
		run->box_begin = run->box_end = 0;
}

// ------------------------------------------------------------------------------------------------
// Leaves

// Filter the triangles of the newest pairs of leaves in the queue, from `from` on.
VECTOR_INLINE void test_leaves( dbvhi_packed_run *run, uint32_t from ) {
	DBVHI_ASSERT( from < run->leaf_count && run->leaf_count <= DBVHI_LEAF_QUEUE );
	DBVHI_ASSERT( run->candidate_count + run->contact_count + 16 * ( run->leaf_count - from ) <= DBVHI_CANDIDATES );
	for ( uint32_t k = from; k < run->leaf_count; ++k ) {
		const dbvhi_packed_leaf *a = &run->leaves_a[~run->leaf_a[k]], *b = &run->leaves_b[~run->leaf_b[k]];
		const leaf_lanes lanes = triangles_overlap( run, a, b );
		if ( are_flat_and_apart( run, lanes, ~run->leaf_a[k], ~run->leaf_b[k] ) )
			continue;
		keep_lanes( run, lanes, a->first_and_count >> 2, b->first_and_count >> 2 );
	}
	run->leaf_tests += run->leaf_count - from;
	run->leaf_count = from;
}

// Pairs of leaves of which one stands for all leaves of its mesh: at most this many at a time, so that there is room
// for the candidates of all.
#define WHOLE_BATCH 8

// Filter the triangles of the newest leaves in the queue against all leaves of a mesh that is compared as a whole.
static __attribute__( ( noinline ) ) void test_whole( dbvhi_packed_run *run ) {
	DBVHI_ASSERT( run->whole_a + run->whole_b <= DBVHI_WIDTH );
	DBVHI_ASSERT( run->candidate_count + run->contact_count + 16 * DBVHI_WIDTH * WHOLE_BATCH <= DBVHI_CANDIDATES );
	const uint32_t from = run->leaf_count > WHOLE_BATCH ? run->leaf_count - WHOLE_BATCH : 0;
	const int32_t count = (int32_t)( run->whole_a + run->whole_b );
	for ( uint32_t k = from; k < run->leaf_count; ++k ) {
		for ( int32_t i = 0; i < count; ++i ) {
			const int32_t leaf_a = run->whole_a > 0 ? i : ~run->leaf_a[k];
			const int32_t leaf_b = run->whole_b > 0 ? i : ~run->leaf_b[k];
			const dbvhi_packed_leaf *a = &run->leaves_a[leaf_a], *b = &run->leaves_b[leaf_b];
			const leaf_lanes lanes = triangles_overlap( run, a, b );
			if ( !are_flat_and_apart( run, lanes, leaf_a, leaf_b ) )
				keep_lanes( run, lanes, a->first_and_count >> 2, b->first_and_count >> 2 );
		}
	}
	run->leaf_tests += (uint32_t)count * ( run->leaf_count - from );
	run->leaf_count = from;
}

// The lanes of two nodes that groups and ellipsoids leave. Ellipsoids belong to whole nodes, so they are not asked
// where one node has stayed behind with its parent and the lanes are those of one child.
static int32_t lanes_left( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, int32_t lanes ) {
	if ( run->groups_separated != NULL && run->groups_separated( run, node_a, node_b, (uint32_t)lanes ) )
		return 0;
	if ( run->ellipsoids == NULL )
		return lanes;
	const int by_a = run->marks_a != NULL && run->marks_a[node_a] != 0;
	const int by_b = run->marks_b != NULL && run->marks_b[node_b] != 0;
	const int is_asked = lanes == 0xffff && ( run->mixed ? by_a | by_b : by_a & by_b );
	return is_asked ? run->ellipsoids( run, node_a, node_b ) : lanes;
}

// ------------------------------------------------------------------------------------------------

// `asks` is a compile-time constant: a run without groups or ellipsoids pays nothing for them.
VECTOR_INLINE int traverse( dbvhi_packed_run *run, int asks ) {
	run->candidate_count = run->contact_count = 0;
	const uint32_t most_contacts = run->first_only ? 0 : DBVHI_CONTACTS;
	for ( ;; ) {
		// A search for the first contact begins depth first and with few leaves at a time, where it is soon over if
		// there is one, and goes over to full batches once there seems to be none.
		const int eager = run->first_only && run->node_tests < DBVHI_EAGER_TESTS;
		const uint32_t leaf_batch = eager ? 1 : DBVHI_LEAF_BATCH, box_batch = eager ? 8 : DBVHI_BOX_AHEAD;
		const uint32_t boxes_left = run->box_end - run->box_begin;
		const int last = run->stack_count == 0 && boxes_left == 0;
		if ( run->leaf_count >= leaf_batch || ( last && run->leaf_count > 0 ) ) {
			// A few pairs of leaves at a time at first: what the filter in floats leaves is most often a contact, which
			// ends the search.
			const uint32_t at_once = eager ? 1 + (uint32_t)run->leaf_tests : DBVHI_LEAF_QUEUE;
			if ( run->whole_a + run->whole_b > 0 )
				test_whole( run );
			else
				test_leaves( run, run->leaf_count > at_once ? run->leaf_count - at_once : 0 );
			// The filter in doubles takes a batch of this size; fewer candidates wait for the next leaves.
			if ( run->candidate_count >= ( eager ? 1 : DBVHI_TRIANGLE_BATCH ) || run->contact_count > most_contacts )
				return 1;
			if ( eager || run->leaf_count > 0 )
				continue;
		}
		if ( last )
			return run->candidate_count + run->contact_count > 0;
		if ( boxes_left >= box_batch || run->stack_count == 0 ||
		     ( boxes_left > 0 && run->stack_count > run->stack_cautious ) ) {
			test_boxes( run, eager );
			continue;
		}
		if ( run->node_tests >= run->pause )
			return 1;
		if ( run->box_end > DBVHI_BOX_QUEUE - 32 )
			close_up( run );
		const uint32_t top = --run->stack_count;
		int32_t lanes = run->stack_lanes[top];
		if ( asks )
			lanes = lanes_left( run, run->stack_a[top], run->stack_b[top], lanes );
		if ( !asks || lanes != 0 )
			test_spheres( run, run->stack_a[top], run->stack_b[top], (uint32_t)lanes );
	}
}

dbvhi_collide_kernel DBVHI_KERNEL_NAME( dbvhi_collide_kernel );

int DBVHI_KERNEL_NAME( dbvhi_collide_kernel )( dbvhi_packed_run *run ) {
	return run->ellipsoids != NULL || run->groups_separated != NULL ? traverse( run, 1 ) : traverse( run, 0 );
}

// ------------------------------------------------------------------------------------------------
// A guess at a contact of meshes whose boxes touch: straight down to one pair of leaves, always to the children whose
// spheres are nearest for their size, without testing boxes. Where two faces lie on each other, this mostly ends at a
// contact.

// The lane with the least of these numbers; 16 if there is none.
VECTOR_INLINE uint32_t least_lane( vf x, uint32_t lanes ) {
#if PART_FLOATS == 16
	const __m512 others_last =
	    _mm512_mask_mov_ps( _mm512_set1_ps( INFINITY_FLOAT ), (__mmask16)lanes, (__m512)x.part[0] );
	const __m512 least = _mm512_set1_ps( _mm512_reduce_min_ps( others_last ) );
	const uint32_t first = lanes & _mm512_cmp_ps_mask( others_last, least, _CMP_EQ_OQ );
	return first != 0 ? (uint32_t)__builtin_ctz( first ) : 16;
#else
	float value[16], least = INFINITY_FLOAT;
	uint32_t best = 16;
	vf_store( value, x );
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( lanes );
		best = value[lane] < least ? lane : best;
		least = value[lane] < least ? value[lane] : least;
	}
	return best;
#endif
}

dbvhi_collide_kernel DBVHI_KERNEL_NAME( dbvhi_dive_kernel );

int DBVHI_KERNEL_NAME( dbvhi_dive_kernel )( dbvhi_packed_run *run ) {
	dbvhi_child_pair at = { 0, 0, 0xffff };
	run->candidate_count = run->contact_count = 0;
	for ( ;; ) {
		const sphere_pairs pairs = overlapping_spheres( run, at.a, at.b );
		const vf radii = vf_add( pairs.radius_a, pairs.radius_b );
		const vf rank = vf_div( vecf_dot( pairs.offset, pairs.offset ), vf_mul( radii, radii ) );
		const uint32_t lane = least_lane( rank, pairs.lanes & (uint32_t)at.lanes );
		run->node_tests += 1;
		if ( lane == 16 )
			return 0;
		const uint32_t i = lane & 3, j = lane >> 2;
		const int32_t child_a = run->boxes_a[DBVHI_WIDTH * at.a + (int32_t)i].child;
		const int32_t child_b = run->boxes_b[DBVHI_WIDTH * at.b + (int32_t)j].child;
		if ( child_a < 0 && child_b < 0 ) {
			const dbvhi_packed_leaf *a = &run->leaves_a[~child_a], *b = &run->leaves_b[~child_b];
			keep_lanes( run, triangles_overlap( run, a, b ), a->first_and_count >> 2, b->first_and_count >> 2 );
			run->leaf_tests += 1;
			return run->candidate_count + run->contact_count > 0;
		}
		const float radius_a = run->spheres_a[at.a].radius[i], radius_b = run->spheres_b[at.b].radius[j];
		at = dbvhi_child_pair_of( at.a, at.b, i, j, child_a, child_b, radius_a > DBVHI_SIZE_RATIO * radius_b,
		                          radius_b > DBVHI_SIZE_RATIO * radius_a );
	}
}
