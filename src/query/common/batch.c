// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/batch.h"

#include "base/status.h"
#include "query/common/arguments.h"

#define ELEMENTS_BETWEEN_QUESTIONS 64

dbvh_batch_options dbvh_batch_options_default( void ) {
	return ( dbvh_batch_options ){ .thread_count = 0 };
}

dbvh_status dbvhi_batch_start( dbvhi_batch *batch, const dbvh_batch_options *options, size_t count, const dbvh_tree *a,
                               const dbvh_tree *b, size_t pair_capacity, const dbvh_budget *budget ) {
	const dbvh_batch_options o = options != NULL ? *options : dbvh_batch_options_default();
	batch->workspace = o.workspace;
	batch->grain = o.grain;
	// note: cheap elements end before their own meters ask, however many there are.
	batch->account = ( dbvhi_account ){
	    .budget = budget, .progress = o.progress, .user = o.user, .count = count, .every = ELEMENTS_BETWEEN_QUESTIONS };
	batch->thread_count = dbvhi_thread_count_for( o.thread_count, count );
	DBVHI_TRY( dbvhi_workspace_borrow( &batch->workspace, a, &batch->own ) );
	DBVHI_TRY( dbvhi_workspace_require( batch->workspace, a, b, pair_capacity ) );
	if ( batch->thread_count > 1 )
		DBVHI_TRY( dbvhi_workspace_require_helpers( batch->workspace, a, b, pair_capacity, batch->thread_count ) );
	return DBVH_OK;
}

void dbvhi_batch_finish( dbvhi_batch *batch ) {
	dbvh_workspace_destroy( batch->own );
}

typedef struct running {
	dbvhi_batch *batch;
	const dbvhi_batch_work *work;
	void *context;
} running;

static void run_element( void *context, size_t i, uint32_t thread, dbvhi_share *share ) {
	const running *r = context;
	r->work->ask( r->context, i, share->budget, dbvhi_workspace_of( r->batch->workspace, thread ) );
	dbvhi_share_element( share );
}

static void leave_element( void *context, size_t i, dbvh_status why ) {
	const running *r = context;
	r->work->leave( r->context, i, why );
}

dbvh_status dbvhi_batch_run( dbvhi_batch *batch, size_t most, const dbvhi_batch_work *work, void *context ) {
	static const dbvhi_account_work of_elements = { run_element, leave_element };
	running r = { batch, work, context };
	const size_t count = batch->account.count;
	const size_t grain = dbvhi_grain( batch->grain, count, batch->thread_count, most );
	return dbvhi_account_run( &batch->account, &batch->workspace->allocator, count, grain, batch->thread_count,
	                          &of_elements, &r );
}

dbvh_status dbvhi_batch_check_threads( uint32_t thread_count, dbvh_error *error ) {
	if ( thread_count <= 1 )
		return DBVH_OK;
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        "query.thread_count is %u, but the threads of a batch are options.thread_count",
	                        (unsigned)thread_count );
}

dbvh_status dbvhi_batch_check_poses( const dbvh_pose *poses_b, size_t pose_count, const void *results_out,
                                     dbvh_error *error ) {
	if ( pose_count == 0 )
		return DBVH_OK;
	const dbvh_status status = dbvhi_check_given( poses_b, "poses_b", error );
	return status == DBVH_OK ? dbvhi_check_given( results_out, "results_out", error ) : status;
}

dbvh_status dbvhi_batch_first_failure( const dbvh_pose *poses_b, size_t pose_count, const dbvh_status *status,
                                       size_t stride, dbvh_error *error ) {
	for ( size_t i = 0; i < pose_count; ++i ) {
		const dbvh_status of_pose = *(const dbvh_status *)(const void *)( (const char *)status + i * stride );
		if ( of_pose == DBVH_OK )
			continue;
		dbvhi_blame_pose( of_pose, &poses_b[i], "", error );
		return dbvhi_blame_element( of_pose, "poses_b", i, error );
	}
	return DBVH_OK;
}
