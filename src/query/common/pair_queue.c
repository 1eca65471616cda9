// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/pair_queue.h"

#include "base/assert.h"
#include "query/common/workspace.h"
#include "simd/isa.h"

_Static_assert( ( DBVHI_PAIR_QUEUE & ( DBVHI_PAIR_QUEUE - 1 ) ) == 0, "a ring is a power of two long" );

static const dbvhi_slot_kind ring_kind = { .size = DBVHI_PAIR_QUEUE * sizeof( dbvhi_queued_pair ) };

dbvh_status dbvhi_workspace_require_pair_queue( dbvh_workspace *workspace ) {
	return dbvhi_workspace_slot( workspace, &ring_kind ) != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

void dbvhi_pair_queue_init( dbvhi_pair_queue *queue, const dbvhi_packed_run *run, dbvh_workspace *workspace ) {
	*queue = ( dbvhi_pair_queue ){ .run = run, .ring = dbvhi_workspace_slot( workspace, &ring_kind ) };
	DBVHI_ASSERT( queue->ring != NULL );
}

dbvhi_queued_pair dbvhi_pair_queue_take( dbvhi_pair_queue *queue ) {
	DBVHI_ASSERT( queue->count > 0 );
	const dbvhi_queued_pair pair = *dbvhi_pair_queue_at( queue, 0 );
	queue->head += 1;
	queue->count -= 1;
	queue->leaf_pairs -= pair.leaf_pair;
	return pair;
}

void dbvhi_pair_queue_put( dbvhi_pair_queue *queue, dbvhi_queued_pair pair ) {
	DBVHI_ASSERT( queue->count < DBVHI_PAIR_QUEUE );
	queue->count += 1;
	*dbvhi_pair_queue_at( queue, queue->count - 1 ) = pair;
	queue->leaf_pairs += pair.leaf_pair;
}

// Replace one pair by those one level further down, by the rules of the kernel. Pairs of leaves stay where they are, as
// lanes of one entry. Only spheres are tested here; the kernel tests the boxes of the rest.
static void divide( dbvhi_pair_queue *queue, const dbvhi_queued_pair *e ) {
	DBVHI_ASSERT( !e->leaf_pair );
	const dbvhi_packed_run *run = queue->run;
	const dbvhi_packed_spheres *a = &run->spheres_a[e->a], *b = &run->spheres_b[e->b];
	const dbvhi_packed_box *boxes_a = &run->boxes_a[DBVHI_WIDTH * e->a];
	const dbvhi_packed_box *boxes_b = &run->boxes_b[DBVHI_WIDTH * e->b];
	dbvhi_sphere_kernel *kernel = dbvhi_sphere_kernel_table[dbvhi_isa_level()];
	uint32_t lanes = kernel( run, e->a, e->b ) & (uint32_t)e->lanes, leaves = 0;
	queue->sphere_tests += DBVHI_WIDTH * DBVHI_WIDTH;
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( lanes ), i = lane % DBVHI_WIDTH, j = lane / DBVHI_WIDTH;
		if ( boxes_a[i].child < 0 && boxes_b[j].child < 0 ) {
			leaves |= 1u << lane;
			continue;
		}
		const bool a_larger = a->radius[i] > b->radius[j] * DBVHI_SIZE_RATIO;
		const bool b_larger = b->radius[j] > a->radius[i] * DBVHI_SIZE_RATIO;
		const dbvhi_child_pair next =
		    dbvhi_child_pair_of( e->a, e->b, i, j, boxes_a[i].child, boxes_b[j].child, a_larger, b_larger );
		dbvhi_pair_queue_put( queue, ( dbvhi_queued_pair ){ .a = next.a, .b = next.b, .lanes = next.lanes } );
	}
	if ( leaves != 0 )
		dbvhi_pair_queue_put(
		    queue, ( dbvhi_queued_pair ){ .a = e->a, .b = e->b, .lanes = (int32_t)leaves, .leaf_pair = true } );
}

void dbvhi_pair_queue_widen( dbvhi_pair_queue *queue, uint32_t wanted, uint32_t steps ) {
	DBVHI_ASSERT( wanted + DBVHI_PAIR_QUEUE_STEP <= DBVHI_PAIR_QUEUE );
	for ( ; queue->count < wanted && queue->leaf_pairs < queue->count && steps > 0; --steps ) {
		const dbvhi_queued_pair pair = dbvhi_pair_queue_take( queue );
		if ( pair.leaf_pair )
			dbvhi_pair_queue_put( queue, pair );
		else
			divide( queue, &pair );
	}
}
