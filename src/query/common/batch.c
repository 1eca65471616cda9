// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/batch.h"

#include "query/common/arguments.h"

dbvh_batch_options dbvh_batch_options_default( void ) {
	return ( dbvh_batch_options ){ .thread_count = 0 };
}

dbvh_status dbvhi_batch_start( dbvhi_batch *batch, const dbvh_batch_options *options, size_t count, const dbvh_tree *a,
                               const dbvh_tree *b, size_t pair_capacity, const dbvh_budget *budget ) {
	const dbvh_batch_options o = options != NULL ? *options : dbvh_batch_options_default();
	batch->workspace = o.workspace;
	batch->grain = o.grain;
	batch->budget = budget;
	batch->begun = 0;
	batch->progress = o.progress;
	batch->user = o.user;
	batch->count = count;
	atomic_init( &batch->all_begun, 0 );
	atomic_init( &batch->cancelled, false );
	batch->thread_count = dbvhi_thread_count_for( o.thread_count, count );
	dbvh_status status = dbvhi_workspace_borrow( &batch->workspace, a, &batch->own );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( batch->workspace, a, b, pair_capacity );
	if ( status == DBVH_OK && batch->thread_count > 1 )
		status = dbvhi_workspace_require_helpers( batch->workspace, a, b, pair_capacity, batch->thread_count );
	return status;
}

void dbvhi_batch_finish( dbvhi_batch *batch ) {
	dbvh_workspace_destroy( batch->own );
}

void dbvhi_batch_run( dbvhi_batch *batch, size_t count, size_t most, dbvhi_task *task, void *context ) {
	const size_t grain = dbvhi_grain( batch->grain, count, batch->thread_count, most );
	dbvhi_parallel_for( count, grain, batch->thread_count, task, context );
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

// Whether the caller wants no more, where it is on the calling thread that this is asked.
static bool asks_for_no_more( const dbvhi_batch *batch ) {
	const dbvh_budget *budget = batch->budget;
	if ( budget != NULL && budget->is_cancelled != NULL && budget->is_cancelled( budget->user ) )
		return true;
	const size_t begun = atomic_load_explicit( &batch->all_begun, memory_order_relaxed );
	return batch->progress != NULL && !batch->progress( batch->user, begun, batch->count );
}

static bool is_cancelled( void *user ) {
	const dbvhi_batch_element *element = user;
	dbvhi_batch *batch = element->batch;
	if ( element->is_caller && asks_for_no_more( batch ) )
		atomic_store_explicit( &batch->cancelled, true, memory_order_relaxed );
	return atomic_load_explicit( &batch->cancelled, memory_order_relaxed );
}

// Elements that cost little each end before their own meter would ask, however many there are.
#define ELEMENTS_BETWEEN_QUESTIONS 64

bool dbvhi_batch_element_start( dbvhi_batch_element *element, dbvhi_batch *batch, uint32_t thread ) {
	element->batch = batch;
	element->is_caller = thread == 0;
	element->workspace = dbvhi_workspace_of( batch->workspace, thread );
	element->budget = NULL;
	if ( batch->budget == NULL && batch->progress == NULL )
		return true;
	element->room = ( dbvh_budget ){ batch->budget != NULL ? batch->budget->max_work : 0, is_cancelled, element };
	element->budget = &element->room;
	if ( atomic_load_explicit( &batch->cancelled, memory_order_relaxed ) )
		return false;
	if ( batch->progress != NULL )
		atomic_fetch_add_explicit( &batch->all_begun, 1, memory_order_relaxed );
	return !element->is_caller || ++batch->begun % ELEMENTS_BETWEEN_QUESTIONS != 0 || !is_cancelled( element );
}
