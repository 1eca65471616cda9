// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many poses of one pair of meshes. The queries do not depend on each other, so each is done whole by one thread.

#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"

#include <stdatomic.h>
#include <string.h>

typedef struct batch {
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *poses_b;
	const dbvh_collide_query *query;
	const size_t *pair_begin; // NULL where no pairs are wanted
	dbvh_workspace *workspace;
	dbvh_collide_result *results;
	atomic_bool *cancelled;
} batch;

// Only the calling thread asks whether all is to end; the others hear of it.
typedef struct asker {
	const batch *of;
	bool is_caller;
} asker;

static bool is_cancelled( void *user ) {
	const asker *a = user;
	const dbvh_budget *budget = a->of->query->budget;
	if ( a->is_caller && budget->is_cancelled != NULL && budget->is_cancelled( budget->user ) )
		atomic_store_explicit( a->of->cancelled, true, memory_order_relaxed );
	return atomic_load_explicit( a->of->cancelled, memory_order_relaxed );
}

static void one_pose( void *context, size_t i, uint32_t thread ) {
	const batch *t = context;
	dbvh_collide_query query = *t->query;
	if ( t->pair_begin != NULL ) {
		query.pairs += t->pair_begin[i];
		query.pair_capacity = t->pair_begin[i + 1] - t->pair_begin[i];
	}
	dbvh_collide_result *result = &t->results[i];
	asker ask = { t, thread == 0 };
	dbvh_budget each;
	if ( query.budget != NULL ) {
		if ( atomic_load_explicit( t->cancelled, memory_order_relaxed ) ) {
			result->status = DBVH_CANCELLED;
			return;
		}
		each = ( dbvh_budget ){ query.budget->max_work, is_cancelled, &ask };
		query.budget = &each;
	}
	result->status = dbvhi_collide( t->a, t->pose_a, t->b, &t->poses_b[i], &query, 1,
	                                dbvhi_workspace_of( t->workspace, thread ), result );
}

// The most poses that a thread is handed at a time: a query takes a microsecond or more.
#define MOST_POSES 32

static dbvh_status first_failure( const batch *work, size_t pose_count, dbvh_error *error ) {
	for ( size_t i = 0; i < pose_count; ++i ) {
		const dbvh_status status = work->results[i].status;
		if ( status == DBVH_OK )
			continue;
		dbvhi_blame_pose( status, &work->poses_b[i], "pose", error );
		return dbvhi_blame_element( status, "poses_b", i, error );
	}
	return DBVH_OK;
}

static dbvh_status check( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *poses_b, size_t pose_count,
                          const dbvh_collide_query *query, const dbvh_collide_result *results_out, dbvh_error *error ) {
	dbvh_status status = dbvhi_check_trees( a, b, error );
	if ( status == DBVH_OK && pose_count > 0 )
		status = dbvhi_check_given( poses_b, "poses_b", error );
	if ( status == DBVH_OK && pose_count > 0 )
		status = dbvhi_check_given( results_out, "results_out", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_collide_query( query, error );
	if ( status == DBVH_OK && query->thread_count > 1 )
		status = dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                          "query.thread_count is %u, but the threads of a batch are options.thread_count",
		                          (unsigned)query->thread_count );
	return status;
}

static DBVHI_BEHIND dbvh_status do_collide_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                  const dbvh_pose *poses_b, size_t pose_count,
                                                  const dbvh_collide_query *query, const dbvh_batch_options *options,
                                                  dbvh_collide_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_collide_query verdict_alone = { .find = DBVH_FIND_ANY };
	const dbvh_collide_query *q = query != NULL ? query : &verdict_alone;
	const dbvh_batch_options defaults = { .thread_count = 0 };
	const dbvh_batch_options *o = options != NULL ? options : &defaults;
	dbvh_status status = check( a, b, poses_b, pose_count, q, results_out, error );
	// Without pairs to find there is nothing to divide.
	const size_t *pair_begin = q->find == DBVH_FIND_ALL ? q->pair_begin : NULL;
	size_t room = 0;
	if ( status == DBVH_OK && q->find == DBVH_FIND_ALL )
		status = dbvhi_check_parts( pair_begin, pose_count, q->pair_capacity, "pair", &room, error );
	if ( status == DBVH_OK && pose_a != NULL && dbvh_pose_check( pose_a, NULL, NULL ) != DBVH_OK )
		status = dbvhi_blame_pose( dbvh_pose_check( pose_a, NULL, NULL ), pose_a, "pose_a", error );
	if ( status != DBVH_OK )
		return status;
	if ( room == 0 )
		pair_begin = NULL;

	uint32_t thread_count = dbvhi_thread_count( o->thread_count );
	if ( pose_count < thread_count )
		thread_count = pose_count > 0 ? (uint32_t)pose_count : 1;
	dbvh_workspace *own, *workspace = o->workspace;
	status = dbvhi_workspace_borrow( &workspace, a, &own );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( workspace, a, b, room );
	if ( status == DBVH_OK && thread_count > 1 )
		status = dbvhi_workspace_require_helpers( workspace, a, b, room, thread_count );
	if ( status == DBVH_OK ) {
		dbvh_collide_query each = *q;
		if ( pair_begin == NULL )
			each.pair_capacity = 0;
		atomic_bool cancelled;
		atomic_init( &cancelled, false );
		batch work = {
		    .a = a,
		    .b = b,
		    .pose_a = pose_a,
		    .poses_b = poses_b,
		    .query = &each,
		    .pair_begin = pair_begin,
		    .workspace = workspace,
		    .results = results_out,
		    .cancelled = &cancelled,
		};
		const size_t grain = dbvhi_grain( o->grain, pose_count, thread_count, MOST_POSES );
		dbvhi_parallel_for( pose_count, grain, thread_count, one_pose, &work );
		status = first_failure( &work, pose_count, error );
	}
	dbvh_workspace_destroy( own );
	return status;
}

dbvh_status dbvh_collide_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                const dbvh_pose *poses_b, size_t pose_count, const dbvh_collide_query *query,
                                const dbvh_batch_options *options, dbvh_collide_result *results_out,
                                dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_collide_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                     options, results_out, error ) ) );
}
