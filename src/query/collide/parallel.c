// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One query on several threads. The calling thread divides the pair of roots breadth-first until a few dozen pairs of
// nodes wait in a queue, and goes through these as it would alone. If the first of them show that the rest will take
// long, the rest is divided further and handed out, each pair to whichever thread is free (common/pieces.h).
//
// Nothing depends on the number of threads or on which is faster: the division and the decision to hand out follow from
// the work alone.

#include "base/assert.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "query/common/child_pair.h"
#include "query/common/pieces.h"
#include "simd/isa.h"

DBVHI_KERNEL_TABLE( dbvhi_sphere_kernel, dbvhi_sphere_kernel )

// A light query shall not pay for what only heavy ones need: a few steps show most of them, a few more the rest. The
// second queue is large enough for its first entry to be a small part of a heavy query.
#define FIRST_LENGTH 16
#define FIRST_STEPS 6
#define SECOND_LENGTH 64
#define SECOND_STEPS 24
// The queue that is handed out: 64 pieces for each of 16 threads. Its pieces are of about a thousandth of the work, so
// that neither the last one nor those under way when a contact is found cost much.
#define HANDED_LENGTH 1024
#define HANDED_STEPS 4096
// The work (in vector tests, 10 to 40 ns each) that must have been done before the rest is estimated, and that the rest
// must be expected to need: waking threads costs some ten microseconds.
#define WORK_BEFORE 1024
#define WORK_LEFT 16384
// Entries that one thread alone is given at a time, at most.
#define LARGEST_PIECE 8

// A ring.
#define QUEUE_CAPACITY DBVHI_MOST_PIECES
_Static_assert( ( QUEUE_CAPACITY & ( QUEUE_CAPACITY - 1 ) ) == 0, "a ring is a power of two long" );
_Static_assert( HANDED_LENGTH + 32 <= QUEUE_CAPACITY, "a step adds up to 17 entries" );

typedef struct queue_entry {
	int32_t a, b;
	int32_t lanes;  // as on the stack of a packed traversal
	bool leaf_pair; // only pairs of leaves: cannot be divided further
} queue_entry;

typedef struct work_queue {
	queue_entry entries[QUEUE_CAPACITY];
} work_queue;

static const dbvhi_slot_kind queue_kind = { .size = sizeof( work_queue ) };

dbvh_status dbvhi_workspace_require_parallel( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                              size_t pair_capacity, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 );
	if ( dbvhi_workspace_slot( workspace, &queue_kind ) == NULL )
		return DBVH_OUT_OF_MEMORY;
	return dbvhi_workspace_require_pieces( workspace, a, b, pair_capacity, thread_count );
}

typedef struct split {
	dbvhi_hit_collector *search;
	dbvhi_packed_run start; // without memory
	work_queue *queue;
	uint32_t head, count, leaf_pairs;
	dbvhi_pieces pieces;
} split;

static queue_entry *entry_at( const split *s, uint32_t i ) {
	DBVHI_ASSERT( i < QUEUE_CAPACITY );
	return &s->queue->entries[( s->head + i ) % QUEUE_CAPACITY];
}

static queue_entry take( split *s ) {
	DBVHI_ASSERT( s->count > 0 );
	const queue_entry entry = *entry_at( s, 0 );
	s->head += 1;
	s->count -= 1;
	s->leaf_pairs -= entry.leaf_pair;
	return entry;
}

static void put( split *s, queue_entry entry ) {
	DBVHI_ASSERT( s->count < QUEUE_CAPACITY );
	*entry_at( s, s->count++ ) = entry;
	s->leaf_pairs += entry.leaf_pair;
}

// Replaces one entry by those one level further down, by the kernel's own rules. Pairs of leaves stay where they are,
// as lanes of one entry. What is left out here is what the kernel's spheres tell apart; it tests the boxes of the rest.
static void divide( split *s, const queue_entry *e ) {
	DBVHI_ASSERT( !e->leaf_pair );
	const dbvhi_packed_spheres *a = &s->start.spheres_a[e->a], *b = &s->start.spheres_b[e->b];
	const dbvhi_packed_box *boxes_a = &s->start.boxes_a[DBVHI_WIDTH * e->a];
	const dbvhi_packed_box *boxes_b = &s->start.boxes_b[DBVHI_WIDTH * e->b];
	dbvhi_sphere_kernel *kernel = dbvhi_sphere_kernel_table[dbvhi_isa_level()];
	uint32_t lanes = kernel( &s->start, e->a, e->b ) & (uint32_t)e->lanes, leaves = 0;
	s->search->counters.sphere_tests += DBVHI_WIDTH * DBVHI_WIDTH;
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
		put( s, ( queue_entry ){ .a = next.a, .b = next.b, .lanes = next.lanes } );
	}
	if ( leaves != 0 )
		put( s, ( queue_entry ){ .a = e->a, .b = e->b, .lanes = (int32_t)leaves, .leaf_pair = true } );
}

// Divides the oldest entries until there are `wanted`, or none can be divided, or it has taken too long.
static void widen( split *s, uint32_t wanted, uint32_t steps ) {
	for ( ; s->count < wanted && s->leaf_pairs < s->count && steps > 0; --steps ) {
		const queue_entry entry = take( s );
		if ( entry.leaf_pair )
			put( s, entry );
		else
			divide( s, &entry );
	}
}

// What has been done so far, in vector tests of nodes.
static uint64_t work_of( const dbvhi_hit_collector *search, const dbvhi_packed_run *run ) {
	const dbvh_counters *c = &search->counters;
	return run->node_tests + run->leaf_tests + 2 * c->triangle_tests + 64 * c->exact_tests;
}

// Goes through the queue on this thread for as long as the rest does not look heavy. Returns true if the search is
// over.
static bool start_alone( split *s ) {
	dbvhi_hit_collector *search = s->search;
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	dbvhi_packed_run run = s->start;
	dbvhi_packed_attach( &run, search->workspace );
	bool over = false;
	uint64_t done = 0;
	// The kernel overlaps the entries it is given at once: the more, the better for a light query.
	for ( uint32_t some = s->count < FIRST_LENGTH ? 4 : 1; s->count > 0 && !over;
	      some = 2 * some < LARGEST_PIECE ? 2 * some : LARGEST_PIECE ) {
		const uint64_t work = work_of( search, &run );
		if ( work >= WORK_BEFORE && work * s->count >= WORK_LEFT * done )
			break;
		const uint32_t piece = some < s->count ? some : s->count;
		for ( uint32_t i = 0; i < piece; ++i ) {
			const queue_entry entry = take( s );
			dbvhi_packed_push( &run, entry.a, entry.b, entry.lanes );
		}
		done += piece;
		while ( !over && kernel( &run ) )
			over =
			    dbvhi_packed_decide( search, &run ) || !dbvhi_work_charge_run( &search->work, &run, &search->counters );
	}
	dbvhi_packed_count( &search->counters, &run );
	return over;
}

// One entry of the queue, on any thread.
static void one_piece( void *context, size_t piece, uint32_t thread ) {
	split *s = context;
	if ( dbvhi_piece_is_idle( &s->pieces, piece ) )
		return;
	dbvhi_meter own;
	dbvhi_hit_collector search = dbvhi_piece_start( &s->pieces, thread, &own );
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	dbvhi_packed_run run = s->start;
	dbvhi_packed_attach( &run, search.workspace );
	const queue_entry *entry = entry_at( s, (uint32_t)piece );
	dbvhi_packed_push( &run, entry->a, entry->b, entry->lanes );
	bool over = false;
	while ( !over && kernel( &run ) ) {
		if ( dbvhi_piece_is_idle( &s->pieces, piece ) )
			return;
		over = dbvhi_packed_decide( &search, &run ) || !dbvhi_work_charge_run( &search.work, &run, &search.counters );
	}
	dbvhi_packed_count( &search.counters, &run );
	dbvhi_piece_finish( &s->pieces, piece, &search, over );
}

void dbvhi_traverse_parallel( dbvhi_hit_collector *search, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 );
	split s = { .search = search, .queue = dbvhi_workspace_slot( search->workspace, &queue_kind ) };
	dbvhi_packed_init( &search->meshes, &s.start );
	s.start.pause = dbvhi_work_first_pause( &search->work );
	s.start.first_only = !search->find_all;
	dbvhi_packed_use_ellipsoids( search, &s.start );
	put( &s, ( queue_entry ){ .a = 0, .b = 0, .lanes = 0xffff } );
	widen( &s, FIRST_LENGTH, FIRST_STEPS );
	if ( s.count >= FIRST_LENGTH )
		widen( &s, SECOND_LENGTH, SECOND_STEPS );
	if ( start_alone( &s ) || s.count == 0 )
		return;
	widen( &s, HANDED_LENGTH, HANDED_STEPS );
	dbvhi_pieces_run( &s.pieces, search, s.count, thread_count, one_piece, &s );
}
