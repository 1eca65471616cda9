// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many motions of one pair of meshes.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

typedef struct work {
	dbvhi_batch batch;
	const dbvh_tree *a, *b;
	const dbvh_motion *motion_a, *motions_b;
	const dbvh_toi_query *query;
	dbvh_toi_result *results;
} work;

static void one_motion( void *context, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace ) {
	work *w = context;
	dbvh_toi_result *result = &w->results[i];
	memset( result, 0, sizeof *result );
	result->status =
	    dbvhi_time_of_impact( w->a, w->motion_a, w->b, &w->motions_b[i], w->query, budget, workspace, result );
}

static void leave_motion( void *context, size_t i, dbvh_status why ) {
	work *w = context;
	w->results[i] = ( dbvh_toi_result ){
	    .verdict = DBVH_TOI_VERDICT_UNDECIDED, .time = w->query->start, .upper = INFINITY, .status = why };
}

// The most motions that a thread is handed at a time: a search takes from one microsecond to thousands.
#define MOST_MOTIONS 8

static dbvh_status first_failure( const work *w, size_t count, dbvh_error *error ) {
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_status status = w->results[i].status;
		if ( status == DBVH_OK )
			continue;
		dbvhi_blame_motion( status, &w->motions_b[i], "", error );
		return dbvhi_blame_element( status, "motions_b", i, error );
	}
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_time_of_impact_batch( const dbvh_tree *a, const dbvh_motion *motion_a,
                                                              const dbvh_tree *b, const dbvh_motion *motions_b,
                                                              size_t motion_count, const dbvh_toi_query *query,
                                                              const dbvh_batch_options *options,
                                                              dbvh_toi_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && motion_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, motion_count * sizeof *results_out );
	const dbvh_toi_query plain = { 0 };
	const dbvh_toi_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	if ( motion_count > 0 )
		DBVHI_TRY( dbvhi_check_given( motions_b, "motions_b", error ) );
	if ( motion_count > 0 )
		DBVHI_TRY( dbvhi_check_given( results_out, "results_out", error ) );
	DBVHI_TRY( dbvhi_check_toi_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	double deviation;
	dbvh_status status = dbvhi_motion_check( motion_a, &deviation );
	if ( status != DBVH_OK )
		return dbvhi_blame_motion( status, motion_a, "motion_a", error );

	work w = {
	    .a = a,
	    .b = b,
	    .motion_a = motion_a,
	    .motions_b = motions_b,
	    .query = q,
	    .results = results_out,
	};
	status = dbvhi_batch_start( &w.batch, options, motion_count, a, b, 0, q->budget );
	for ( uint32_t i = 0; i < w.batch.thread_count && status == DBVH_OK; ++i )
		status = dbvhi_workspace_require_toi( dbvhi_workspace_of( w.batch.workspace, i ), a, b );
	static const dbvhi_batch_work of_motions = { one_motion, leave_motion };
	if ( status == DBVH_OK )
		status = dbvhi_batch_run( &w.batch, MOST_MOTIONS, &of_motions, &w );
	if ( status == DBVH_OK )
		status = first_failure( &w, motion_count, error );
	dbvhi_batch_finish( &w.batch );
	return status;
}

dbvh_status dbvh_time_of_impact_batch( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                       const dbvh_motion *motions_b, size_t motion_count, const dbvh_toi_query *query,
                                       const dbvh_batch_options *options, dbvh_toi_result *results_out,
                                       dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_time_of_impact_batch( a, motion_a, b, motions_b, motion_count, query,
	                                                                     options, results_out, error ) ) );
}
