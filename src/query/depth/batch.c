// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The depths of many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/depth/depth.h"

#include <math.h>
#include <string.h>

// The most poses that a thread is handed at a time: a query takes up to a second.
#define MOST_POSES 1

// One of the two kinds of depth; the other's members are NULL.
typedef struct work {
	dbvhi_batch batch;
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *poses_b;
	const dbvh_penetration_query *penetration;
	const dbvh_local_depth_query *local;
	const dbvh_budget *budget;
	dbvh_penetration_result *penetrations;
	dbvh_local_depth_result *locals;
	dbvh_status *status; // status of pose 0
	size_t stride;       // bytes from the status of a pose to that of the next
} work;

static dbvh_status *status_of( const work *w, size_t i ) {
	return (dbvh_status *)(void *)( (char *)w->status + i * w->stride );
}

static void one_pose( void *context, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace ) {
	work *w = context;
	dbvhi_depth_meter m;
	dbvhi_depth_meter_open( &m, w->budget != NULL ? budget : NULL );
	dbvh_status status;
	if ( w->penetrations != NULL )
		status = dbvhi_penetration_depth( w->a, w->pose_a, w->b, &w->poses_b[i], w->penetration, workspace, &m.meter,
		                                  &w->penetrations[i] );
	else
		status =
		    dbvhi_local_depth( w->a, w->pose_a, w->b, &w->poses_b[i], w->local, workspace, &m.meter, &w->locals[i] );
	status = dbvhi_depth_meter_close( &m, status );
	if ( status != DBVH_OK && status != DBVH_BUDGET_SPENT && status != DBVH_CANCELLED ) {
		if ( w->penetrations != NULL )
			memset( &w->penetrations[i], 0, sizeof w->penetrations[i] );
		else
			memset( &w->locals[i], 0, sizeof w->locals[i] );
	}
	*status_of( w, i ) = status;
}

static void leave_pose( void *context, size_t i, dbvh_status why ) {
	work *w = context;
	const dbvh_interval unknown = { 0.0, INFINITY };
	if ( w->penetrations != NULL )
		w->penetrations[i] =
		    ( dbvh_penetration_result ){ .depth = unknown, .relation = DBVH_RELATION_UNDECIDABLE, .status = why };
	else
		w->locals[i] = ( dbvh_local_depth_result ){ .a_in_b = { .depth = unknown },
		                                            .b_in_a = { .depth = unknown },
		                                            .least = unknown,
		                                            .verdict = DBVH_FIT_VERDICT_UNDECIDED,
		                                            .relation = DBVH_RELATION_UNDECIDABLE,
		                                            .status = why };
}

// True if some pose ran out of memory: then the whole batch fails.
static bool lacks_memory( const work *w, size_t pose_count ) {
	for ( size_t i = 0; i < pose_count; ++i ) {
		if ( *status_of( w, i ) == DBVH_OUT_OF_MEMORY )
			return true;
	}
	return false;
}

// Run a batch whose queries have been checked. `results` are pose_count elements of w->stride bytes, all zero.
static dbvh_status run( work *w, size_t pose_count, const dbvh_batch_options *options, void *results,
                        dbvh_error *error ) {
	dbvh_status status = dbvhi_batch_check_poses( w->poses_b, pose_count, results, error );
	if ( status == DBVH_OK && w->pose_a != NULL )
		status = dbvhi_blame_pose( dbvh_pose_check( w->pose_a, NULL, NULL ), w->pose_a, "pose_a", error );
	if ( status != DBVH_OK )
		return status;
	// note: a depth allocates as it goes, and the caller's allocator must not be called from other threads.
	dbvh_batch_options o = options != NULL ? *options : dbvh_batch_options_default();
	if ( !dbvhi_allocator_is_default( o.workspace != NULL ? &o.workspace->allocator : &w->a->allocator ) )
		o.thread_count = 1;
	status = dbvhi_batch_start( &w->batch, &o, pose_count, w->a, w->b, 0, w->budget );
	static const dbvhi_batch_work of_poses = { one_pose, leave_pose };
	if ( status == DBVH_OK )
		status = dbvhi_batch_run( &w->batch, MOST_POSES, &of_poses, w );
	if ( status == DBVH_OK && pose_count > 0 )
		status = dbvhi_batch_first_failure( w->poses_b, pose_count, w->status, w->stride, error );
	if ( lacks_memory( w, pose_count ) ) {
		memset( results, 0, pose_count * w->stride );
		status = dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	}
	dbvhi_batch_finish( &w->batch );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_penetration_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                                 const dbvh_tree *b, const dbvh_pose *poses_b,
                                                                 size_t pose_count, const dbvh_penetration_query *query,
                                                                 const dbvh_batch_options *options,
                                                                 dbvh_penetration_result *results_out,
                                                                 dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_penetration_query plain = { .strict = false };
	const dbvh_penetration_query *q = query != NULL ? query : &plain;
	const dbvh_status status = dbvhi_depth_check( a, b, q->relative_width, error );
	if ( status != DBVH_OK )
		return status;
	work w = { .a = a,
	           .b = b,
	           .pose_a = pose_a,
	           .poses_b = poses_b,
	           .penetration = q,
	           .budget = q->budget,
	           .penetrations = results_out,
	           .status = results_out != NULL ? &results_out->status : NULL,
	           .stride = sizeof *results_out };
	return run( &w, pose_count, options, results_out, error );
}

dbvh_status dbvh_penetration_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                          const dbvh_pose *poses_b, size_t pose_count,
                                          const dbvh_penetration_query *query, const dbvh_batch_options *options,
                                          dbvh_penetration_result *results_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_penetration_depth_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                        options, results_out, error ) ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_local_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                           const dbvh_tree *b, const dbvh_pose *poses_b,
                                                           size_t pose_count, const dbvh_local_depth_query *query,
                                                           const dbvh_batch_options *options,
                                                           dbvh_local_depth_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_local_depth_query plain = { .relative_width = 0.0 };
	const dbvh_local_depth_query *q = query != NULL ? query : &plain;
	dbvh_status status = dbvhi_depth_check( a, b, q->relative_width, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_range( q->allowed_depth, INFINITY, "query.allowed_depth", error );
	if ( status != DBVH_OK )
		return status;
	work w = { .a = a,
	           .b = b,
	           .pose_a = pose_a,
	           .poses_b = poses_b,
	           .local = q,
	           .budget = q->budget,
	           .locals = results_out,
	           .status = results_out != NULL ? &results_out->status : NULL,
	           .stride = sizeof *results_out };
	return run( &w, pose_count, options, results_out, error );
}

dbvh_status dbvh_local_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *poses_b, size_t pose_count, const dbvh_local_depth_query *query,
                                    const dbvh_batch_options *options, dbvh_local_depth_result *results_out,
                                    dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_local_depth_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                         options, results_out, error ) ) );
}
