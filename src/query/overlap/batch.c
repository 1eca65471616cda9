// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlaps of many poses of one pair of meshes. Each thread keeps a dbvh_overlap with its workspace.

#include "query/common/batch.h"

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/overlap/overlap.h"
#include "query/overlap/within.h"

#include <math.h>
#include <string.h>

// The most poses that a thread is handed at a time: a query takes from one microsecond to thousands.
#define MOST_POSES 8

typedef struct memory {
	dbvh_overlap *overlap;
} memory;

static void release( void *kept, const dbvh_allocator *allocator ) {
	(void)allocator;
	dbvh_overlap_destroy( ( (memory *)kept )->overlap );
}

static const dbvhi_slot_kind memory_kind = { sizeof( memory ), release };

dbvh_overlap *dbvhi_overlap_of( dbvh_workspace *workspace ) {
	memory *kept = dbvhi_workspace_slot( workspace, &memory_kind );
	if ( kept != NULL && kept->overlap == NULL )
		dbvh_overlap_create( &workspace->allocator, &kept->overlap, NULL );
	return kept != NULL ? kept->overlap : NULL;
}

dbvh_status dbvhi_overlap_within( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const dbvh_overlap_query *query, dbvh_workspace *workspace,
                                  dbvh_overlap_result *result_out ) {
	dbvh_overlap *overlap = dbvhi_overlap_of( workspace );
	const dbvh_status status = overlap != NULL ? dbvhi_overlap_check( a, b, query, NULL ) : DBVH_OUT_OF_MEMORY;
	return status != DBVH_OK
	           ? status
	           : dbvhi_overlap_find( a, pose_a, b, pose_b, query, query->budget, overlap, result_out, NULL );
}

typedef struct work {
	dbvhi_batch batch;
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *poses_b;
	const dbvh_overlap_query *query;
	dbvh_overlap_result *results;
} work;

static void one_pose( void *context, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace ) {
	work *w = context;
	dbvh_overlap_result *result = &w->results[i];
	dbvh_overlap *overlap = dbvhi_overlap_of( workspace );
	const dbvh_status status = overlap == NULL ? DBVH_OUT_OF_MEMORY
	                                           : dbvhi_overlap_find( w->a, w->pose_a, w->b, &w->poses_b[i], w->query,
	                                                                 budget, overlap, result, NULL );
	result->status = status;
}

static void leave_pose( void *context, size_t i, dbvh_status why ) {
	work *w = context;
	dbvh_overlap_result *result = &w->results[i];
	memset( result, 0, sizeof *result );
	result->measure.volume.upper = result->measure.area.upper = INFINITY;
	result->kind = DBVH_OVERLAP_KIND_UNDECIDED;
	result->reason = DBVH_OVERLAP_REASON_BUDGET;
	result->status = why;
}

// True if some pose ran out of memory: then the whole batch fails.
static bool lacks_memory( const work *w, size_t pose_count ) {
	for ( size_t i = 0; i < pose_count; ++i ) {
		if ( w->results[i].status == DBVH_OUT_OF_MEMORY )
			return true;
	}
	return false;
}

static dbvh_status check( const work *w, size_t pose_count, dbvh_error *error ) {
	dbvh_status status = dbvhi_overlap_check( w->a, w->b, w->query, error );
	if ( status == DBVH_OK && w->query->mesh )
		status = dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.mesh is set: a batch keeps no meshes" );
	if ( status == DBVH_OK )
		status = dbvhi_batch_check_threads( w->query->thread_count, error );
	if ( status == DBVH_OK )
		status = dbvhi_batch_check_poses( w->poses_b, pose_count, w->results, error );
	if ( status == DBVH_OK && w->pose_a != NULL )
		status = dbvhi_blame_pose( dbvh_pose_check( w->pose_a, NULL, NULL ), w->pose_a, "pose_a", error );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_overlap_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                       const dbvh_pose *poses_b, size_t pose_count,
                                                       const dbvh_overlap_query *query,
                                                       const dbvh_batch_options *options,
                                                       dbvh_overlap_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_overlap_query defaults = dbvh_overlap_query_default();
	work w = {
	    .a = a,
	    .b = b,
	    .pose_a = pose_a,
	    .poses_b = poses_b,
	    .query = query != NULL ? query : &defaults,
	    .results = results_out,
	};
	dbvh_status status = check( &w, pose_count, error );
	if ( status != DBVH_OK )
		return status;
	// note: an overlap allocates as it goes, and the caller's allocator must not be called from other threads.
	dbvh_batch_options o = options != NULL ? *options : dbvh_batch_options_default();
	if ( !dbvhi_allocator_is_default( o.workspace != NULL ? &o.workspace->allocator : &a->allocator ) )
		o.thread_count = 1;
	status = dbvhi_batch_start( &w.batch, &o, pose_count, a, b, 0, w.query->budget );
	static const dbvhi_batch_work of_poses = { one_pose, leave_pose };
	if ( status == DBVH_OK )
		status = dbvhi_batch_run( &w.batch, MOST_POSES, &of_poses, &w );
	if ( status == DBVH_OK && pose_count > 0 )
		status = dbvhi_batch_first_failure( poses_b, pose_count, &results_out->status, sizeof *results_out, error );
	if ( lacks_memory( &w, pose_count ) ) {
		memset( results_out, 0, pose_count * sizeof *results_out );
		status = dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	}
	dbvhi_batch_finish( &w.batch );
	return status;
}

dbvh_status dbvh_overlap_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                const dbvh_pose *poses_b, size_t pose_count, const dbvh_overlap_query *query,
                                const dbvh_batch_options *options, dbvh_overlap_result *results_out,
                                dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_overlap_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                     options, results_out, error ) ) );
}
