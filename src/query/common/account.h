// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The budget and the progress of a call of many elements (poses, rays, pairs of bodies, edges).
//
// Elements are done in pieces, of one or of several elements, by any threads. Each piece has a share of the account:
// the budget of its queries. Only the calling thread asks the caller whether all is to end; the others hear of it.
//
// A total is charged in the order of the pieces, so that the finished elements do not depend on which thread does what.
// A thread that begins a piece knows what those before it have spent as far as all of these have ended. That is no more
// than what they will have spent in the end, so its limit is not too small. Once all have ended, the first piece with
// which the sum is above the total is done once more, with what the ones before have left, and later pieces are left
// out.

#pragma once

#include "base/alloc.h"
#include "base/budget.h"
#include "base/parallel.h"

#include <stdatomic.h>

typedef struct dbvhi_share dbvhi_share;

// The functions that do the pieces of a call.
typedef struct dbvhi_account_work {
	// Do a piece; its results are as the caller, or leave(), made them.
	void ( *run )( void *context, size_t piece, uint32_t thread, dbvhi_share *share );
	// Mark all elements of a piece as not reached, with CANCELLED or BUDGET_SPENT.
	void ( *leave )( void *context, size_t piece, dbvh_status why );
} dbvhi_account_work;

typedef struct dbvhi_account {
	const dbvh_budget *budget;                                   // NULL: none
	bool ( *progress )( void *user, size_t done, size_t count ); // NULL: no progress is reported
	void *user;
	size_t count;   // elements
	uint32_t every; // elements of the calling thread between two questions, if they cost little
	// note: the account sets all members below.
	bool is_kept;   // there is a budget, or progress to report
	bool counts;    // the work spent is wanted
	uint64_t total; // UINT64_MAX: none
	size_t piece_count;
	const dbvhi_account_work *work;
	void *context;
	// With a total on several threads: 1 + the work of each piece that has ended, 0 for others; otherwise NULL.
	uint64_t *spent;
	// note: on cache lines of their own, as all else is only read.
	_Alignas( 64 ) atomic_bool is_cancelled;
	_Atomic uint64_t before; // spent by the pieces before the first one that has not ended; without a total, by any
	_Alignas( 64 ) atomic_size_t done; // elements
	uint32_t since_asked, since_told;
	atomic_flag counting; // a lock of `spent` and `next`
	size_t next;          // the first piece that has not ended
} dbvhi_account;

struct dbvhi_share {
	dbvhi_account *account;
	bool is_caller;
	uint64_t limit, spent; // the limit of the piece, and its work so far
	uint64_t spent_before; // `spent` when the last query or element began
	uint64_t asked;        // `spent` when the caller was last asked between two queries
	bool is_asking;        // a query or element has begun and not ended
	dbvh_budget room;
	const dbvh_budget *budget; // the budget of its next query; NULL: no limit
};

// Do all pieces on that many threads, `grain` at a time. The members of the account above the note are set; the
// allocator is asked for eight bytes a piece if there is a total on several threads. Returns OUT_OF_MEMORY, with
// nothing done, or OK: each element says for itself whether it was finished.
dbvh_status dbvhi_account_run( dbvhi_account *account, const dbvh_allocator *allocator, size_t piece_count,
                               size_t grain, uint32_t thread_count, const dbvhi_account_work *work, void *context );

// Begin a query of a piece, or an element, except the first: sets share->budget to what is left for it. Returns
// DBVH_OK, or why there is to be none.
dbvh_status dbvhi_share_next( dbvhi_share *share );

// End an element of the piece. Each query is charged at least one step, and so is an element without any.
void dbvhi_share_element( dbvhi_share *share );

// Has a call ended as it should, or early with something to hand over?
static inline bool dbvhi_has_results( dbvh_status status ) {
	return status == DBVH_OK || status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED;
}
