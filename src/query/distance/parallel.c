// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One distance or clearance on several threads. The calling thread begins as it would alone. If the query turns out to
// be heavy, the pairs of nodes on its stack are divided into more and handed out, each to whichever thread is free.
//
// A distance has one bound for all threads, which any of them may lower: pairs farther apart than that are discarded.
// It is never below the distance, so each of the nearest pairs is compared by the thread that comes to it, and the one
// with the lowest key is the answer, whichever thread was faster. Only if meshes intersect does the pair that is named
// depend on the order of the search; then the calling thread searches again alone, so that it names the pair that it
// always names. A clearance is divided like a collision (common/pieces.h).

#include "base/assert.h"
#include "query/common/pair_queue.h"
#include "query/common/pieces.h"
#include "query/distance/distance.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// The number of vectors of nodes after which a query is a heavy one: comparing them takes about as long as starting
// threads.
#define NODES_BEFORE 2048
// The number of vectors of nodes after which a thread reads the bound of all.
#define NODES_ALONE 64

dbvh_status dbvhi_workspace_require_distance_threads( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                                      size_t pair_capacity, uint32_t thread_count ) {
	dbvh_status status = dbvhi_workspace_require_pair_queue( workspace );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require_pieces( workspace, a, b, pair_capacity, thread_count );
	for ( uint32_t i = 0; i < thread_count && status == DBVH_OK; ++i )
		status = dbvhi_workspace_require_distance( dbvhi_workspace_of( workspace, i ), a, b );
	return status;
}

// Move the pairs of nodes on a run's stack to a queue. Pairs with leaves and those beyond the queue's room stay. *start
// becomes the run that each piece is to start from.
static void set_aside( dbvhi_pair_queue *queue, dbvhi_nearest_run *run, dbvhi_nearest_run *start,
                       dbvh_workspace *workspace ) {
	dbvhi_packed_run *packed = &run->packed;
	DBVHI_ASSERT( packed->box_begin == packed->box_end );
	*start = *run;
	dbvhi_packed_run *shared = &start->packed;
	shared->stack_count = shared->leaf_count = shared->candidate_count = 0;
	shared->node_tests = shared->box_tests = shared->leaf_tests = 0;
	shared->pause = UINT64_MAX;
	start->candidate_count = 0;
	start->ordered = 0;
	// The margin of the comparisons of spheres in the queue.
	shared->margin = run->margin + run->reach * ( 1.0f + run->stretch );
	dbvhi_pair_queue_init( queue, shared, workspace );
	uint32_t kept = 0;
	for ( uint32_t i = 0; i < packed->stack_count; ++i ) {
		const int32_t a = packed->stack_a[i], b = packed->stack_b[i], lanes = packed->stack_lanes[i];
		if ( a >= 0 && b >= 0 && queue->count < DBVHI_HANDED_LENGTH ) {
			dbvhi_pair_queue_put( queue, ( dbvhi_queued_pair ){ .a = a, .b = b, .lanes = lanes } );
			continue;
		}
		packed->stack_a[kept] = a;
		packed->stack_b[kept] = b;
		packed->stack_lanes[kept++] = lanes;
	}
	packed->stack_count = kept;
	packed->pause = UINT64_MAX;
}

static void take_piece( dbvhi_nearest_run *run, const dbvhi_pair_queue *queue, size_t piece, dbvh_workspace *w ) {
	const dbvhi_queued_pair *pair = dbvhi_pair_queue_at( queue, (uint32_t)piece );
	dbvhi_nearest_run_attach( run, w );
	dbvhi_packed_push( &run->packed, pair->a, pair->b, pair->lanes );
}

// ------------------------------------------------------------------------------------------------
// Distance

typedef struct team {
	dbvhi_nearest *search; // search of the calling thread
	dbvh_workspace *workspace;
	dbvhi_nearest_run start;
	dbvhi_pair_queue queue;
	_Atomic uint64_t bound; // bits of a double: for doubles that are not negative, these are in the same order
} team;

static double bound_of( const team *t ) {
	const uint64_t bits = atomic_load_explicit( &t->bound, memory_order_relaxed );
	double bound;
	memcpy( &bound, &bits, sizeof bound );
	return bound;
}

static void lower_shared_bound( team *t, double bound ) {
	DBVHI_ASSERT( bound >= 0.0 );
	const double positive = bound > 0.0 ? bound : 0.0;
	uint64_t bits, known = atomic_load_explicit( &t->bound, memory_order_relaxed );
	memcpy( &bits, &positive, sizeof bits );
	while ( bits < known && !atomic_compare_exchange_weak_explicit( &t->bound, &known, bits, memory_order_relaxed,
	                                                                memory_order_relaxed ) ) {
	}
}

static dbvhi_nearest *search_of( const team *t, uint32_t thread ) {
	return thread == 0 ? t->search : &dbvhi_distance_memory_of( dbvhi_workspace_of( t->workspace, thread ) )->search;
}

static void one_piece( void *context, size_t piece, uint32_t thread ) {
	team *t = context;
	dbvhi_nearest *s = search_of( t, thread );
	dbvhi_distance_kernel *kernel = dbvhi_distance_kernel_table[dbvhi_isa_level()];
	dbvhi_nearest_run run = t->start;
	take_piece( &run, &t->queue, piece, dbvhi_workspace_of( t->workspace, thread ) );
	for ( bool over = false; !over; ) {
		dbvhi_nearest_hear( s, &run, bound_of( t ) );
		run.packed.pause = run.packed.node_tests + NODES_ALONE;
		if ( s->best == 0.0 || !kernel( &run ) )
			break;
		over = dbvhi_nearest_compare( s, &run );
		lower_shared_bound( t, over ? 0.0 : fmin( (double)run.best, s->best ) );
	}
	dbvhi_packed_count( &s->counters, &run.packed );
}

// Start the search of another thread with the question and the bounds of the calling thread.
static void join( const team *t, uint32_t thread ) {
	dbvhi_nearest *s = search_of( t, thread );
	*s = *t->search;
	s->count = 0;
	s->counters = ( dbvh_counters ){ 0 };
	dbvhi_nearest_attach( s, dbvhi_workspace_of( t->workspace, thread ) );
}

// Search the rest of a run that has paused, on all threads.
static void hand_out( dbvhi_nearest *s, dbvhi_nearest_run *run, dbvh_workspace *workspace, uint32_t thread_count ) {
	team t = { .search = s, .workspace = workspace };
	set_aside( &t.queue, run, &t.start, workspace );
	dbvhi_nearest_search( s, run, UINT64_MAX );
	dbvhi_nearest_settle( s );
	if ( s->best == 0.0 )
		return;
	dbvhi_pair_queue_widen( &t.queue, DBVHI_HANDED_LENGTH, DBVHI_HANDED_STEPS );
	atomic_init( &t.bound, UINT64_MAX >> 1 );
	lower_shared_bound( &t, fmin( (double)run->best, s->best ) );
	dbvhi_mesh_pair_corner_error( &s->meshes ); // before the threads share it
	for ( uint32_t i = 1; i < thread_count; ++i )
		join( &t, i );
	dbvhi_parallel_for( t.queue.count, 1, thread_count, one_piece, &t );
	s->best = fmin( s->best, bound_of( &t ) );
	s->bound = s->best;
	for ( uint32_t i = 1; i < thread_count; ++i ) {
		dbvhi_nearest_merge( s, search_of( &t, i ) );
		dbvhi_nearest_detach( search_of( &t, i ), dbvhi_workspace_of( workspace, i ) );
	}
	s->counters.sphere_tests += t.queue.sphere_tests;
}

void dbvhi_nearest_parallel( dbvhi_nearest *s, dbvh_workspace *workspace, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 && s->work.meter == NULL );
	const dbvhi_nearest before = *s;
	dbvhi_nearest_run run;
	dbvhi_nearest_start( s, workspace, &run );
	run.packed.pause = NODES_BEFORE;
	if ( dbvhi_nearest_search( s, &run, NODES_BEFORE ) ) {
		hand_out( s, &run, workspace, thread_count );
		if ( s->best == 0.0 ) {
			const dbvh_counters spent = s->counters;
			const uint32_t round = s->round;
			*s = before;
			s->counters = spent;
			s->round = round + 1;
			dbvhi_seen_pairs_clear( s->seen );
			dbvhi_nearest_packed( s, workspace );
		}
	}
	dbvhi_packed_count( &s->counters, &run.packed );
}

// ------------------------------------------------------------------------------------------------
// Clearance

typedef struct clearance_team {
	dbvhi_nearest_run start;
	dbvhi_pair_queue queue;
	dbvhi_pieces pieces;
} clearance_team;

static void clear_piece( void *context, size_t piece, uint32_t thread ) {
	clearance_team *t = context;
	if ( dbvhi_piece_is_idle( &t->pieces, piece ) )
		return;
	dbvhi_meter own;
	dbvhi_pair_search search = dbvhi_piece_start( &t->pieces, thread, &own );
	dbvhi_nearest_run run = t->start;
	take_piece( &run, &t->queue, piece, search.workspace );
	for ( bool left = true; left; ) {
		run.packed.pause = run.packed.node_tests + NODES_ALONE;
		left = dbvhi_clearance_search( &search, &run, run.packed.pause );
		if ( dbvhi_piece_is_idle( &t->pieces, piece ) )
			return;
	}
	dbvhi_packed_count( &search.counters, &run.packed );
	dbvhi_piece_finish( &t->pieces, piece, &search, search.key_count > 0 );
}

void dbvhi_clearance_parallel( dbvhi_pair_search *search, dbvhi_nearest_run *run, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 && search->work.meter == NULL );
	run->packed.pause = NODES_BEFORE;
	if ( !dbvhi_clearance_search( search, run, NODES_BEFORE ) )
		return;
	clearance_team t;
	set_aside( &t.queue, run, &t.start, search->workspace );
	// The pairs that stayed come first, as they would on one thread.
	dbvhi_clearance_search( search, run, UINT64_MAX );
	if ( search->find_all || search->key_count == 0 ) {
		dbvhi_pair_queue_widen( &t.queue, DBVHI_HANDED_LENGTH, DBVHI_HANDED_STEPS );
		dbvhi_pieces_run( &t.pieces, search, t.queue.count, thread_count, clear_piece, &t );
	}
	search->counters.sphere_tests += t.queue.sphere_tests;
}
