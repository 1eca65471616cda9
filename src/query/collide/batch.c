// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_collide_batch(): many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "query/collide/collide.h"
#include "query/collide/packets.h"
#include "query/common/arguments.h"

#include <stddef.h>

static dbvh_status one_pose( const dbvhi_batch *w, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace,
                             void *result ) {
	const dbvh_pose *poses_b = w->list;
	dbvh_collide_query query = *(const dbvh_collide_query *)w->query;
	query.budget = budget;
	query.pair_capacity = 0;
	if ( w->parts != NULL ) {
		query.pairs += w->parts[i];
		query.pair_capacity = w->parts[i + 1] - w->parts[i];
	}
	return dbvhi_collide( w->a, w->pose_a, w->b, &poses_b[i], &query, workspace, result );
}

// The most poses that a thread is handed at a time: a query takes a microsecond or more.
#define MOST_POSES 32

static DBVHI_NOINLINE_FP dbvh_status do_collide_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                       const dbvh_pose *poses_b, size_t pose_count,
                                                       const dbvh_collide_query *query,
                                                       const dbvh_batch_options *options,
                                                       dbvh_collide_result *results_out, dbvh_error *error ) {
	dbvhi_batch_clear( results_out, pose_count, sizeof *results_out, error );
	const dbvh_collide_query verdict_alone = { .find = DBVH_FIND_ANY };
	const dbvh_collide_query *q = query != NULL ? query : &verdict_alone;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_collide_query( q, error ) );
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
	                      .status_at = offsetof( dbvh_collide_result, status ),
	                      .ask = one_pose };
	if ( q->find == DBVH_FIND_ALL )
		DBVHI_TRY( dbvhi_batch_divide( &batch, q->pair_begin, q->pair_capacity, "pair", error ) );
	if ( dbvhi_packets_suit( a, b, q, pose_count ) ) {
		batch.require = dbvhi_workspace_require_packets;
		batch.ask_block = dbvhi_answer_packets;
	}
	return dbvhi_batch_run( &batch, options, error );
}

dbvh_status dbvh_collide_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                const dbvh_pose *poses_b, size_t pose_count, const dbvh_collide_query *query,
                                const dbvh_batch_options *options, dbvh_collide_result *results_out,
                                dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_collide_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                     options, results_out, error ) ) );
}
