// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One query on several threads. The calling thread divides the pair of roots breadth-first until a few dozen pairs of
// nodes wait in a ring, and goes through these as it would alone. If the first of them show that the rest will take
// long, the rest is divided further and handed out, each pair to whichever thread is free.
//
// Nothing depends on the number of threads or on which is faster: the division and the decision to hand out follow from
// the work alone; every pair of nodes is a search of its own that starts from the same state; and where the first
// contact is wanted, it is the one found under the pair of nodes that comes first in the ring. A thread may leave out
// only what comes after a pair of nodes where a contact has been found.

#include "base/parallel.h"
#include "query/collide/kernel.h"
#include "query/common/hit_collector.h"
#include "simd/isa.h"

#include <stdatomic.h>
#include <string.h>

// A light query shall not pay for what only heavy ones need: a few steps show most of them, a few more the rest. The
// second ring is large enough for its first entry to be a small part of a heavy query.
#define FIRST_FRONT 16
#define FIRST_STEPS 6
#define SECOND_FRONT 64
#define SECOND_STEPS 24
// The ring that is handed out: 64 pieces for each of 16 threads. Its pieces are of about a thousandth of the work, so
// that neither the last one nor those under way when a contact is found cost much.
#define HANDED_FRONT 1024
#define HANDED_STEPS 4096
// The work (in vector tests, 10 to 40 ns each) that must have been done before the rest is estimated, and that the rest
// must be expected to need: waking threads costs some ten microseconds.
#define WORK_BEFORE 1024
#define WORK_LEFT 16384
// Entries that one thread alone is given at a time, at most.
#define LARGEST_PIECE 8

_Static_assert( HANDED_FRONT + 32 <= DBVHI_FRONT_ROOM, "a step adds up to 17 entries" );

typedef struct split {
	dbvhi_hit_collector *search;
	dbvhi_packed_run aimed; // without memory
	dbvhi_front *front;
	uint32_t head, count, settled; // of the ring
	atomic_uint first_hit;         // the lowest piece with a contact that ends the search
} split;

static dbvhi_front_entry *entry_at( const split *s, uint32_t i ) {
	return &s->front->entries[( s->head + i ) % DBVHI_FRONT_ROOM];
}

static dbvhi_front_entry take( split *s ) {
	const dbvhi_front_entry entry = *entry_at( s, 0 );
	s->head += 1;
	s->count -= 1;
	s->settled -= entry.settled;
	return entry;
}

static void put( split *s, dbvhi_front_entry entry ) {
	*entry_at( s, s->count++ ) = entry;
	s->settled += entry.settled;
}

// The four children of a node next to each other; the compiler makes of it what the machine has.
typedef float float4 __attribute__( ( vector_size( 16 ) ) );
typedef int32_t int4 __attribute__( ( vector_size( 16 ) ) );

static float4 load4( const float *p ) {
	float4 x;
	memcpy( &x, p, sizeof x );
	return x;
}

// The lanes (i, j) whose spheres may overlap: the kernel's test without its boxes, in the same arithmetic and with the
// same margin. The kernel tests whatever is left.
static uint32_t spheres_overlap( const dbvhi_packed_run *run, const dbvhi_packed_spheres *a,
                                 const dbvhi_packed_spheres *b ) {
	const float4 ax = load4( a->centre[0] ), ay = load4( a->centre[1] ), az = load4( a->centre[2] );
	const float4 x = load4( b->centre[0] ), y = load4( b->centre[1] ), z = load4( b->centre[2] );
	float4 moved[3];
	for ( int k = 0; k < 3; ++k )
		moved[k] = run->rot[k][0] * x + run->rot[k][1] * y + run->rot[k][2] * z + run->pos[k];
	const float4 radius_a = load4( a->radius );
	uint32_t lanes = 0;
	for ( uint32_t j = 0; j < DBVHI_WIDTH; ++j ) {
		const float4 dx = moved[0][j] - ax, dy = moved[1][j] - ay, dz = moved[2][j] - az;
		const float4 radii = radius_a + b->radius[j];
		const float4 reach = radii + ( radii * run->margin_relative + run->margin );
		// Lanes without a child have a negative reach.
		const int4 near = ( dx * dx + dy * dy + dz * dz <= reach * reach ) & ( reach > ( float4 ){ 0 } );
		const int4 bits = near & ( int4 ){ 1, 2, 4, 8 };
		lanes |= (uint32_t)( bits[0] | bits[1] | bits[2] | bits[3] ) << ( DBVHI_WIDTH * j );
	}
	return lanes;
}

// Replaces one entry by those one level further down, by the kernel's own rule. Pairs of leaves stay where they are,
// as lanes of one entry.
static void divide( split *s, const dbvhi_front_entry *e ) {
	const dbvhi_packed_spheres *a = &s->aimed.spheres_a[e->a], *b = &s->aimed.spheres_b[e->b];
	const dbvhi_packed_box *boxes_a = &s->aimed.boxes_a[DBVHI_WIDTH * e->a];
	const dbvhi_packed_box *boxes_b = &s->aimed.boxes_b[DBVHI_WIDTH * e->b];
	uint32_t lanes = spheres_overlap( &s->aimed, a, b ) & (uint32_t)e->lanes, leaves = 0;
	s->search->counters.sphere_tests += DBVHI_WIDTH * DBVHI_WIDTH;
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const int lane = __builtin_ctz( lanes ), i = lane % DBVHI_WIDTH, j = lane / DBVHI_WIDTH;
		const bool leaf_a = boxes_a[i].child < 0, leaf_b = boxes_b[j].child < 0;
		if ( leaf_a && leaf_b ) {
			leaves |= 1u << lane;
			continue;
		}
		const bool a_stays = leaf_a || ( !leaf_b && b->radius[j] > a->radius[i] * DBVHI_SIZE_RATIO );
		const bool b_stays = leaf_b || ( !leaf_a && a->radius[i] > b->radius[j] * DBVHI_SIZE_RATIO );
		put( s, ( dbvhi_front_entry ){
		            .a = a_stays ? e->a : boxes_a[i].child,
		            .b = b_stays ? e->b : boxes_b[j].child,
		            .lanes = a_stays ? 0x1111 << i : ( b_stays ? 0xf << ( DBVHI_WIDTH * j ) : 0xffff ),
		        } );
	}
	if ( leaves != 0 )
		put( s, ( dbvhi_front_entry ){ .a = e->a, .b = e->b, .lanes = (int32_t)leaves, .settled = true } );
}

// Divides the oldest entries until there are `wanted`, or none can be divided, or it has taken too long.
static void widen( split *s, uint32_t wanted, uint32_t steps ) {
	for ( ; s->count < wanted && s->settled < s->count && steps > 0; --steps ) {
		const dbvhi_front_entry entry = take( s );
		if ( entry.settled )
			put( s, entry );
		else
			divide( s, &entry );
	}
}

static void push( dbvhi_packed_run *run, const dbvhi_front_entry *entry ) {
	run->stack_a[run->stack_count] = entry->a;
	run->stack_b[run->stack_count] = entry->b;
	run->stack_lanes[run->stack_count++] = entry->lanes;
}

// What has been done so far, in vector tests of nodes.
static uint64_t work_of( const dbvhi_hit_collector *search, const dbvhi_packed_run *run ) {
	const dbvh_counters *c = &search->counters;
	return run->node_tests + run->leaf_tests + 2 * c->triangle_tests + 64 * c->exact_tests;
}

// Goes through the ring on this thread for as long as the rest does not look heavy. Returns true if the search is over.
static bool begin_alone( split *s ) {
	dbvhi_hit_collector *search = s->search;
	dbvhi_collide_kernel *go_on = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	dbvhi_packed_run run = s->aimed;
	dbvhi_packed_attach( &run, search->workspace );
	bool over = false;
	uint64_t done = 0;
	// The kernel overlaps the entries it is given at once: the more, the better for a light query.
	for ( uint32_t some = s->count < FIRST_FRONT ? 4 : 1; s->count > 0 && !over;
	      some = 2 * some < LARGEST_PIECE ? 2 * some : LARGEST_PIECE ) {
		const uint64_t work = work_of( search, &run );
		if ( work >= WORK_BEFORE && work * s->count >= WORK_LEFT * done )
			break;
		const uint32_t piece = some < s->count ? some : s->count;
		for ( uint32_t i = 0; i < piece; ++i ) {
			const dbvhi_front_entry entry = take( s );
			push( &run, &entry );
		}
		done += piece;
		while ( !over && go_on( &run ) )
			over = dbvhi_packed_decide( search, &run ) || !dbvhi_search_goes_on( search, &run );
	}
	dbvhi_packed_count( &search->counters, &run );
	return over;
}

static bool is_idle( split *s, size_t piece ) {
	return piece > atomic_load_explicit( &s->first_hit, memory_order_relaxed );
}

static void report_hit( split *s, size_t piece ) {
	unsigned lowest = atomic_load_explicit( &s->first_hit, memory_order_relaxed );
	while ( piece < lowest && !atomic_compare_exchange_weak_explicit( &s->first_hit, &lowest, (unsigned)piece,
	                                                                  memory_order_relaxed, memory_order_relaxed ) ) {
	}
}

// One entry of the ring, on any thread. The order of memory is the loop's: what is written here is read after it.
static void one_piece( void *context, size_t piece, uint32_t thread ) {
	split *s = context;
	if ( is_idle( s, piece ) )
		return;
	dbvh_workspace *w = dbvhi_workspace_of( s->search->workspace, thread );
	dbvhi_hit_collector search = *s->search;
	search.workspace = w;
	search.key_count = w->key_count;
	search.lowest_key = w->lowest_key;
	search.counters = ( dbvh_counters ){ 0 };
	dbvhi_meter own;
	dbvhi_search_share( &search, thread, &own );
	dbvhi_collide_kernel *go_on = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	dbvhi_packed_run run = s->aimed;
	dbvhi_packed_attach( &run, w );
	push( &run, entry_at( s, (uint32_t)piece ) );
	bool over = false;
	while ( !over && go_on( &run ) ) {
		if ( is_idle( s, piece ) )
			return;
		over = dbvhi_packed_decide( &search, &run ) || !dbvhi_search_goes_on( &search, &run );
	}
	dbvhi_packed_count( &search.counters, &run );
	s->front->outcomes[piece] = ( dbvhi_front_outcome ){ search.counters, search.lowest_key };
	if ( search.find_all ) {
		w->key_count = search.key_count;
		w->lowest_key = search.lowest_key;
	} else if ( over && search.key_count > 0 ) {
		report_hit( s, piece );
	}
	dbvhi_search_settle( &search );
}

static void hand_out( split *s, uint32_t thread_count ) {
	dbvhi_hit_collector *search = s->search;
	dbvh_workspace *own = search->workspace;
	if ( search->error < 0.0 )
		search->error = dbvhi_move_error( search->pose, search->moved->largest );
	for ( uint32_t i = 0; i < thread_count; ++i ) {
		dbvh_workspace *w = dbvhi_workspace_of( own, i );
		w->key_count = i == 0 ? search->key_count : 0;
		w->lowest_key = i == 0 ? search->lowest_key : UINT64_MAX;
	}
	dbvhi_parallel_for( s->count, 1, thread_count, one_piece, s );

	// What lies behind the first hit has been done or left out by chance: it does not count.
	const uint32_t hit = atomic_load_explicit( &s->first_hit, memory_order_relaxed );
	for ( uint32_t i = 0; i < s->count && i <= hit; ++i )
		dbvhi_counters_add( &search->counters, &s->front->outcomes[i].counters );
	if ( search->find_all ) {
		search->key_count = own->key_count;
		search->lowest_key = own->lowest_key;
		for ( uint32_t i = 1; i < thread_count; ++i )
			dbvhi_hit_collector_merge( search, own->helpers[i - 1] );
	} else if ( hit < s->count ) {
		search->key_count = 1;
		search->lowest_key = s->front->outcomes[hit].key;
	}
}

void dbvhi_traverse_packed_split( dbvhi_hit_collector *search, uint32_t thread_count ) {
	split s = { .search = search, .front = search->workspace->front };
	atomic_init( &s.first_hit, UINT32_MAX );
	dbvhi_packed_init( search, &s.aimed );
	dbvhi_packed_use_ellipsoids( search, &s.aimed );
	put( &s, ( dbvhi_front_entry ){ .a = 0, .b = 0, .lanes = 0xffff } );
	widen( &s, FIRST_FRONT, FIRST_STEPS );
	if ( s.count >= FIRST_FRONT )
		widen( &s, SECOND_FRONT, SECOND_STEPS );
	if ( begin_alone( &s ) || s.count == 0 )
		return;
	widen( &s, HANDED_FRONT, HANDED_STEPS );
	hand_out( &s, thread_count );
}
