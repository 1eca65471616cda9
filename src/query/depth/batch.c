// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The depths of many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "query/common/arguments.h"
#include "query/depth/depth.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// The most poses that a thread is handed at a time: a query takes up to a second.
#define MOST_POSES 1

// End an element. Only an answer, or what is known of one, is left in its result.
static dbvh_status end( const dbvhi_batch *w, dbvhi_depth_meter *m, dbvh_status status, void *result ) {
	status = dbvhi_depth_meter_close( m, status );
	if ( !dbvhi_has_results( status ) )
		memset( result, 0, w->result_size );
	return status;
}

static dbvh_status penetration_of_pose( const dbvhi_batch *w, size_t i, const dbvh_budget *budget,
                                        dbvh_workspace *workspace, void *result ) {
	const dbvh_pose *poses_b = w->list;
	dbvhi_depth_meter m;
	dbvhi_depth_meter_open( &m, w->budget != NULL ? budget : NULL );
	return end( w, &m,
	            dbvhi_penetration_depth( w->a, w->pose_a, w->b, &poses_b[i], w->query, workspace, &m.meter, result ),
	            result );
}

static dbvh_status local_depth_of_pose( const dbvhi_batch *w, size_t i, const dbvh_budget *budget,
                                        dbvh_workspace *workspace, void *result ) {
	const dbvh_pose *poses_b = w->list;
	dbvhi_depth_meter m;
	dbvhi_depth_meter_open( &m, w->budget != NULL ? budget : NULL );
	return end( w, &m, dbvhi_local_depth( w->a, w->pose_a, w->b, &poses_b[i], w->query, workspace, &m.meter, result ),
	            result );
}

static DBVHI_NOINLINE_FP dbvh_status do_penetration_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                                 const dbvh_tree *b, const dbvh_pose *poses_b,
                                                                 size_t pose_count, const dbvh_penetration_query *query,
                                                                 const dbvh_batch_options *options,
                                                                 dbvh_penetration_result *results_out,
                                                                 dbvh_error *error ) {
	dbvhi_batch_clear( results_out, pose_count, sizeof *results_out, error );
	const dbvh_penetration_query plain = { .strict = false };
	const dbvh_penetration_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( dbvhi_depth_check( a, b, q->relative_width, error ) );
	const dbvh_penetration_result unreached = { .depth = { 0.0, INFINITY }, .relation = DBVH_RELATION_UNDECIDABLE };
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
	                            .status_at = offsetof( dbvh_penetration_result, status ),
	                            .unreached = &unreached,
	                            .allocates = true,
	                            .ask = penetration_of_pose };
	return dbvhi_batch_run( &batch, options, error );
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
	dbvhi_batch_clear( results_out, pose_count, sizeof *results_out, error );
	const dbvh_local_depth_query plain = { .relative_width = 0.0 };
	const dbvh_local_depth_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( dbvhi_depth_check( a, b, q->relative_width, error ) );
	DBVHI_TRY( dbvhi_check_range( q->allowed_depth, INFINITY, "query.allowed_depth", error ) );
	const dbvh_interval unknown = { 0.0, INFINITY };
	const dbvh_local_depth_result unreached = { .a_in_b = { .depth = unknown },
	                                            .b_in_a = { .depth = unknown },
	                                            .least = unknown,
	                                            .verdict = DBVH_FIT_VERDICT_UNDECIDED,
	                                            .relation = DBVH_RELATION_UNDECIDABLE };
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
	                            .status_at = offsetof( dbvh_local_depth_result, status ),
	                            .unreached = &unreached,
	                            .allocates = true,
	                            .ask = local_depth_of_pose };
	return dbvhi_batch_run( &batch, options, error );
}

dbvh_status dbvh_local_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *poses_b, size_t pose_count, const dbvh_local_depth_query *query,
                                    const dbvh_batch_options *options, dbvh_local_depth_result *results_out,
                                    dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_local_depth_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                         options, results_out, error ) ) );
}
