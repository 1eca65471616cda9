// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/account.h"

#include "base/assert.h"

#include <string.h>

// Questions within a long element before one of them also reports progress.
#define QUESTIONS_A_WORD 16

// ------------------------------------------------------------------------------------------------
// The caller

static bool is_cancelled( const dbvhi_account *a ) {
	return atomic_load_explicit( &a->is_cancelled, memory_order_relaxed );
}

static bool wants_no_more( const dbvhi_account *a ) {
	const dbvh_budget *budget = a->budget;
	return budget != NULL && budget->is_cancelled != NULL && budget->is_cancelled( budget->user );
}

// Report progress. False if the caller wants no more.
static bool tell( const dbvhi_account *a ) {
	const size_t done = atomic_load_explicit( &a->done, memory_order_relaxed );
	return a->progress == NULL || a->progress( a->user, done < a->count ? done : a->count, a->count );
}

// Ask the caller whether to go on, and report progress if `tells`. A caller that has cancelled is not asked again.
static void ask_caller( dbvhi_account *a, bool tells ) {
	if ( is_cancelled( a ) )
		return;
	a->since_told = 0;
	if ( wants_no_more( a ) || ( tells && !tell( a ) ) )
		atomic_store_explicit( &a->is_cancelled, true, memory_order_relaxed );
}

// ------------------------------------------------------------------------------------------------
// Shares

static bool is_above_total( const dbvhi_account *a ) {
	return atomic_load_explicit( &a->before, memory_order_relaxed ) > a->total;
}

// Ask within an element: there is rarely new progress to report.
static void ask_within( dbvhi_account *a ) {
	const uint32_t since = a->since_told + 1;
	ask_caller( a, since >= QUESTIONS_A_WORD );
	a->since_told = since % QUESTIONS_A_WORD;
}

// The cancellation of a share's queries.
static bool must_end( void *user ) {
	const dbvhi_share *s = user;
	if ( s->is_caller )
		ask_within( s->account );
	return is_cancelled( s->account ) || is_above_total( s->account );
}

// Charge at least one step for a query, or a total could be spent on free ones for ever, and the work spent would not
// tell whether more may be asked.
static void charge_least( dbvhi_share *s ) {
	s->spent += s->is_asking && s->spent == s->spent_before;
	s->is_asking = false;
}

// Steps between two questions, as many as a meter takes: queries that end before their own meters ask add up.
#define STEPS_A_QUESTION 4096

static void ask_between( dbvhi_share *s ) {
	if ( !s->is_caller || s->spent - s->asked < STEPS_A_QUESTION )
		return;
	s->asked = s->spent;
	ask_within( s->account );
}

dbvh_status dbvhi_share_next( dbvhi_share *s ) {
	const dbvhi_account *a = s->account;
	if ( !a->is_kept )
		return DBVH_OK;
	charge_least( s );
	ask_between( s );
	if ( is_cancelled( a ) )
		return DBVH_CANCELLED;
	if ( s->spent >= s->limit )
		return DBVH_BUDGET_SPENT;
	const uint64_t left = s->limit - s->spent, most = a->budget != NULL ? a->budget->max_work : 0;
	s->room.max_work = most;
	if ( s->limit != UINT64_MAX && ( most == 0 || left < most ) )
		s->room.max_work = left;
	s->spent_before = s->spent;
	s->is_asking = true;
	return DBVH_OK;
}

void dbvhi_share_element( dbvhi_share *s ) {
	dbvhi_account *a = s->account;
	if ( !a->is_kept )
		return;
	charge_least( s );
	atomic_fetch_add_explicit( &a->done, 1, memory_order_relaxed );
	if ( s->is_caller && ++a->since_asked >= a->every ) {
		a->since_asked = 0;
		ask_caller( a, true );
	}
}

static dbvh_status begin( dbvhi_share *s, dbvhi_account *a, uint32_t thread, uint64_t limit ) {
	s->account = a;
	s->is_caller = thread == 0;
	s->limit = limit;
	s->spent = 0;
	s->asked = 0;
	s->is_asking = false;
	s->room = ( dbvh_budget ){ .is_cancelled = must_end, .user = s, .spent = &s->spent };
	s->budget = &s->room;
	return dbvhi_share_next( s );
}

static void end( const dbvhi_share *s, size_t piece ) {
	dbvhi_account *a = s->account;
	if ( !a->counts )
		return;
	if ( a->spent == NULL ) {
		atomic_fetch_add_explicit( &a->before, s->spent, memory_order_relaxed );
		return;
	}
	while ( atomic_flag_test_and_set_explicit( &a->counting, memory_order_acquire ) )
		;
	a->spent[piece] = s->spent + 1;
	uint64_t before = atomic_load_explicit( &a->before, memory_order_relaxed );
	for ( ; a->next < a->piece_count && a->spent[a->next] != 0; a->next += 1 )
		before += a->spent[a->next] - 1;
	atomic_store_explicit( &a->before, before, memory_order_relaxed );
	atomic_flag_clear_explicit( &a->counting, memory_order_release );
}

// ------------------------------------------------------------------------------------------------
// The call

static void do_piece( dbvhi_account *a, size_t piece, uint32_t thread, uint64_t limit ) {
	dbvhi_share share;
	const dbvh_status status = begin( &share, a, thread, limit );
	if ( status != DBVH_OK ) {
		a->work->leave( a->context, piece, status );
		return;
	}
	a->work->run( a->context, piece, thread, &share );
	end( &share, piece );
}

static void one_piece( void *context, size_t piece, uint32_t thread ) {
	dbvhi_account *a = context;
	if ( !a->is_kept ) {
		dbvhi_share free_of_charge = { .account = a };
		a->work->run( a->context, piece, thread, &free_of_charge );
		return;
	}
	uint64_t limit = UINT64_MAX;
	if ( a->total != UINT64_MAX ) {
		const uint64_t before = atomic_load_explicit( &a->before, memory_order_relaxed );
		limit = before < a->total ? a->total - before : 0;
	}
	do_piece( a, piece, thread, limit );
}

static void watch( void *context ) {
	ask_caller( context, true );
}

// Find the pieces that the total was enough for, after several threads have done them.
static void settle_total( dbvhi_account *a ) {
	uint64_t sum = 0;
	size_t piece = 0;
	for ( ; piece < a->piece_count && a->spent[piece] != 0 && a->spent[piece] - 1 <= a->total - sum; ++piece )
		sum += a->spent[piece] - 1;
	atomic_store_explicit( &a->before, 0, memory_order_relaxed );
	if ( piece < a->piece_count ) {
		a->spent[piece] = 1;
		a->next = SIZE_MAX; // end() counts no more
		a->work->leave( a->context, piece, DBVH_BUDGET_SPENT );
		do_piece( a, piece, 0, a->total - sum );
		sum += a->spent[piece] - 1;
		for ( size_t i = piece + 1; i < a->piece_count; ++i )
			a->work->leave( a->context, i, DBVH_BUDGET_SPENT );
	}
	atomic_store_explicit( &a->before, sum, memory_order_relaxed );
}

static bool start( dbvhi_account *a, const dbvh_allocator *allocator, size_t piece_count, uint32_t thread_count ) {
	const dbvh_budget *budget = a->budget;
	a->is_kept = budget != NULL || a->progress != NULL;
	a->total = budget != NULL && budget->max_total != 0 ? budget->max_total : UINT64_MAX;
	a->counts = a->total != UINT64_MAX || ( budget != NULL && budget->spent != NULL );
	a->piece_count = piece_count;
	a->spent = NULL;
	a->since_asked = a->since_told = 0;
	a->next = 0;
	atomic_init( &a->is_cancelled, false );
	atomic_init( &a->before, 0 );
	atomic_init( &a->done, 0 );
	atomic_flag_clear( &a->counting );
	if ( a->total == UINT64_MAX || thread_count <= 1 || piece_count == 0 )
		return true;
	a->spent = dbvhi_alloc( allocator, piece_count, sizeof *a->spent );
	if ( a->spent != NULL )
		memset( a->spent, 0, piece_count * sizeof *a->spent );
	return a->spent != NULL;
}

dbvh_status dbvhi_account_run( dbvhi_account *a, const dbvh_allocator *allocator, size_t piece_count, size_t grain,
                               uint32_t thread_count, const dbvhi_account_work *work, void *context ) {
	DBVHI_ASSERT( a->every >= 1 && work != NULL );
	if ( !start( a, allocator, piece_count, thread_count ) )
		return DBVH_OUT_OF_MEMORY;
	a->work = work;
	a->context = context;
	dbvhi_parallel_for_watched( piece_count, grain, thread_count, one_piece, a->is_kept ? watch : NULL, a );
	if ( a->spent != NULL && !is_cancelled( a ) )
		settle_total( a );
	dbvhi_free( allocator, a->spent, piece_count, sizeof *a->spent );
	if ( a->progress != NULL )
		ask_caller( a, true );
	if ( a->budget != NULL && a->budget->spent != NULL )
		*a->budget->spent += atomic_load_explicit( &a->before, memory_order_relaxed );
	return DBVH_OK;
}
