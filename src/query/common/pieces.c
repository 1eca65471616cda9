// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/pieces.h"

#include "base/assert.h"

static const dbvhi_slot_kind outcomes_kind = { .size = DBVHI_MOST_PIECES * sizeof( dbvhi_piece_outcome ) };

dbvh_status dbvhi_workspace_require_pieces( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                            size_t pair_capacity, uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count >= 1 );
	if ( dbvhi_workspace_slot( workspace, &outcomes_kind ) == NULL )
		return DBVH_OUT_OF_MEMORY;
	return dbvhi_workspace_require_helpers( workspace, a, b, pair_capacity, thread_count );
}

void dbvhi_pieces_run( dbvhi_pieces *pieces, dbvhi_pair_search *search, uint32_t piece_count, uint32_t thread_count,
                       dbvhi_task *task, void *context ) {
	DBVHI_ASSERT( piece_count <= DBVHI_MOST_PIECES && thread_count >= 1 );
	DBVHI_ASSERT( search->workspace->helper_capacity + 1 >= thread_count );
	dbvh_workspace *own = search->workspace;
	pieces->search = search;
	pieces->outcomes = dbvhi_workspace_slot( own, &outcomes_kind );
	atomic_init( &pieces->first_hit, UINT32_MAX );
	dbvhi_mesh_pair_corner_error( &search->meshes ); // before the threads share it
	for ( uint32_t i = 0; i < thread_count; ++i ) {
		dbvh_workspace *w = dbvhi_workspace_of( own, i );
		w->key_count = i == 0 ? search->key_count : 0;
		w->lowest_key = i == 0 ? search->lowest_key : UINT64_MAX;
		if ( i > 0 )
			dbvhi_seen_pairs_clear( &w->seen );
	}
	dbvhi_parallel_for( piece_count, 1, thread_count, task, context );

	// Pieces after the first hit were searched or left out by chance, so they do not count.
	const uint32_t hit = atomic_load_explicit( &pieces->first_hit, memory_order_relaxed );
	for ( uint32_t i = 0; i < piece_count && i <= hit; ++i )
		dbvhi_counters_add( &search->counters, &pieces->outcomes[i].counters );
	if ( search->find_all ) {
		search->key_count = own->key_count;
		search->lowest_key = own->lowest_key;
		for ( uint32_t i = 1; i < thread_count; ++i )
			dbvhi_pair_search_merge( search, own->helpers[i - 1] );
	} else if ( hit < piece_count ) {
		search->key_count = 1;
		search->lowest_key = pieces->outcomes[hit].key;
	}
}

// note: relaxed order will do, as the end of the loop orders what pieces write.
dbvhi_pair_search dbvhi_piece_start( dbvhi_pieces *pieces, uint32_t thread, dbvhi_meter *own ) {
	DBVHI_ASSERT( pieces->search != NULL );
	dbvhi_pair_search search = *pieces->search;
	search.workspace = dbvhi_workspace_of( search.workspace, thread );
	search.key_count = search.workspace->key_count;
	search.lowest_key = search.workspace->lowest_key;
	search.counters = ( dbvh_counters ){ 0 };
	dbvhi_work_share( &search.work, thread, own );
	return search;
}

void dbvhi_piece_finish( dbvhi_pieces *pieces, size_t piece, dbvhi_pair_search *search, bool over ) {
	DBVHI_ASSERT( piece < DBVHI_MOST_PIECES && pieces->outcomes != NULL );
	pieces->outcomes[piece] = ( dbvhi_piece_outcome ){ search->counters, search->lowest_key };
	if ( search->find_all ) {
		search->workspace->key_count = search->key_count;
		search->workspace->lowest_key = search->lowest_key;
	} else if ( over && search->key_count > 0 ) {
		unsigned lowest = atomic_load_explicit( &pieces->first_hit, memory_order_relaxed );
		while ( piece < lowest &&
		        !atomic_compare_exchange_weak_explicit( &pieces->first_hit, &lowest, (unsigned)piece,
		                                                memory_order_relaxed, memory_order_relaxed ) ) {
		}
	}
	dbvhi_work_settle( &search->work );
}
