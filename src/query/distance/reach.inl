// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees for all pairs within reach: that of collide/kernel.inl with inflated spheres and
// boxes. A gap on an axis of length 1 or less is at most the distance, so the reach is added to the margin. The
// traversal has no order. It takes over once the reach will hardly shrink any more, or if no order is wanted, and costs
// about half as much for each pair of nodes as the ordered one.

#pragma once

#include "query/common/node_stages.inl"
#include "query/distance/nearest_run.h"

// Prefetch the leaves and nodes that were just pushed. This pays only where the trees do not fit into the near caches.
VECTOR_INLINE void fetch_leaves( const dbvhi_packed_run *run, uint32_t from ) {
	for ( uint32_t k = from; k < run->leaf_count; ++k ) {
		const char *a = (const char *)&run->leaves_a[~run->leaf_a[k]],
		           *b = (const char *)&run->leaves_b[~run->leaf_b[k]];
		for ( int line = 0; line < 3; ++line ) {
			__builtin_prefetch( a + 64 * line );
			__builtin_prefetch( b + 64 * line );
		}
	}
}

VECTOR_INLINE void fetch_nodes( const dbvhi_packed_run *run, uint32_t from ) {
	for ( uint32_t k = from; k < run->stack_count; ++k ) {
		const char *a = (const char *)&run->boxes_a[DBVHI_WIDTH * run->stack_a[k]];
		const char *b = (const char *)&run->boxes_b[DBVHI_WIDTH * run->stack_b[k]];
		const size_t last = DBVHI_WIDTH * sizeof( dbvhi_packed_box ) - 1;
		__builtin_prefetch( &run->spheres_a[run->stack_a[k]] );
		__builtin_prefetch( &run->spheres_b[run->stack_b[k]] );
		__builtin_prefetch( a );
		__builtin_prefetch( a + last );
		__builtin_prefetch( b );
		__builtin_prefetch( b + last );
	}
}

// Drop pairs that have got out of reach from the stack.
static void close_ranks( dbvhi_nearest_run *run, float reach ) {
	dbvhi_packed_run *packed = &run->packed;
	uint32_t kept = 0;
	for ( uint32_t i = 0; i < packed->stack_count; ++i ) {
		if ( run->stack_key[i] > reach )
			continue;
		packed->stack_a[kept] = packed->stack_a[i];
		packed->stack_b[kept] = packed->stack_b[i];
		packed->stack_lanes[kept++] = packed->stack_lanes[i];
	}
	packed->stack_count = kept;
}

// Test the oldest pairs of boxes in the queue: a batch, or as many as there are.
static void test_boxes_within( dbvhi_packed_run *run ) {
	DBVHI_ASSERT( run->box_begin < run->box_end && run->box_end <= DBVHI_BOX_QUEUE );
	const dbvhi_box_queue *queue = run->queue;
	const uint32_t left = run->box_end - run->box_begin, count = left < DBVHI_BOX_BATCH ? left : DBVHI_BOX_BATCH;
	const uint32_t at = run->box_begin;
	const compared_boxes b = compare_boxes( run, at, count, 1 );
	const uint32_t leaves_before = run->leaf_count, top_before = run->stack_count;
	push( run, queue->a + at, queue->b + at, b.child_a, b.child_b, b.overlap, b.a_larger, b.b_larger );
	fetch_leaves( run, leaves_before );
	if ( run->is_large )
		fetch_nodes( run, top_before );
	run->box_tests += count;
	run->box_begin = at + count;
	if ( run->box_begin == run->box_end )
		run->box_begin = run->box_end = 0;
}
