// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many motions of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "query/common/arguments.h"
#include "query/toi/toi.h"

#include <math.h>
#include <stddef.h>

typedef struct work {
	const dbvh_motion *motion_a;
	const dbvh_toi_query *query;
} work;

static dbvh_status one_motion( const dbvhi_batch *batch, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace,
                               void *result ) {
	const work *w = batch->query;
	const dbvh_motion *motions_b = batch->list;
	return dbvhi_time_of_impact( batch->a, w->motion_a, batch->b, &motions_b[i], w->query, budget, workspace, result );
}

static void blame_motion( const dbvhi_batch *batch, size_t i, dbvh_status status, dbvh_error *error ) {
	dbvhi_blame_motion( status, &( (const dbvh_motion *)batch->list )[i], "", error );
}

// The most motions that a thread is handed at a time: a search takes from one microsecond to thousands.
#define MOST_MOTIONS 8

static DBVHI_NOINLINE_FP dbvh_status do_time_of_impact_batch( const dbvh_tree *a, const dbvh_motion *motion_a,
                                                              const dbvh_tree *b, const dbvh_motion *motions_b,
                                                              size_t motion_count, const dbvh_toi_query *query,
                                                              const dbvh_batch_options *options,
                                                              dbvh_toi_result *results_out, dbvh_error *error ) {
	dbvhi_batch_clear( results_out, motion_count, sizeof *results_out, error );
	const dbvh_toi_query plain = { 0 };
	const dbvh_toi_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_toi_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	double deviation;
	const dbvh_status status = dbvhi_motion_check( motion_a, &deviation );
	if ( status != DBVH_OK )
		return dbvhi_blame_motion( status, motion_a, "motion_a", error );

	const work w = { motion_a, q };
	const dbvh_toi_result unreached = { .verdict = DBVH_TOI_VERDICT_UNDECIDED, .time = q->start, .upper = INFINITY };
	const dbvhi_batch batch = { .a = a,
	                            .b = b,
	                            .query = &w,
	                            .budget = q->budget,
	                            .list = motions_b,
	                            .name = "motions_b",
	                            .count = motion_count,
	                            .most = MOST_MOTIONS,
	                            .results = results_out,
	                            .result_size = sizeof *results_out,
	                            .status_at = offsetof( dbvh_toi_result, status ),
	                            .unreached = &unreached,
	                            .require = dbvhi_workspace_require_toi,
	                            .ask = one_motion,
	                            .blame = blame_motion };
	return dbvhi_batch_run( &batch, options, error );
}

dbvh_status dbvh_time_of_impact_batch( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                       const dbvh_motion *motions_b, size_t motion_count, const dbvh_toi_query *query,
                                       const dbvh_batch_options *options, dbvh_toi_result *results_out,
                                       dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_time_of_impact_batch( a, motion_a, b, motions_b, motion_count, query,
	                                                                     options, results_out, error ) ) );
}
