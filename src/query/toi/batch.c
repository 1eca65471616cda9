// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many motions of one pair of meshes. The sweeps do not depend on each other, so each is done whole by one thread.

#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/toi/toi.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct batch {
	const dbvh_tree *a, *b;
	const dbvh_motion *motion_a, *motions_b;
	const dbvh_toi_query *query;
	dbvh_workspace *workspace;
	dbvh_toi_result *results;
	atomic_bool cancelled;
} batch;

// Each motion has the whole budget; the caller is asked on the calling thread, and what it says goes for all.
typedef struct asking {
	batch *of;
	bool asks;
} asking;

static bool is_cancelled( void *user ) {
	const asking *a = user;
	const dbvh_budget *budget = a->of->query->budget;
	if ( a->asks && budget->is_cancelled != NULL && budget->is_cancelled( budget->user ) )
		atomic_store_explicit( &a->of->cancelled, true, memory_order_relaxed );
	return atomic_load_explicit( &a->of->cancelled, memory_order_relaxed );
}

static void one_motion( void *context, size_t i, uint32_t thread ) {
	batch *t = context;
	dbvh_toi_result *result = &t->results[i];
	asking who = { t, thread == 0 };
	dbvh_budget budget;
	if ( t->query->budget != NULL )
		budget = ( dbvh_budget ){ t->query->budget->max_work, is_cancelled, &who };
	if ( atomic_load_explicit( &t->cancelled, memory_order_relaxed ) ) {
		result->verdict = DBVH_TOI_VERDICT_UNDECIDED;
		result->time = t->query->start;
		result->upper = INFINITY;
		result->status = DBVH_CANCELLED;
		return;
	}
	result->status = dbvhi_time_of_impact( t->a, t->motion_a, t->b, &t->motions_b[i], t->query,
	                                       t->query->budget != NULL ? &budget : NULL,
	                                       dbvhi_workspace_of( t->workspace, thread ), result );
}

// The most motions that a thread is handed at a time: a search takes from one microsecond to thousands.
#define MOST_MOTIONS 8

static dbvh_status first_failure( const batch *work, size_t count, dbvh_error *error ) {
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_status status = work->results[i].status;
		if ( status == DBVH_OK )
			continue;
		dbvhi_blame_motion( status, &work->motions_b[i], "motion", error );
		return dbvhi_blame_element( status, "motions_b", i, error );
	}
	return DBVH_OK;
}

static dbvh_status require( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b, uint32_t thread_count ) {
	dbvh_status status = dbvhi_workspace_require( workspace, a, b, 0 );
	if ( status == DBVH_OK && thread_count > 1 )
		status = dbvhi_workspace_require_helpers( workspace, a, b, 0, thread_count );
	for ( uint32_t i = 0; i < thread_count && status == DBVH_OK; ++i )
		status = dbvhi_workspace_require_toi( dbvhi_workspace_of( workspace, i ), a, b );
	return status;
}

static DBVHI_BEHIND dbvh_status do_time_of_impact_batch( const dbvh_tree *a, const dbvh_motion *motion_a,
                                                         const dbvh_tree *b, const dbvh_motion *motions_b,
                                                         size_t motion_count, const dbvh_toi_query *query,
                                                         const dbvh_batch_options *options,
                                                         dbvh_toi_result *results_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( results_out != NULL && motion_count <= SIZE_MAX / sizeof *results_out )
		memset( results_out, 0, motion_count * sizeof *results_out );
	const dbvh_toi_query plain = { 0 };
	const dbvh_toi_query *q = query != NULL ? query : &plain;
	const dbvh_batch_options defaults = { .thread_count = 0 };
	const dbvh_batch_options *o = options != NULL ? options : &defaults;
	dbvh_status status = dbvhi_check_trees( a, b, error );
	if ( status == DBVH_OK && motion_count > 0 )
		status = dbvhi_check_given( motions_b, "motions_b", error );
	if ( status == DBVH_OK && motion_count > 0 )
		status = dbvhi_check_given( results_out, "results_out", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_toi_query( q, error );
	if ( status != DBVH_OK )
		return status;
	double deviation;
	status = dbvhi_motion_check( motion_a, &deviation );
	if ( status != DBVH_OK )
		return dbvhi_blame_motion( status, motion_a, "motion_a", error );

	uint32_t thread_count = dbvhi_thread_count( o->thread_count );
	if ( motion_count < thread_count )
		thread_count = motion_count > 0 ? (uint32_t)motion_count : 1;
	dbvh_workspace *own, *workspace = o->workspace;
	status = dbvhi_workspace_borrow( &workspace, a, &own );
	if ( status == DBVH_OK )
		status = require( workspace, a, b, thread_count );
	if ( status == DBVH_OK ) {
		batch work = {
		    .a = a,
		    .b = b,
		    .motion_a = motion_a,
		    .motions_b = motions_b,
		    .query = q,
		    .workspace = workspace,
		    .results = results_out,
		};
		const size_t grain = dbvhi_grain( o->grain, motion_count, thread_count, MOST_MOTIONS );
		dbvhi_parallel_for( motion_count, grain, thread_count, one_motion, &work );
		status = first_failure( &work, motion_count, error );
	}
	dbvh_workspace_destroy( own );
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
