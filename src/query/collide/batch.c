// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_collide_batch(): many poses of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "base/status.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"

#include <string.h>

typedef struct work {
	dbvhi_batch batch;
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *poses_b;
	dbvh_collide_query query; // the query of each pose, but for its part of the pairs
	const size_t *pair_begin; // NULL where no pairs are wanted
	dbvh_collide_result *results;
} work;

static void one_pose( void *context, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace ) {
	work *w = context;
	dbvh_collide_result *result = &w->results[i];
	dbvh_collide_query query = w->query;
	query.budget = budget;
	if ( w->pair_begin != NULL ) {
		query.pairs += w->pair_begin[i];
		query.pair_capacity = w->pair_begin[i + 1] - w->pair_begin[i];
	}
	result->status = dbvhi_collide( w->a, w->pose_a, w->b, &w->poses_b[i], &query, workspace, result );
}

static void leave_pose( void *context, size_t i, dbvh_status why ) {
	work *w = context;
	w->results[i] = ( dbvh_collide_result ){ .status = why };
}

// The most poses that a thread is handed at a time: a query takes a microsecond or more.
#define MOST_POSES 32

static dbvh_status check( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *poses_b, size_t pose_count,
                          const dbvh_collide_query *query, const dbvh_collide_result *results_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_batch_check_poses( poses_b, pose_count, results_out, error ) );
	DBVHI_TRY( dbvhi_check_collide_query( query, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, query->policy, error ) );
	return dbvhi_batch_check_threads( query->thread_count, error );
}

static DBVHI_NOINLINE_FP dbvh_status do_collide_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                       const dbvh_pose *poses_b, size_t pose_count,
                                                       const dbvh_collide_query *query,
                                                       const dbvh_batch_options *options,
                                                       dbvh_collide_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && pose_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, pose_count * sizeof *results_out );
	const dbvh_collide_query verdict_alone = { .find = DBVH_FIND_ANY };
	const dbvh_collide_query *q = query != NULL ? query : &verdict_alone;
	dbvh_status status = check( a, b, poses_b, pose_count, q, results_out, error );
	// note: without pairs to find, the room needs no division.
	const size_t *pair_begin = q->find == DBVH_FIND_ALL ? q->pair_begin : NULL;
	size_t room = 0;
	if ( status == DBVH_OK && q->find == DBVH_FIND_ALL )
		status = dbvhi_check_parts( pair_begin, pose_count, q->pair_capacity, "pair", &room, error );
	if ( status == DBVH_OK && pose_a != NULL )
		status = dbvhi_blame_pose( dbvh_pose_check( pose_a, NULL, NULL ), pose_a, "pose_a", error );
	if ( status != DBVH_OK )
		return status;

	work w = {
	    .a = a,
	    .b = b,
	    .pose_a = pose_a,
	    .poses_b = poses_b,
	    .query = *q,
	    .pair_begin = room > 0 ? pair_begin : NULL,
	    .results = results_out,
	};
	if ( w.pair_begin == NULL )
		w.query.pair_capacity = 0;
	status = dbvhi_batch_start( &w.batch, options, pose_count, a, b, room, q->budget );
	if ( status == DBVH_OK && pose_count > 0 ) {
		static const dbvhi_batch_work of_poses = { one_pose, leave_pose };
		status = dbvhi_batch_run( &w.batch, MOST_POSES, &of_poses, &w );
	}
	if ( status == DBVH_OK && pose_count > 0 ) {
		status = dbvhi_batch_first_failure( poses_b, pose_count, &results_out->status, sizeof *results_out, error );
	}
	dbvhi_batch_finish( &w.batch );
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
