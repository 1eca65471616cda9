// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances and clearances of many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/distance/distance.h"

#include <string.h>

// The most poses that a thread is handed at a time: a query takes some microseconds or more.
#define MOST_POSES 16

typedef struct work {
	dbvhi_batch batch;
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *poses_b;
	const size_t *pair_begin; // NULL: no pairs are wanted
	const dbvh_distance_query *distance;
	const dbvh_clearance_query *clearance;
	dbvh_distance_result *distances;   // NULL for clearances
	dbvh_clearance_result *clearances; // NULL for distances
} work;

static dbvh_status *status_of( const work *w, size_t i ) {
	return w->distances != NULL ? &w->distances[i].status : &w->clearances[i].status;
}

static dbvh_status measure_pose( const work *w, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace ) {
	if ( w->distances != NULL )
		return dbvhi_distance_measure( w->a, w->pose_a, w->b, &w->poses_b[i], w->distance, budget, 1, workspace,
		                               &w->distances[i] );
	dbvh_clearance_query query = *w->clearance;
	query.pair_capacity = 0;
	if ( w->pair_begin != NULL ) {
		query.pairs += w->pair_begin[i];
		query.pair_capacity = w->pair_begin[i + 1] - w->pair_begin[i];
	}
	return dbvhi_clearance_measure( w->a, w->pose_a, w->b, &w->poses_b[i], &query, budget, 1, workspace,
	                                &w->clearances[i] );
}

static void one_pose( void *context, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace ) {
	work *w = context;
	const dbvh_status status = measure_pose( w, i, budget, workspace );
	*status_of( w, i ) = status;
}

static void leave_pose( void *context, size_t i, dbvh_status why ) {
	work *w = context;
	if ( w->distances != NULL )
		w->distances[i] = ( dbvh_distance_result ){ .status = why };
	else
		w->clearances[i] = ( dbvh_clearance_result ){ .status = why };
}

static dbvh_status check( const work *w, size_t pose_count, const void *results_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_trees( w->a, w->b, error ) );
	DBVHI_TRY( dbvhi_batch_check_poses( w->poses_b, pose_count, results_out, error ) );
	if ( w->pose_a != NULL )
		DBVHI_TRY( dbvhi_blame_pose( dbvh_pose_check( w->pose_a, NULL, NULL ), w->pose_a, "pose_a", error ) );
	return DBVH_OK;
}

static dbvh_status run( work *w, size_t pose_count, const dbvh_batch_options *options, size_t room,
                        const dbvh_budget *budget, dbvh_error *error ) {
	dbvh_status status = dbvhi_batch_start( &w->batch, options, pose_count, w->a, w->b, room, budget );
	for ( uint32_t i = 0; i < w->batch.thread_count && status == DBVH_OK; ++i )
		status = dbvhi_workspace_require_distance( dbvhi_workspace_of( w->batch.workspace, i ), w->a, w->b );
	static const dbvhi_batch_work of_poses = { one_pose, leave_pose };
	if ( status == DBVH_OK )
		status = dbvhi_batch_run( &w->batch, MOST_POSES, &of_poses, w );
	if ( status == DBVH_OK && pose_count > 0 ) {
		status =
		    dbvhi_batch_first_failure( w->poses_b, pose_count, status_of( w, 0 ),
		                               w->distances != NULL ? sizeof *w->distances : sizeof *w->clearances, error );
	}
	dbvhi_batch_finish( &w->batch );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_distance_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                        const dbvh_pose *poses_b, size_t pose_count,
                                                        const dbvh_distance_query *query,
                                                        const dbvh_batch_options *options,
                                                        dbvh_distance_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_distance_query plain = { .limit = 0.0 };
	const dbvh_distance_query *q = query != NULL ? query : &plain;
	work w = { .a = a, .b = b, .pose_a = pose_a, .poses_b = poses_b, .distance = q, .distances = results_out };
	DBVHI_TRY( check( &w, pose_count, results_out, error ) );
	DBVHI_TRY( dbvhi_check_distance_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	DBVHI_TRY( dbvhi_batch_check_threads( q->thread_count, error ) );
	return run( &w, pose_count, options, 0, q->budget, error );
}

dbvh_status dbvh_distance_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *poses_b, size_t pose_count, const dbvh_distance_query *query,
                                 const dbvh_batch_options *options, dbvh_distance_result *results_out,
                                 dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_distance_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                      options, results_out, error ) ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_check_clearance_batch( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                               const dbvh_tree *b, const dbvh_pose *poses_b,
                                                               size_t pose_count, const dbvh_clearance_query *query,
                                                               const dbvh_batch_options *options,
                                                               dbvh_clearance_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_clearance_query touching = { .max_distance = 0.0 };
	const dbvh_clearance_query *q = query != NULL ? query : &touching;
	work w = { .a = a, .b = b, .pose_a = pose_a, .poses_b = poses_b, .clearance = q, .clearances = results_out };
	dbvh_status status = check( &w, pose_count, results_out, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_clearance_query( q, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_form( a, b, q->policy, error );
	if ( status == DBVH_OK )
		status = dbvhi_batch_check_threads( q->thread_count, error );
	size_t room = 0;
	if ( status == DBVH_OK && q->find == DBVH_FIND_ALL ) {
		status = dbvhi_check_parts( q->pair_begin, pose_count, q->pair_capacity, "pair", &room, error );
		w.pair_begin = room > 0 ? q->pair_begin : NULL;
	}
	return status == DBVH_OK ? run( &w, pose_count, options, room, q->budget, error ) : status;
}

dbvh_status dbvh_check_clearance_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                        const dbvh_pose *poses_b, size_t pose_count, const dbvh_clearance_query *query,
                                        const dbvh_batch_options *options, dbvh_clearance_result *results_out,
                                        dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_check_clearance_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                      options, results_out, error ) ) );
}
