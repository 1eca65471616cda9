// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees for all pairs within reach: that of collide/kernel.inl with inflated spheres and
// boxes. A gap on an axis of length 1 or less is at most the distance, so the reach is added to the margin. The
// traversal has no order. It takes over once the reach will hardly shrink any more, or if no order is wanted, and costs
// about half as much for each pair of nodes as the ordered one.

#pragma once

#include "query/common/node_stages.inl"
#include "query/distance/nearest_run.h"

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
