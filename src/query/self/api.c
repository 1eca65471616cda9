// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_self_collide(): one mesh against itself.
//
// Two leaves of a tree lie below two different children of exactly one node. So every node is a search of its own, for
// the pairs of its children (i, j) with i < j, which the packed kernel takes as a lane mask. That finds each pair of
// leaves once and needs neither a kernel nor a traversal of its own. Pieces of consecutive nodes can be handed to
// threads. The kernel's float filter cannot separate neighbours, which are about six pairs a triangle; the filter in
// exact/tri_tri_self.c does.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/self.h"
#include "exact/tri_tri.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "query/common/arguments.h"
#include "query/common/pieces.h"
#include "query/self/groups.h"
#include "reference/reference.h"
#include "simd/isa.h"

#include <math.h>
#include <string.h>

// The lanes (i, j), bit 4 j + i, with i < j.
#define UPPER_LANES 0x7310
// Least number of nodes in a piece: a thread is not woken for less, some ten microseconds of work.
#define PIECE_NODES 64
// Number of nodes that are searched together. The stack is bounded for searches that begin below its cautious height.
#define CHUNK 32
_Static_assert( CHUNK <= DBVHI_PACKED_CAUTIOUS( 1, 1 ), "a search begins below where the kernel becomes cautious" );

typedef struct self_work {
	dbvhi_packed_run start; // without memory
	uint32_t node_count, piece_count;
	dbvhi_pieces pieces;
} self_work;

static bool decide( dbvhi_pair_search *s, const dbvhi_packed_run *run ) {
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		if ( dbvhi_pair_search_self( s, run->candidates[i].a, run->candidates[i].b ) )
			return true;
	}
	return false;
}

static bool within_leaf( dbvhi_pair_search *s, const dbvhi_packed_leaf *leaf ) {
	const uint32_t first = leaf->first_and_count >> 2, count = ( leaf->first_and_count & 3 ) + 1;
	for ( uint32_t i = first; i < first + count; ++i ) {
		for ( uint32_t j = i + 1; j < first + count; ++j ) {
			if ( dbvhi_pair_search_self( s, i, j ) )
				return true;
		}
	}
	return false;
}

// Search the nodes from `first` up to, and without, `end`. Returns true if the search is over.
static bool search_nodes( dbvhi_pair_search *s, dbvhi_packed_run *run, uint32_t first, uint32_t end ) {
	DBVHI_ASSERT( first <= end && s->self );
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	for ( uint32_t at = first; at < end; at += CHUNK ) {
		// note: a chunk of nodes goes on the stack together, as the kernel works on several at a time.
		for ( uint32_t node = at; node < end && node < at + CHUNK; ++node ) {
			dbvhi_packed_push( run, (int32_t)node, (int32_t)node, UPPER_LANES );
			const dbvhi_packed_box *boxes = &run->boxes_a[DBVHI_WIDTH * (size_t)node];
			for ( uint32_t i = 0; i < DBVHI_WIDTH && run->spheres_a[node].radius[i] != DBVHI_NO_CHILD; ++i ) {
				if ( boxes[i].child < 0 && within_leaf( s, &run->leaves_a[~boxes[i].child] ) )
					return true;
			}
		}
		while ( kernel( run ) ) {
			if ( decide( s, run ) || !dbvhi_work_charge_run( &s->work, run, &s->counters ) )
				return true;
			if ( dbvhi_packed_wants_groups( run ) )
				dbvhi_packed_use_groups( run, &s->meshes );
		}
		if ( !dbvhi_work_charge_run( &s->work, run, &s->counters ) )
			return true;
	}
	return false;
}

static uint32_t piece_begin( const self_work *w, size_t piece ) {
	DBVHI_ASSERT( piece <= w->piece_count );
	return (uint32_t)( (uint64_t)w->node_count * piece / w->piece_count );
}

static void one_piece( void *context, size_t piece, uint32_t thread ) {
	self_work *w = context;
	if ( dbvhi_piece_is_idle( &w->pieces, piece ) )
		return;
	dbvhi_meter own;
	dbvhi_pair_search search = dbvhi_piece_start( &w->pieces, thread, &own );
	dbvhi_packed_run run = w->start;
	dbvhi_packed_attach( &run, search.workspace );
	const bool over = search_nodes( &search, &run, piece_begin( w, piece ), piece_begin( w, piece + 1 ) );
	dbvhi_packed_count( &search.counters, &run );
	dbvhi_piece_finish( &w->pieces, piece, &search, over );
}

static void search_packed( dbvhi_pair_search *s, uint32_t thread_count ) {
	DBVHI_ASSERT( s->meshes.fixed == s->meshes.moved );
	self_work w = { .node_count = s->meshes.fixed->packed->node_count };
	dbvhi_packed_init( &s->meshes, &w.start );
	w.start.pause = dbvhi_work_first_pause( &s->work );
	w.start.first_only = !s->find_all;
	const uint32_t pieces = w.node_count / PIECE_NODES;
	w.piece_count = pieces < DBVHI_MOST_PIECES ? pieces : DBVHI_MOST_PIECES;
	if ( thread_count > 1 && w.piece_count > 1 ) {
		dbvhi_pieces_run( &w.pieces, s, w.piece_count, thread_count, one_piece, &w );
		return;
	}
	dbvhi_packed_attach( &w.start, s->workspace );
	search_nodes( s, &w.start, 0, w.node_count );
	dbvhi_packed_count( &s->counters, &w.start );
}

static DBVHI_NOINLINE_FP dbvh_status do_self_collide( const dbvh_tree *tree, const dbvh_collide_query *query,
                                                      dbvh_workspace *workspace, dbvh_collide_result *result_out,
                                                      dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_collide_query verdict_alone = { .find = DBVH_FIND_ANY };
	const dbvh_collide_query *q = query != NULL ? query : &verdict_alone;
	DBVHI_TRY( dbvhi_check_given( tree, "tree", error ) );
	DBVHI_TRY( dbvhi_check_collide_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form_of( tree, q->policy, "tree", error ) );
	DBVHI_TRY( dbvhi_check_no_parts( q->pair_begin, "pair", error ) );

	dbvh_workspace *own;
	DBVHI_TRY( dbvhi_workspace_borrow( &workspace, tree, &own ) );
	const bool packed = dbvhi_asks_for_packed( q->policy ) && tree->packed != NULL;
	const size_t pair_capacity = q->find == DBVH_FIND_ALL ? q->pair_capacity : 0;
	const uint32_t thread_count = packed && q->thread_count > 1 ? dbvhi_thread_count( q->thread_count ) : 1;
	dbvh_status status = dbvhi_workspace_require( workspace, tree, tree, pair_capacity );
	if ( status == DBVH_OK && thread_count > 1 )
		status = dbvhi_workspace_require_pieces( workspace, tree, tree, pair_capacity, thread_count );
	if ( status == DBVH_OK ) {
		dbvhi_pair_search search = {
		    .find_all = q->find == DBVH_FIND_ALL,
		    .self = true,
		    .workspace = workspace,
		    .key_capacity = pair_capacity,
		    .lowest_key = UINT64_MAX,
		};
		dbvhi_mesh_pair_init_self( &search.meshes, tree );
		dbvhi_pair_search_begin( &search );
		dbvhi_purse purse;
		dbvhi_meter meter;
		dbvhi_meter_open( &meter, &purse, q->budget );
		search.work.meter = q->budget != NULL ? &meter : NULL;
		if ( dbvhi_pair_search_twins( &search ) ) {
			// Two identical triangles answer a search for one pair.
		} else if ( packed ) {
			search_packed( &search, thread_count );
		} else {
			dbvhi_reference_self_collide( &search, q->policy );
		}
		dbvhi_meter_close( &meter );
		if ( status == DBVH_OK ) {
			dbvhi_pair_search_finish( &search, q, result_out );
			status = dbvhi_pair_search_status( &search );
		}
	}
	dbvh_workspace_destroy( own );
	return status;
}

dbvh_status dbvh_self_collide( const dbvh_tree *tree, const dbvh_collide_query *query, dbvh_workspace *workspace,
                               dbvh_collide_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_self_collide( tree, query, workspace, result_out, error ) ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_triangles_self_intersect( const dbvh_triangle *a, const dbvh_triangle *b,
                                                                  bool *intersect_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( intersect_out != NULL )
		*intersect_out = false;
	DBVHI_TRY( dbvhi_check_given( a, "a", error ) );
	DBVHI_TRY( dbvhi_check_given( b, "b", error ) );
	DBVHI_TRY( dbvhi_check_given( intersect_out, "intersect_out", error ) );
	DBVHI_TRY( dbvhi_check_finite( dbvhi_triangle_numbers( a ), 9, "a.corner", error ) );
	DBVHI_TRY( dbvhi_check_finite( dbvhi_triangle_numbers( b ), 9, "b.corner", error ) );
	const double *p = dbvhi_triangle_numbers( a ), *q = dbvhi_triangle_numbers( b );
	const dbvhi_answer answer = dbvhi_self_intersect_filter( p, q );
	*intersect_out = answer != DBVHI_UNSURE ? answer == DBVHI_INTERSECTING : dbvhi_self_intersect_exact( p, q );
	return DBVH_OK;
}

dbvh_status dbvh_triangles_self_intersect( const dbvh_triangle *a, const dbvh_triangle *b, bool *intersect_out,
                                           dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_triangles_self_intersect( a, b, intersect_out, error ) ) );
}
