// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances and clearances of many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "query/common/arguments.h"
#include "query/distance/distance.h"

#include <stddef.h>

// The most poses that a thread is handed at a time: a query takes some microseconds or more.
#define MOST_POSES 16

static dbvh_status distance_of_pose( const dbvhi_batch *w, size_t i, const dbvh_budget *budget,
                                     dbvh_workspace *workspace, void *result ) {
	const dbvh_pose *poses_b = w->list;
	return dbvhi_distance_measure( w->a, w->pose_a, w->b, &poses_b[i], w->query, budget, 1, workspace, result );
}

static dbvh_status clearance_of_pose( const dbvhi_batch *w, size_t i, const dbvh_budget *budget,
                                      dbvh_workspace *workspace, void *result ) {
	const dbvh_pose *poses_b = w->list;
	dbvh_clearance_query query = *(const dbvh_clearance_query *)w->query;
	query.pair_capacity = 0;
	if ( w->parts != NULL ) {
		query.pairs += w->parts[i];
		query.pair_capacity = w->parts[i + 1] - w->parts[i];
	}
	return dbvhi_clearance_measure( w->a, w->pose_a, w->b, &poses_b[i], &query, budget, 1, workspace, result );
}

static DBVHI_NOINLINE_FP dbvh_status do_distance_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                        const dbvh_pose *poses_b, size_t pose_count,
                                                        const dbvh_distance_query *query,
                                                        const dbvh_batch_options *options,
                                                        dbvh_distance_result *results_out, dbvh_error *error ) {
	dbvhi_batch_clear( results_out, pose_count, sizeof *results_out, error );
	const dbvh_distance_query plain = { .limit = 0.0 };
	const dbvh_distance_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_distance_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	DBVHI_TRY( dbvhi_batch_check_threads( q->thread_count, error ) );
	const dbvhi_batch batch = { .a = a,
	                            .b = b,
	                            .pose_a = pose_a,
	                            .query = q,
	                            .budget = q->budget,
	                            .list = poses_b,
	                            .name = "poses_b",
	                            .count = pose_count,
	                            .most = MOST_POSES,
	                            .results = results_out,
	                            .result_size = sizeof *results_out,
	                            .status_at = offsetof( dbvh_distance_result, status ),
	                            .require = dbvhi_workspace_require_distance,
	                            .ask = distance_of_pose };
	return dbvhi_batch_run( &batch, options, error );
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
	dbvhi_batch_clear( results_out, pose_count, sizeof *results_out, error );
	const dbvh_clearance_query touching = { .max_distance = 0.0 };
	const dbvh_clearance_query *q = query != NULL ? query : &touching;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_clearance_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	DBVHI_TRY( dbvhi_batch_check_threads( q->thread_count, error ) );
	dbvhi_batch batch = { .a = a,
	                      .b = b,
	                      .pose_a = pose_a,
	                      .query = q,
	                      .budget = q->budget,
	                      .list = poses_b,
	                      .name = "poses_b",
	                      .count = pose_count,
	                      .most = MOST_POSES,
	                      .results = results_out,
	                      .result_size = sizeof *results_out,
	                      .status_at = offsetof( dbvh_clearance_result, status ),
	                      .require = dbvhi_workspace_require_distance,
	                      .ask = clearance_of_pose };
	if ( q->find == DBVH_FIND_ALL )
		DBVHI_TRY( dbvhi_batch_divide( &batch, q->pair_begin, q->pair_capacity, "pair", error ) );
	return dbvhi_batch_run( &batch, options, error );
}

dbvh_status dbvh_check_clearance_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                        const dbvh_pose *poses_b, size_t pose_count, const dbvh_clearance_query *query,
                                        const dbvh_batch_options *options, dbvh_clearance_result *results_out,
                                        dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_check_clearance_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                      options, results_out, error ) ) );
}
