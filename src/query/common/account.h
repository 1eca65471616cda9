// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What a call of many elements (poses, rays, pairs of bodies, edges) may spend, and whom it tells how far it has come.
//
// Elements are done in pieces, of one or of several elements, by any threads. Each piece has a share of the account:
// the budget of its queries. Only the calling thread asks the caller whether all is to end; the others hear of it.
//
// A total is charged in the order of the pieces, so that what is finished does not depend on who does what. A thread
// that begins a piece knows what those before it have spent as far as all of these have ended; that is no more than
// what they will have spent in the end, so its limit is not too small. Once all have ended, the first piece with which
// the sum is above the total is done once more, with what the ones before have left, and those behind it are left out.

#pragma once

#include "base/alloc.h"
#include "base/budget.h"
#include "base/parallel.h"

#include <stdatomic.h>

typedef struct dbvhi_share dbvhi_share;

// How the pieces of a call are done.
typedef struct dbvhi_account_work {
	// Does a piece whose results are as the caller, or leave(), made them.
	void ( *run )( void *context, size_t piece, uint32_t thread, dbvhi_share *share );
	// Marks all elements of a piece as not reached, with CANCELLED or BUDGET_SPENT.
	void ( *leave )( void *context, size_t piece, dbvh_status why );
} dbvhi_account_work;

typedef struct dbvhi_account {
	const dbvh_budget *budget;                                   // NULL: none
	bool ( *progress )( void *user, size_t done, size_t count ); // NULL: nobody is told
	void *user;
	size_t count;   // elements
	uint32_t every; // elements of the calling thread between two questions, for those that cost little
	// The rest is the account's own.
	bool is_kept;   // there is a budget, or somebody to tell
	bool counts;    // somebody asks what is spent
	uint64_t total; // UINT64_MAX: none
	size_t piece_count;
	const dbvhi_account_work *work;
	void *context;
	// Where there is a total on several threads, what each piece has spent, plus 1; 0: it has not ended. Else NULL.
	uint64_t *spent;
	// On lines of their own: all else is only read.
	_Alignas( 64 ) atomic_bool is_cancelled;
	_Atomic uint64_t before; // spent by the pieces up to the first one that has not ended; without a total by any
	_Alignas( 64 ) atomic_size_t done; // elements
	uint32_t since_asked, since_told;
	atomic_flag counting; // who has it may look at the next one, and at `spent`
	size_t next;          // the first piece that has not ended
} dbvhi_account;

struct dbvhi_share {
	dbvhi_account *account;
	bool is_caller;
	uint64_t limit, spent; // of the piece
	uint64_t noted;        // spent when the last query, or element, was begun,
	uint64_t asked;        // spent when the caller was last asked between two queries
	bool is_asking;        // and it has not ended
	dbvh_budget room;
	const dbvh_budget *budget; // of its next query; NULL: no limit
};

// Does all pieces on that many threads, `grain` at a time. The members of the account above the line are set; the
// allocator is asked for eight bytes a piece where there is a total on several threads. Returns OUT_OF_MEMORY, with
// nothing done, or OK: each element says for itself whether it was finished.
dbvh_status dbvhi_account_run( dbvhi_account *account, const dbvh_allocator *allocator, size_t piece_count,
                               size_t grain, uint32_t thread_count, const dbvhi_account_work *work, void *context );

// Before each query of a piece, and each element, but for the first: what is left for it, in share->budget. DBVH_OK, or
// why there is to be none.
dbvh_status dbvhi_share_next( dbvhi_share *share );

// An element of the piece has ended. Each query is charged at least one step, and so is an element without any.
void dbvhi_share_element( dbvhi_share *share );

// Has a call ended as it should, or early with something to hand over?
static inline bool dbvhi_has_results( dbvh_status status ) {
	return status == DBVH_OK || status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED;
}
