// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search in pieces that are handed to threads. Nothing depends on the number of threads or on which is faster:
// every piece is a search of its own that starts from the same state, and if the first hit is wanted, it is that of the
// lowest piece. A thread may leave out only pieces after one with a hit.

#pragma once

#include "base/parallel.h"
#include "query/common/pair_search.h"

#include <stdatomic.h>

#define DBVHI_MOST_PIECES 2048

typedef struct dbvhi_piece_outcome {
	dbvh_counters counters;
	uint64_t key; // DBVH_FIND_ANY: the pair that was found
} dbvhi_piece_outcome;

typedef struct dbvhi_pieces {
	dbvhi_pair_search *search;
	dbvhi_piece_outcome *outcomes; // one a piece
	atomic_uint first_hit;         // the lowest piece with a hit that ends the search
} dbvhi_pieces;

// Room for a search of two trees on that many threads.
dbvh_status dbvhi_workspace_require_pieces( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                            size_t pair_capacity, uint32_t thread_count );

// Run task( context, piece, thread ) for up to DBVHI_MOST_PIECES pieces, and add their results to the search. The
// context has to know `pieces`.
void dbvhi_pieces_run( dbvhi_pieces *pieces, dbvhi_pair_search *search, uint32_t piece_count, uint32_t thread_count,
                       dbvhi_task *task, void *context );

// Has a lower piece ended the search?
static inline bool dbvhi_piece_is_idle( dbvhi_pieces *pieces, size_t piece ) {
	return piece > atomic_load_explicit( &pieces->first_hit, memory_order_relaxed );
}

// Begin and end the search of one piece on its thread, with a meter of its own.
dbvhi_pair_search dbvhi_piece_start( dbvhi_pieces *pieces, uint32_t thread, dbvhi_meter *own );
void dbvhi_piece_finish( dbvhi_pieces *pieces, size_t piece, dbvhi_pair_search *search, bool over );
