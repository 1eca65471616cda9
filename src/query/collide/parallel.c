// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One query on several threads. The calling thread divides the pair of roots breadth-first until a few dozen pairs of
// nodes wait in a queue, and goes through these as it would alone. If the first of them show that the rest will take
// long, the rest is divided further and handed out, each pair to whichever thread is free (common/pieces.h).
//
// Nothing depends on the number of threads or on which is faster: the division and the decision to hand out follow from
// the work alone.

#include "base/assert.h"
#include "base/status.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "query/common/pair_queue.h"
#include "query/common/pieces.h"
#include "simd/isa.h"

// Lengths of the first and second queue. A few steps show most light queries, a few more the rest, so that these pay
// little; the second queue is so long that its first entry is a small part of a heavy query.
#define FIRST_LENGTH 16
#define FIRST_STEPS 6
#define SECOND_LENGTH 64
#define SECOND_STEPS 24
// Work, in vector tests of 10 to 40 ns, that must be done before the rest is estimated, and that the rest must be
// expected to need: waking threads costs some ten microseconds.
#define WORK_BEFORE 1024
#define WORK_LEFT 16384
// Most entries that the first thread takes from the queue at a time.
#define LARGEST_PIECE 8

dbvh_status dbvhi_workspace_require_parallel( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                              size_t pair_capacity, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 );
	DBVHI_TRY( dbvhi_workspace_require_pair_queue( workspace ) );
	return dbvhi_workspace_require_pieces( workspace, a, b, pair_capacity, thread_count );
}

typedef struct split {
	dbvhi_pair_search *search;
	dbvhi_packed_run start; // without memory
	dbvhi_pair_queue queue;
	dbvhi_pieces pieces;
} split;

// Work done so far, in vector tests of nodes.
static uint64_t work_of( const dbvhi_pair_search *search, const dbvhi_packed_run *run ) {
	const dbvh_counters *c = &search->counters;
	return run->node_tests + run->leaf_tests + 2 * c->triangle_tests + 64 * c->exact_tests;
}

// Search the pairs of the queue on this thread as long as the rest does not look heavy. Returns true if the search is
// over.
static bool start_alone( split *s ) {
	dbvhi_pair_search *search = s->search;
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	dbvhi_packed_run run = s->start;
	dbvhi_packed_attach( &run, search->workspace );
	bool over = false;
	uint64_t done = 0;
	// The kernel overlaps the entries on its stack: more of them at a time are better for a light query.
	for ( uint32_t some = s->queue.count < FIRST_LENGTH ? 4 : 1; s->queue.count > 0 && !over;
	      some = 2 * some < LARGEST_PIECE ? 2 * some : LARGEST_PIECE ) {
		const uint64_t work = work_of( search, &run );
		if ( work >= WORK_BEFORE && work * s->queue.count >= WORK_LEFT * done )
			break;
		const uint32_t piece = some < s->queue.count ? some : s->queue.count;
		for ( uint32_t i = 0; i < piece; ++i ) {
			const dbvhi_queued_pair entry = dbvhi_pair_queue_take( &s->queue );
			dbvhi_packed_push( &run, entry.a, entry.b, entry.lanes );
		}
		done += piece;
		while ( !over && kernel( &run ) )
			over = dbvhi_packed_settle( search, &run, DBVHI_RUNG_DOUBLES );
	}
	dbvhi_packed_count( &search->counters, &run );
	return over;
}

// Search one entry of the queue, on any thread.
static void one_piece( void *context, size_t piece, uint32_t thread ) {
	split *s = context;
	if ( dbvhi_piece_is_idle( &s->pieces, piece ) )
		return;
	dbvhi_meter own;
	dbvhi_pair_search search = dbvhi_piece_start( &s->pieces, thread, &own );
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	dbvhi_packed_run run = s->start;
	dbvhi_packed_attach( &run, search.workspace );
	const dbvhi_queued_pair *entry = dbvhi_pair_queue_at( &s->queue, (uint32_t)piece );
	dbvhi_packed_push( &run, entry->a, entry->b, entry->lanes );
	bool over = false;
	while ( !over && kernel( &run ) ) {
		if ( dbvhi_piece_is_idle( &s->pieces, piece ) )
			return;
		over = dbvhi_packed_settle( &search, &run, DBVHI_RUNG_DOUBLES );
	}
	dbvhi_packed_count( &search.counters, &run );
	dbvhi_piece_finish( &s->pieces, piece, &search, over );
}

void dbvhi_traverse_parallel( dbvhi_pair_search *search, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 );
	split s = { .search = search };
	dbvhi_packed_init( &search->meshes, &s.start );
	s.start.pause = dbvhi_work_first_pause( &search->work );
	s.start.first_only = !search->find_all;
	s.start.keeps_contacts = true;
	dbvhi_packed_use_ellipsoids( search, &s.start );
	dbvhi_pair_queue_init( &s.queue, &s.start, search->workspace );
	dbvhi_pair_queue_put( &s.queue, ( dbvhi_queued_pair ){ .a = 0, .b = 0, .lanes = 0xffff } );
	dbvhi_pair_queue_widen( &s.queue, FIRST_LENGTH, FIRST_STEPS );
	if ( s.queue.count >= FIRST_LENGTH )
		dbvhi_pair_queue_widen( &s.queue, SECOND_LENGTH, SECOND_STEPS );
	const bool over = start_alone( &s );
	if ( !over && s.queue.count > 0 ) {
		dbvhi_pair_queue_widen( &s.queue, DBVHI_HANDED_LENGTH, DBVHI_HANDED_STEPS );
		dbvhi_pieces_run( &s.pieces, search, s.queue.count, thread_count, one_piece, &s );
	}
	search->counters.sphere_tests += s.queue.sphere_tests;
}
