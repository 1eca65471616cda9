// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A search of two reference trees on several threads, as in query/collide/parallel.c: the calling thread divides the
// pair of roots breadth first, searches the pairs that wait, and hands out the rest once that looks heavy. Nothing
// depends on the number of threads.

#include "base/assert.h"
#include "query/common/pieces.h"
#include "reference/reference.h"
#include "reference/steps.inl"

// Steps of division, each of which takes one pair and adds at most two. The first ones make pairs that the calling
// thread may search to their end before it knows how heavy the rest is: with 16 steps in place of 64 the first pair was
// 63 % of all work for two concentric spheres. Division does tests that the search would do: a light query pays next to
// nothing.
enum { FIRST_STEPS = 64, HANDED_STEPS = 240, MOST_WAITING = FIRST_STEPS + HANDED_STEPS + 2 };

// Work, in tests of volumes, that must be done before the rest is estimated, and that the rest must be expected to
// need: waking threads costs some ten microseconds.
#define WORK_BEFORE 2048
#define WORK_LEFT 16384

typedef struct waiting_pairs {
	dbvhi_node_pair pairs[2 * MOST_WAITING];
} waiting_pairs;

static const dbvhi_slot_kind waiting_kind = { .size = sizeof( waiting_pairs ) };

typedef struct division {
	dbvhi_traversal *t;
	dbvhi_manner how;
	waiting_pairs *waiting;
	uint32_t begin, end;
	dbvhi_pieces pieces;
} division;

dbvh_status dbvhi_workspace_require_reference( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                               size_t pair_capacity, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 );
	if ( dbvhi_workspace_slot( workspace, &waiting_kind ) == NULL )
		return DBVH_OUT_OF_MEMORY;
	return dbvhi_workspace_require_pieces( workspace, a, b, pair_capacity, thread_count );
}

// Replace the first pairs by their children. Returns true if the search is over.
static bool divide( division *d, uint32_t steps ) {
	dbvhi_traversal *t = d->t;
	for ( uint32_t step = 0; step < steps && d->begin < d->end; ++step ) {
		const dbvhi_node_pair at = d->waiting->pairs[d->begin++];
		const dbvhi_node *a = &t->nodes_a[at.a], *b = &t->nodes_b[at.b];
		const bool leaf_a = dbvhi_node_is_leaf( a ), leaf_b = dbvhi_node_is_leaf( b );
		if ( leaf_a && leaf_b ) {
			if ( dbvhi_reference_leaves( t->search, a, b ) )
				return true;
			continue;
		}
		const bool fixed = leaf_b || ( !leaf_a && is_larger( d->how.policy, a, b ) );
		const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at.rot, b->sphere_inside ), at.pos );
		for ( uint32_t child = 0; child < 2; ++child ) {
			DBVHI_ASSERT( d->end < 2 * MOST_WAITING );
			dbvhi_node_pair *out = &d->waiting->pairs[d->end];
			d->end += fixed ? step_fixed( t, d->how.policy, &at, sphere_b, a->first + child, out )
			                : step_moved( t, d->how.policy, &at, b->first + child, out );
		}
	}
	return false;
}

// Search the waiting pairs as long as the rest does not look heavy. Returns true if the search is over.
static bool start_alone( division *d ) {
	dbvhi_traversal *t = d->t;
	for ( uint64_t done = 0; d->begin < d->end; ++done ) {
		const dbvh_counters *c = &t->search->counters;
		const uint64_t work = t->sphere_tests + t->box_tests + 4 * c->triangle_tests + 64 * c->exact_tests;
		if ( work >= WORK_BEFORE && work * ( d->end - d->begin ) >= WORK_LEFT * done )
			return false;
		if ( d->how.descend( t, &d->waiting->pairs[d->begin++] ) || !may_go_on( t ) )
			return true;
	}
	return false;
}

static void one_piece( void *context, size_t piece, uint32_t thread ) {
	division *d = context;
	if ( dbvhi_piece_is_idle( &d->pieces, piece ) )
		return;
	dbvhi_meter own;
	dbvhi_pair_search search = dbvhi_piece_start( &d->pieces, thread, &own );
	dbvhi_traversal t = *d->t;
	t.search = &search;
	t.sphere_tests = t.box_tests = t.ellipsoid_pair_tests = t.ellipsoid_box_tests = t.ellipsoid_separated = 0;
	const bool over = d->how.descend( &t, &d->waiting->pairs[d->begin + piece] );
	dbvhi_traversal_count( &t );
	dbvhi_piece_finish( &d->pieces, piece, &search, over );
}

void dbvhi_traversal_run_parallel( dbvhi_traversal *t, dbvhi_manner how, const dbvhi_node_pair *root,
                                   uint32_t thread_count ) {
	division d = { .t = t, .how = how, .end = 1 };
	d.waiting = dbvhi_workspace_slot( t->search->workspace, &waiting_kind );
	d.waiting->pairs[0] = *root;
	if ( divide( &d, FIRST_STEPS ) || start_alone( &d ) || divide( &d, HANDED_STEPS ) || d.begin == d.end )
		return;
	dbvhi_pieces_run( &d.pieces, t->search, d.end - d.begin, thread_count, one_piece, &d );
}
