// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The first two stages of every traversal of two packed trees: pairs of nodes by their spheres, then pairs of children
// by their boxes. Included by the kernels of the queries.

#pragma once

#include "base/assert.h"
#include "query/common/box_axes.inl"
#include "query/common/packed_nodes.inl"

// ------------------------------------------------------------------------------------------------
// Spheres

// Append the pairs of children whose spheres overlap to the queue of boxes. Each store writes a whole vector, whatever
// their number; the queue has room for it.
#if PART_FLOATS == 16

// Store the kept lanes, of which there are rarely more than eight. The stage of spheres mostly waits for these stores,
// so eight or fewer are written as half a vector.
VECTOR_INLINE void keep( void *out, __mmask16 lanes, int many, __m512i x ) {
	const __m512i kept = _mm512_maskz_compress_epi32( lanes, x );
	if ( __builtin_expect( many, 0 ) )
		_mm512_storeu_si512( out, kept );
	else
		_mm256_storeu_si256( out, _mm512_castsi512_si256( kept ) );
}

VECTOR_INLINE void queue_boxes( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t bits, vecf offset,
                                vf radius_a, vf radius_b ) {
	DBVHI_ASSERT( ( bits & ~0xffffu ) == 0 );
	DBVHI_ASSERT( run->box_end + 16 <= DBVHI_BOX_QUEUE );
	const __m512i lane_a = _mm512_set_epi32( 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0 );
	const __m512i lane_b = _mm512_set_epi32( 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0 );
	dbvhi_box_queue *queue = run->queue;
	const uint32_t at = run->box_end;
	const __mmask16 lanes = (__mmask16)bits;
	const __m512i id_a = _mm512_or_si512( lane_a, _mm512_set1_epi32( 4 * node_a ) );
	const __m512i id_b = _mm512_or_si512( lane_b, _mm512_set1_epi32( 4 * node_b ) );
	const uint32_t count = (uint32_t)__builtin_popcount( bits );
	const int many = count > 8;
	keep( queue->a + at, lanes, many, id_a );
	keep( queue->b + at, lanes, many, id_b );
	keep( queue->offset[0] + at, lanes, many, (__m512i)offset.x.part[0] );
	keep( queue->offset[1] + at, lanes, many, (__m512i)offset.y.part[0] );
	keep( queue->offset[2] + at, lanes, many, (__m512i)offset.z.part[0] );
	keep( queue->radius_a + at, lanes, many, (__m512i)radius_a.part[0] );
	keep( queue->radius_b + at, lanes, many, (__m512i)radius_b.part[0] );
	run->box_end = at + count;
}

#else

VECTOR_INLINE void queue_boxes( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t bits, vecf offset,
                                vf radius_a, vf radius_b ) {
	DBVHI_ASSERT( ( bits & ~0xffffu ) == 0 );
	DBVHI_ASSERT( run->box_end + 16 <= DBVHI_BOX_QUEUE );
	dbvhi_box_queue *queue = run->queue;
	uint32_t at = run->box_end;
	float x[16], y[16], z[16];
	vf_store( x, offset.x );
	vf_store( y, offset.y );
	vf_store( z, offset.z );
	const dbvhi_packed_spheres *a = &run->spheres_a[node_a], *b = &run->spheres_b[node_b];
	(void)radius_a;
	(void)radius_b;
	for ( ; bits != 0; bits &= bits - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( bits ), i = lane & 3, j = lane >> 2;
		queue->a[at] = 4 * (uint32_t)node_a + i;
		queue->b[at] = 4 * (uint32_t)node_b + j;
		queue->offset[0][at] = x[lane];
		queue->offset[1][at] = y[lane];
		queue->offset[2][at] = z[lane];
		queue->radius_a[at] = a->radius[i];
		queue->radius_b[at] = b->radius[j];
		at += 1;
	}
	run->box_end = at;
}

#endif

// Result of the sphere test of 4 x 4 children: the lanes that may overlap, and the vectors that the stage of boxes
// needs.
typedef struct sphere_pairs {
	vecf offset; // from a's centre to b's
	vf radius_a, radius_b;
	uint32_t lanes;
} sphere_pairs;

VECTOR_INLINE sphere_pairs overlapping_spheres( const dbvhi_packed_run *run, int32_t node_a, int32_t node_b ) {
	DBVHI_ASSERT( (uint32_t)node_a < run->node_count_a && (uint32_t)node_b < run->node_count_b );
	const dbvhi_packed_spheres *a = &run->spheres_a[node_a], *b = &run->spheres_b[node_b];
	const vec4 centre_b = vec4_place( run->rot, run->pos, vec4_load( b->centre ) );
	const vecf offset = vecf_sub( vecf_spread( centre_b ), vecf_tile( vec4_load( a->centre ) ) );
	const vf radius_a = vf_tile( float4_load( a->radius ) ), radius_b = vf_spread( float4_load( b->radius ) );
	const vf radii = vf_add( radius_a, radius_b );
	const vf reach = vf_add( radii, vf_fma( radii, vf_set( run->margin_relative ), vf_set( run->margin ) ) );
	// reach * |reach| keeps the sign: an empty lane has a negative radius and overlaps nothing.
	const uint32_t apart = vf_greater( vecf_dot( offset, offset ), vf_mul( reach, vf_abs( reach ) ) );
	return ( sphere_pairs ){ offset, radius_a, radius_b, 0xffff & ~apart };
}

VECTOR_INLINE void test_spheres( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t lanes ) {
	DBVHI_ASSERT( ( lanes & ~0xffffu ) == 0 );
	const sphere_pairs pairs = overlapping_spheres( run, node_a, node_b );
	queue_boxes( run, node_a, node_b, lanes & pairs.lanes, pairs.offset, pairs.radius_a, pairs.radius_b );
	run->node_tests += 1;
}

// ------------------------------------------------------------------------------------------------
// Boxes

// Result of the box test of a batch of pairs: a bit or an element a pair.
typedef struct compared_boxes {
	uint32_t overlap, a_larger, b_larger;
	int8 child_a, child_b;
} compared_boxes;

// Compare the boxes of `count` queued pairs from `at` on, FEW at a time.
VECTOR_INLINE compared_boxes compare_boxes( const dbvhi_packed_run *run, uint32_t at, uint32_t count, int within ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_BOX_BATCH );
	dbvhi_box_queue *queue = run->queue;
	compared_boxes out = { 0 };
	const lane_poses pose = at_one_pose( run );
	// Padding lanes compare the first boxes of both trees; their result is masked out below.
	if ( count % FEW != 0 ) {
		memset( queue->a + at + count, 0, FEW * sizeof queue->a[0] );
		memset( queue->b + at + count, 0, FEW * sizeof queue->b[0] );
	}
	for ( uint32_t k = 0; k == 0 || ( FEW < DBVHI_BOX_BATCH && k < count ); k += FEW ) {
		const uint32_t from = at + k;
		const float_few radius_a = few_load( queue->radius_a + from ), radius_b = few_load( queue->radius_b + from );
		const boxes a = gather_boxes( run->boxes_a, queue->a + from, radius_a );
		const boxes b = gather_boxes( run->boxes_b, queue->b + from, radius_b );
		const float_few offset[3] = { few_load( queue->offset[0] + from ), few_load( queue->offset[1] + from ),
		                              few_load( queue->offset[2] + from ) };
		const float_few margin =
		    few_fma( radius_a + radius_b, few_set( run->margin_relative ), few_set( run->margin ) );
		out.overlap |= ( boxes_overlap( &pose, &a, &b, offset, margin, within ) & ( ( 1u << FEW ) - 1 ) ) << k;
		out.a_larger |= few_greater( radius_a, radius_b * DBVHI_SIZE_RATIO ) << k;
		out.b_larger |= few_greater( radius_b, radius_a * DBVHI_SIZE_RATIO ) << k;
		memcpy( (int32_t *)&out.child_a + k, &a.child, sizeof a.child );
		memcpy( (int32_t *)&out.child_b + k, &b.child, sizeof b.child );
	}
	out.overlap &= ( 1u << count ) - 1;
	return out;
}

// Prefetch a pair of leaves or nodes that was just pushed. This pays only where the trees do not fit into the near
// caches.
VECTOR_INLINE void fetch_leaf_pair( const dbvhi_packed_run *run, int32_t leaf_a, int32_t leaf_b ) {
	const char *a = (const char *)&run->leaves_a[~leaf_a], *b = (const char *)&run->leaves_b[~leaf_b];
	for ( int line = 0; line < 3; ++line ) {
		__builtin_prefetch( a + 64 * line );
		__builtin_prefetch( b + 64 * line );
	}
}

VECTOR_INLINE void fetch_node_pair( const dbvhi_packed_run *run, int32_t node_a, int32_t node_b ) {
	const char *a = (const char *)&run->boxes_a[DBVHI_WIDTH * node_a];
	const char *b = (const char *)&run->boxes_b[DBVHI_WIDTH * node_b];
	const size_t last = DBVHI_WIDTH * sizeof( dbvhi_packed_box ) - 1;
	__builtin_prefetch( &run->spheres_a[node_a] );
	__builtin_prefetch( &run->spheres_b[node_b] );
	__builtin_prefetch( a );
	__builtin_prefetch( a + last );
	__builtin_prefetch( b );
	__builtin_prefetch( b + last );
}

VECTOR_INLINE void fetch_leaves( const dbvhi_packed_run *run, uint32_t from ) {
	for ( uint32_t k = from; k < run->leaf_count; ++k )
		fetch_leaf_pair( run, run->leaf_a[k], run->leaf_b[k] );
}

VECTOR_INLINE void fetch_nodes( const dbvhi_packed_run *run, uint32_t from ) {
	for ( uint32_t k = from; k < run->stack_count; ++k )
		fetch_node_pair( run, run->stack_a[k], run->stack_b[k] );
}

// Move the rest of the queue of boxes to its beginning. Not inlined, as it is rare; a kernel of spheres has no queue.
static __attribute__( ( noinline, unused ) ) void close_up( dbvhi_packed_run *run ) {
	DBVHI_ASSERT( run->box_begin <= run->box_end );
	dbvhi_box_queue *q = run->queue;
	const uint32_t begin = run->box_begin, left = run->box_end - begin;
	memmove( q->a, q->a + begin, left * sizeof q->a[0] );
	memmove( q->b, q->b + begin, left * sizeof q->b[0] );
	for ( int k = 0; k < 3; ++k )
		memmove( q->offset[k], q->offset[k] + begin, left * sizeof q->offset[0][0] );
	memmove( q->radius_a, q->radius_a + begin, left * sizeof q->radius_a[0] );
	memmove( q->radius_b, q->radius_b + begin, left * sizeof q->radius_b[0] );
	run->box_begin = 0;
	run->box_end = left;
}
