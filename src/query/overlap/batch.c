// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlaps of many poses of one pair of meshes. Each thread keeps a dbvh_overlap with its workspace.

#include "query/common/batch.h"

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/overlap/overlap.h"
#include "query/overlap/within.h"

#include <math.h>
#include <stddef.h>

// The most poses that a thread is handed at a time: a query takes from one microsecond to thousands.
#define MOST_POSES 8

typedef struct memory {
	dbvh_overlap *overlap;
} memory;

static void release( void *kept, const dbvh_allocator *allocator ) {
	(void)allocator;
	dbvh_overlap_destroy( ( (memory *)kept )->overlap );
}

static const dbvhi_slot_kind memory_kind = { sizeof( memory ), release };

dbvh_overlap *dbvhi_overlap_of( dbvh_workspace *workspace ) {
	memory *kept = dbvhi_workspace_slot( workspace, &memory_kind );
	if ( kept != NULL && kept->overlap == NULL )
		dbvh_overlap_create( &workspace->allocator, &kept->overlap, NULL );
	return kept != NULL ? kept->overlap : NULL;
}

dbvh_status dbvhi_overlap_within( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const dbvh_overlap_query *query, dbvh_workspace *workspace,
                                  dbvh_overlap_result *result_out ) {
	dbvh_overlap *overlap = dbvhi_overlap_of( workspace );
	const dbvh_status status = overlap != NULL ? dbvhi_overlap_check( a, b, query, NULL ) : DBVH_OUT_OF_MEMORY;
	return status != DBVH_OK
	           ? status
	           : dbvhi_overlap_find( a, pose_a, b, pose_b, query, query->budget, overlap, result_out, NULL );
}

static dbvh_status one_pose( const dbvhi_batch *w, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace,
                             void *result ) {
	const dbvh_pose *poses_b = w->list;
	dbvh_overlap *overlap = dbvhi_overlap_of( workspace );
	return overlap == NULL
	           ? DBVH_OUT_OF_MEMORY
	           : dbvhi_overlap_find( w->a, w->pose_a, w->b, &poses_b[i], w->query, budget, overlap, result, NULL );
}

static DBVHI_NOINLINE_FP dbvh_status do_overlap_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                       const dbvh_pose *poses_b, size_t pose_count,
                                                       const dbvh_overlap_query *query,
                                                       const dbvh_batch_options *options,
                                                       dbvh_overlap_result *results_out, dbvh_error *error ) {
	dbvhi_batch_clear( results_out, pose_count, sizeof *results_out, error );
	const dbvh_overlap_query defaults = dbvh_overlap_query_default();
	const dbvh_overlap_query *q = query != NULL ? query : &defaults;
	DBVHI_TRY( dbvhi_overlap_check( a, b, q, error ) );
	if ( q->mesh )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.mesh is set: a batch keeps no meshes" );
	DBVHI_TRY( dbvhi_batch_check_threads( q->thread_count, error ) );
	const dbvh_overlap_result unreached = { .measure = { .volume.upper = INFINITY, .area.upper = INFINITY },
	                                        .kind = DBVH_OVERLAP_KIND_UNDECIDED,
	                                        .reason = DBVH_OVERLAP_REASON_BUDGET };
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
	                            .status_at = offsetof( dbvh_overlap_result, status ),
	                            .unreached = &unreached,
	                            .allocates = true,
	                            .ask = one_pose };
	return dbvhi_batch_run( &batch, options, error );
}

dbvh_status dbvh_overlap_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                const dbvh_pose *poses_b, size_t pose_count, const dbvh_overlap_query *query,
                                const dbvh_batch_options *options, dbvh_overlap_result *results_out,
                                dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_overlap_batch( a, pose_a, b, poses_b, pose_count, query,
	                                                                     options, results_out, error ) ) );
}
