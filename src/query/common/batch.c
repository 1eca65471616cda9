// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/batch.h"

#include "base/parallel.h"
#include "base/status.h"
#include "query/common/arguments.h"

#include <string.h>

#define ELEMENTS_BETWEEN_QUESTIONS 64

dbvh_batch_options dbvh_batch_options_default( void ) {
	return ( dbvh_batch_options ){ .thread_count = 0 };
}

void dbvhi_batch_clear( void *results, size_t count, size_t result_size, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results != NULL && count <= SIZE_MAX / result_size )
		memset( results, 0, count * result_size );
}

dbvh_status dbvhi_batch_check_threads( uint32_t thread_count, dbvh_error *error ) {
	if ( thread_count <= 1 )
		return DBVH_OK;
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        "query.thread_count is %u, but the threads of a batch are options.thread_count",
	                        (unsigned)thread_count );
}

dbvh_status dbvhi_batch_divide( dbvhi_batch *batch, const size_t *begin, size_t capacity, const char *name,
                                dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_parts( begin, batch->count, capacity, name, &batch->room, error ) );
	batch->parts = batch->room > 0 ? begin : NULL;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Elements

typedef struct running {
	const dbvhi_batch *batch;
	dbvh_workspace *workspace;
	dbvhi_account account;
} running;

static void *result_of( const dbvhi_batch *b, size_t i ) {
	return (char *)b->results + i * b->result_size;
}

static dbvh_status *status_of( const dbvhi_batch *b, size_t i ) {
	return (void *)( (char *)result_of( b, i ) + b->status_at );
}

static void leave_element( const dbvhi_batch *b, size_t i, dbvh_status why ) {
	if ( b->unreached != NULL )
		memcpy( result_of( b, i ), b->unreached, b->result_size );
	else
		memset( result_of( b, i ), 0, b->result_size );
	*status_of( b, i ) = why;
}

// Most blocks that the largest machines are expected to have threads for: larger blocks have to wait for more elements.
#define BLOCKS_ENOUGH 32

// Elements that are done in one go, which depend on their number alone, whatever the number of threads.
static size_t block_size( const dbvhi_batch *b ) {
	if ( b->ask_block == NULL )
		return 1;
	return b->count >= BLOCKS_ENOUGH * DBVHI_BATCH_BLOCK ? DBVHI_BATCH_BLOCK : DBVHI_BATCH_BLOCK / 2;
}

static size_t block_end( const dbvhi_batch *b, size_t block ) {
	const size_t size = block_size( b ), first = block * size;
	return b->count - first < size ? b->count : first + size;
}

// Answer the elements of a block that the query can answer together. `out` is left as it is where there are none.
static bool answer_together( const dbvhi_batch *b, size_t first, size_t end, dbvh_workspace *workspace,
                             dbvhi_block *out ) {
	if ( b->ask_block == NULL )
		return false;
	memset( out, 0, sizeof *out );
	b->ask_block( b, first, end - first, workspace, out );
	return true;
}

static void run_block( void *context, size_t number, uint32_t thread, dbvhi_share *share ) {
	const running *r = context;
	const dbvhi_batch *b = r->batch;
	dbvh_workspace *workspace = dbvhi_workspace_of( r->workspace, thread );
	const size_t first = number * block_size( b ), end = block_end( b, number );
	memset( result_of( b, first ), 0, ( end - first ) * b->result_size );
	dbvhi_block block;
	const bool together = answer_together( b, first, end, workspace, &block );
	dbvh_status status = DBVH_OK;
	for ( size_t i = first; i < end; ++i ) {
		if ( i > first && status == DBVH_OK )
			status = dbvhi_share_next( share );
		if ( status != DBVH_OK ) {
			leave_element( b, i, status );
			continue;
		}
		const bool is_answered = together && block.is_answered[i - first];
		if ( is_answered )
			share->spent += block.work[i - first];
		// note: queries may write the status, too, so it is set when they are done.
		const dbvh_status answer = is_answered ? DBVH_OK : b->ask( b, i, share->budget, workspace, result_of( b, i ) );
		*status_of( b, i ) = answer;
		dbvhi_share_element( share );
	}
}

static void leave_block( void *context, size_t number, dbvh_status why ) {
	const dbvhi_batch *b = ( (const running *)context )->batch;
	for ( size_t i = number * block_size( b ); i < block_end( b, number ); ++i )
		leave_element( b, i, why );
}

// ------------------------------------------------------------------------------------------------
// The call

static dbvh_status check( const dbvhi_batch *b, dbvh_error *error ) {
	if ( b->count > 0 ) {
		DBVHI_TRY( dbvhi_check_given( b->list, b->name, error ) );
		DBVHI_TRY( dbvhi_check_given( b->results, "results_out", error ) );
	}
	if ( b->pose_a == NULL )
		return DBVH_OK;
	return dbvhi_blame_pose( dbvh_pose_check( b->pose_a, NULL, NULL ), b->pose_a, "pose_a", error );
}

static dbvh_status prepare( const running *r, uint32_t thread_count ) {
	const dbvhi_batch *b = r->batch;
	DBVHI_TRY( dbvhi_workspace_require( r->workspace, b->a, b->b, b->room ) );
	if ( thread_count > 1 )
		DBVHI_TRY( dbvhi_workspace_require_helpers( r->workspace, b->a, b->b, b->room, thread_count ) );
	for ( uint32_t i = 0; i < thread_count && b->require != NULL; ++i )
		DBVHI_TRY( b->require( dbvhi_workspace_of( r->workspace, i ), b->a, b->b ) );
	return DBVH_OK;
}

static dbvh_status run( const dbvhi_batch *b, const dbvh_batch_options *o ) {
	running r = { .batch = b, .workspace = o->workspace };
	// note: cheap elements end before their own meters ask, however many there are.
	r.account = ( dbvhi_account ){ .budget = b->budget,
	                               .progress = o->progress,
	                               .user = o->user,
	                               .count = b->count,
	                               .every = ELEMENTS_BETWEEN_QUESTIONS };
	dbvh_workspace *own;
	DBVHI_TRY( dbvhi_workspace_borrow( &r.workspace, b->a, &own ) );
	const size_t size = block_size( b ), block_count = b->count / size + ( b->count % size > 0 );
	uint32_t thread_count = dbvhi_thread_count_for( o->thread_count, block_count );
	// note: the caller's allocator must not be called from other threads.
	if ( b->allocates && !dbvhi_allocator_is_default( &r.workspace->allocator ) )
		thread_count = 1;
	static const dbvhi_account_work of_blocks = { run_block, leave_block };
	dbvh_status status = prepare( &r, thread_count );
	if ( status == DBVH_OK )
		status = dbvhi_account_run(
		    &r.account, &r.workspace->allocator, block_count,
		    dbvhi_grain( ( o->grain + size - 1 ) / size, block_count, thread_count, ( b->most + size - 1 ) / size ),
		    thread_count, &of_blocks, &r );
	dbvh_workspace_destroy( own );
	return status;
}

static dbvh_status first_failure( const dbvhi_batch *b, dbvh_error *error ) {
	for ( size_t i = 0; b->allocates && i < b->count; ++i ) {
		if ( *status_of( b, i ) == DBVH_OUT_OF_MEMORY ) {
			memset( b->results, 0, b->count * b->result_size );
			return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
		}
	}
	size_t i = 0;
	while ( i < b->count && *status_of( b, i ) == DBVH_OK )
		++i;
	if ( i == b->count )
		return DBVH_OK;
	const dbvh_status status = *status_of( b, i );
	if ( b->blame != NULL )
		b->blame( b, i, status, error );
	else
		dbvhi_blame_pose( status, &( (const dbvh_pose *)b->list )[i], "", error );
	return dbvhi_blame_element( status, b->name, i, error );
}

dbvh_status dbvhi_batch_run( const dbvhi_batch *batch, const dbvh_batch_options *options, dbvh_error *error ) {
	DBVHI_TRY( check( batch, error ) );
	const dbvh_batch_options o = options != NULL ? *options : dbvh_batch_options_default();
	DBVHI_TRY( run( batch, &o ) );
	return first_failure( batch, error );
}
