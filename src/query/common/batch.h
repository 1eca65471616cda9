// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What all batches do: take threads and a workspace for each, give every element the whole budget, and hand the
// elements out. They do not depend on each other, so each is done whole by one thread.

#pragma once

#include "base/parallel.h"
#include "query/common/workspace.h"

#include <stdatomic.h>

typedef struct dbvhi_batch {
	dbvh_workspace *workspace, *own; // `own`: where the caller gave none
	uint32_t thread_count, grain;
	const dbvh_budget *budget;                                    // of each element; NULL: none
	atomic_bool cancelled;                                        // no element is to be begun any more
	uint32_t begun;                                               // by the calling thread
	bool ( *progress )( void *user, size_t begun, size_t count ); // of dbvh_batch_options, NULL: nobody is told
	void *user;
	size_t count;            // elements of the batch
	atomic_size_t all_begun; // where somebody is told
} dbvhi_batch;

// Workspaces for that many pairs on all threads. `options` and `budget` may be NULL. Whatever it returns, finish() is
// to be called.
dbvh_status dbvhi_batch_start( dbvhi_batch *batch, const dbvh_batch_options *options, size_t count, const dbvh_tree *a,
                               const dbvh_tree *b, size_t pair_capacity, const dbvh_budget *budget );
void dbvhi_batch_finish( dbvhi_batch *batch );

// Runs task( context, i, thread ) for every element; a thread is handed at most `most` at a time.
void dbvhi_batch_run( dbvhi_batch *batch, size_t count, size_t most, dbvhi_task *task, void *context );

// The poses of a batch and where its results go, of which an empty one needs neither.
dbvh_status dbvhi_batch_check_poses( const dbvh_pose *poses_b, size_t pose_count, const void *results_out,
                                     dbvh_error *error );

// A single query's number of threads, which a batch has none of.
dbvh_status dbvhi_batch_check_threads( uint32_t thread_count, dbvh_error *error );

// Says what is wrong with the first pose that has no answer, and returns its status. `status` is that of pose 0; those
// of the others follow, `stride` bytes from one to the next.
dbvh_status dbvhi_batch_first_failure( const dbvh_pose *poses_b, size_t pose_count, const dbvh_status *status,
                                       size_t stride, dbvh_error *error );

// One element on its thread: its workspace, and its budget. Only the calling thread asks the caller whether all is to
// end; the others hear of it.
typedef struct dbvhi_batch_element {
	dbvhi_batch *batch;
	bool is_caller;
	dbvh_budget room;
	const dbvh_budget *budget; // NULL: none
	dbvh_workspace *workspace;
} dbvhi_batch_element;

// Returns false where the batch has been cancelled and the element has to be left out.
bool dbvhi_batch_element_start( dbvhi_batch_element *element, dbvhi_batch *batch, uint32_t thread );
