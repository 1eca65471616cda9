// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The relations of many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "query/common/arguments.h"
#include "query/relation/relation.h"

#include <stddef.h>

// The most poses that a thread is handed at a time: a query takes from one microsecond to thousands.
#define MOST_POSES 8

static dbvh_status one_pose( const dbvhi_batch *w, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace,
                             void *result ) {
	const dbvh_pose *poses_b = w->list;
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, budget );
	const dbvh_status status = dbvhi_relate( w->a, w->pose_a, w->b, &poses_b[i], w->query, workspace, &meter, result );
	dbvhi_meter_close( &meter );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_relate_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                      const dbvh_pose *poses_b, size_t pose_count,
                                                      const dbvh_relate_query *query, const dbvh_batch_options *options,
                                                      dbvh_relate_result *results_out, dbvh_error *error ) {
	dbvhi_batch_clear( results_out, pose_count, sizeof *results_out, error );
	const dbvh_relate_query exact = { .touch_gap = 0.0 };
	const dbvh_relate_query *q = query != NULL ? query : &exact;
	DBVHI_TRY( dbvhi_check_relate( a, b, q, error ) );
	DBVHI_TRY( dbvhi_batch_check_threads( q->thread_count, error ) );
	const dbvh_relate_result unreached = { .relation = DBVH_RELATION_UNDECIDABLE, .exact = DBVH_RELATION_UNDECIDABLE };
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
	                            .status_at = offsetof( dbvh_relate_result, status ),
	                            .unreached = &unreached,
	                            .allocates = true,
	                            .ask = one_pose };
	return dbvhi_batch_run( &batch, options, error );
}

dbvh_status dbvh_relate_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                               const dbvh_pose *poses_b, size_t pose_count, const dbvh_relate_query *query,
                               const dbvh_batch_options *options, dbvh_relate_result *results_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_relate_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                    options, results_out, error ) ) );
}
