// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A queue of pairs of nodes of two packed trees. A traversal that is to be handed to threads is divided here breadth
// first, by the rules of the kernels.

#pragma once

#include "base/assert.h"
#include "query/common/packed_run.h"
#include "query/common/pieces.h"
#include "simd/isa.h"

extern dbvhi_sphere_kernel *const dbvhi_sphere_kernel_table[DBVHI_ISA_COUNT]; // by dbvhi_isa_level()

typedef struct dbvhi_queued_pair {
	int32_t a, b;
	int32_t lanes;  // pairs of children to compare, as on the stack of a packed run
	bool leaf_pair; // all lanes are pairs of leaves, which cannot be divided further
} dbvhi_queued_pair;

// Capacity of the ring.
#define DBVHI_PAIR_QUEUE DBVHI_MOST_PIECES
// Most pairs that one step puts in the place of one.
#define DBVHI_PAIR_QUEUE_STEP ( DBVHI_WIDTH * DBVHI_WIDTH )

// Length of the queue that is handed to threads: 64 pieces for each of 16 threads. A piece is about a thousandth of the
// work, so that neither the last one nor those under way when a contact is found cost much.
#define DBVHI_HANDED_LENGTH 1024
#define DBVHI_HANDED_STEPS 4096
_Static_assert( DBVHI_HANDED_LENGTH + DBVHI_PAIR_QUEUE_STEP <= DBVHI_PAIR_QUEUE, "the last step has room" );

typedef struct dbvhi_pair_queue {
	const dbvhi_packed_run *run; // the trees, the pose and the margins
	dbvhi_queued_pair *ring;     // DBVHI_PAIR_QUEUE
	uint32_t head, count, leaf_pairs;
	uint64_t sphere_tests;
} dbvhi_pair_queue;

// Make room for a queue in a workspace.
dbvh_status dbvhi_workspace_require_pair_queue( dbvh_workspace *workspace );

// Make an empty queue; the workspace has room for it. `run` must not move.
void dbvhi_pair_queue_init( dbvhi_pair_queue *queue, const dbvhi_packed_run *run, dbvh_workspace *workspace );

// The i-th pair of the queue, the oldest first.
static inline dbvhi_queued_pair *dbvhi_pair_queue_at( const dbvhi_pair_queue *queue, uint32_t i ) {
	DBVHI_ASSERT( i < queue->count );
	return &queue->ring[( queue->head + i ) & ( DBVHI_PAIR_QUEUE - 1 )];
}

dbvhi_queued_pair dbvhi_pair_queue_take( dbvhi_pair_queue *queue );
void dbvhi_pair_queue_put( dbvhi_pair_queue *queue, dbvhi_queued_pair pair );

// Divide the oldest pairs until there are `wanted`, or none can be divided, or `steps` are used up.
void dbvhi_pair_queue_widen( dbvhi_pair_queue *queue, uint32_t wanted, uint32_t steps );
