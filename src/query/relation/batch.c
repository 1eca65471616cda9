// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The relations of many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/relation/relation.h"

#include <string.h>

// The most poses that a thread is handed at a time: a query takes from one microsecond to thousands.
#define MOST_POSES 8

typedef struct work {
	dbvhi_batch batch;
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *poses_b;
	const dbvh_relate_query *query;
	dbvh_relate_result *results;
} work;

static void one_pose( void *context, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace ) {
	work *w = context;
	dbvh_relate_result *result = &w->results[i];
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, budget );
	const dbvh_status status =
	    dbvhi_relate( w->a, w->pose_a, w->b, &w->poses_b[i], w->query, workspace, &meter, result );
	dbvhi_meter_close( &meter );
	result->status = status;
}

static void leave_pose( void *context, size_t i, dbvh_status why ) {
	work *w = context;
	w->results[i] = ( dbvh_relate_result ){
	    .relation = DBVH_RELATION_UNDECIDABLE, .exact = DBVH_RELATION_UNDECIDABLE, .status = why };
}

// True if some pose ran out of memory: then the whole batch fails.
static bool lacks_memory( const work *w, size_t pose_count ) {
	for ( size_t i = 0; i < pose_count; ++i ) {
		if ( w->results[i].status == DBVH_OUT_OF_MEMORY )
			return true;
	}
	return false;
}

static DBVHI_NOINLINE_FP dbvh_status do_relate_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                      const dbvh_pose *poses_b, size_t pose_count,
                                                      const dbvh_relate_query *query, const dbvh_batch_options *options,
                                                      dbvh_relate_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_relate_query exact = { .touch_gap = 0.0 };
	work w = {
	    .a = a,
	    .b = b,
	    .pose_a = pose_a,
	    .poses_b = poses_b,
	    .query = query != NULL ? query : &exact,
	    .results = results_out,
	};
	DBVHI_TRY( dbvhi_check_relate( a, b, w.query, error ) );
	DBVHI_TRY( dbvhi_batch_check_threads( w.query->thread_count, error ) );
	DBVHI_TRY( dbvhi_batch_check_poses( poses_b, pose_count, results_out, error ) );
	if ( pose_a != NULL )
		DBVHI_TRY( dbvhi_blame_pose( dbvh_pose_check( pose_a, NULL, NULL ), pose_a, "pose_a", error ) );
	// note: a relation allocates as it goes, and the caller's allocator must not be called from other threads.
	dbvh_batch_options o = options != NULL ? *options : dbvh_batch_options_default();
	if ( !dbvhi_allocator_is_default( o.workspace != NULL ? &o.workspace->allocator : &a->allocator ) )
		o.thread_count = 1;
	dbvh_status status = dbvhi_batch_start( &w.batch, &o, pose_count, a, b, 0, w.query->budget );
	static const dbvhi_batch_work of_poses = { one_pose, leave_pose };
	if ( status == DBVH_OK )
		status = dbvhi_batch_run( &w.batch, MOST_POSES, &of_poses, &w );
	if ( status == DBVH_OK && pose_count > 0 ) {
		status = dbvhi_batch_first_failure( poses_b, pose_count, &results_out->status, sizeof *results_out, error );
	}
	if ( lacks_memory( &w, pose_count ) ) {
		memset( results_out, 0, pose_count * sizeof *results_out );
		status = dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	}
	dbvhi_batch_finish( &w.batch );
	return status;
}

dbvh_status dbvh_relate_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                               const dbvh_pose *poses_b, size_t pose_count, const dbvh_relate_query *query,
                               const dbvh_batch_options *options, dbvh_relate_result *results_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_relate_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                    options, results_out, error ) ) );
}
