// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Parts of all batches: take threads and a workspace for each, keep the account of the budget, and hand the elements
// out. These do not depend on each other, so each is done whole by one thread.

#pragma once

#include "base/parallel.h"
#include "query/common/account.h"
#include "query/common/workspace.h"

typedef struct dbvhi_batch {
	dbvh_workspace *workspace, *own; // `own`: created if the caller gave none
	uint32_t thread_count, grain;
	dbvhi_account account;
} dbvhi_batch;

// Begin a batch with workspaces for that many pairs on all threads. `options` and `budget` may be NULL.
// dbvhi_batch_finish() is to be called whatever this returns.
dbvh_status dbvhi_batch_start( dbvhi_batch *batch, const dbvh_batch_options *options, size_t count, const dbvh_tree *a,
                               const dbvh_tree *b, size_t pair_capacity, const dbvh_budget *budget );
void dbvhi_batch_finish( dbvhi_batch *batch );

// The functions that do an element of a batch. `context` is the batch's own.
typedef struct dbvhi_batch_work {
	// Do element i in the workspace of its thread, within the budget (NULL: no limit). Its result is empty, or as
	// leave() made it.
	void ( *ask )( void *context, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace );
	// Set the result of an element that is not reached to nothing but why.
	void ( *leave )( void *context, size_t i, dbvh_status why );
} dbvhi_batch_work;

// Do every element; a thread is handed at most `most` at a time. Returns OUT_OF_MEMORY, with none done, or OK.
dbvh_status dbvhi_batch_run( dbvhi_batch *batch, size_t most, const dbvhi_batch_work *work, void *context );

// Check the poses of a batch and the place of its results; an empty one needs neither.
dbvh_status dbvhi_batch_check_poses( const dbvh_pose *poses_b, size_t pose_count, const void *results_out,
                                     dbvh_error *error );

// Refuse a single query's number of threads, which a batch does not have.
dbvh_status dbvhi_batch_check_threads( uint32_t thread_count, dbvh_error *error );

// Report the first pose that has no answer, and return its status. `status` is that of pose 0; those of the others
// follow, `stride` bytes from one to the next.
dbvh_status dbvhi_batch_first_failure( const dbvh_pose *poses_b, size_t pose_count, const dbvh_status *status,
                                       size_t stride, dbvh_error *error );
