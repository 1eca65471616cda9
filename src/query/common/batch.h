// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The frame of all batches over trees: check the lists, take threads and a workspace for each, keep the account of the
// budget, hand the elements out, and report the first failure. Elements do not depend on each other, so each is done
// whole by one thread.

#pragma once

#include "query/common/account.h"
#include "query/common/workspace.h"

typedef struct dbvhi_batch dbvhi_batch;

// Most elements that are done in one go, where a query can do that; half as many where there are not enough to keep
// many threads busy.
#define DBVHI_BATCH_BLOCK 32

// Elements of a block that are answered, and the work that each has taken.
typedef struct dbvhi_block {
	bool is_answered[DBVHI_BATCH_BLOCK];
	uint64_t work[DBVHI_BATCH_BLOCK];
} dbvhi_block;

// One call of a batch. Members that a query has no use for are 0.
struct dbvhi_batch {
	const dbvh_tree *a, *b;  // workspaces have room for this pair
	const dbvh_pose *pose_a; // NULL: identity
	const void *query;       // of the call, or whatever else ask() and blame() need
	const dbvh_budget *budget;
	// The elements: an array of `count`, which is called `name` in errors ("poses_b").
	const void *list;
	const char *name;
	size_t count, most; // `most`: elements that a thread is handed at a time
	// The results: an array of `count` with that many bytes each, whose status is `status_at` bytes from their begin.
	void *results;
	size_t result_size, status_at;
	const void *unreached; // the result of an element that is not reached, but for its status; NULL: zero
	// The list of pairs or hits that elements share: element i has what is from parts[i] to parts[i + 1]. NULL: none.
	const size_t *parts;
	size_t room;    // the largest part
	bool allocates; // a query allocates as it goes
	// Make room in a workspace beyond what all queries need; may be NULL.
	dbvh_status ( *require )( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );
	// Do element i within the budget (NULL: no limit). `result` is all zero; its status is set by the frame.
	dbvh_status ( *ask )( const dbvhi_batch *batch, size_t i, const dbvh_budget *budget, dbvh_workspace *workspace,
	                      void *result );
	// Answer those of `count` elements from `first` on that it can together; ask() does the others. `block` is all
	// zero, and so are the results. NULL: each element is done alone.
	void ( *ask_block )( const dbvhi_batch *batch, size_t first, size_t count, dbvh_workspace *workspace,
	                     dbvhi_block *block );
	// Say what is wrong with element i. NULL: the elements are poses.
	void ( *blame )( const dbvhi_batch *batch, size_t i, dbvh_status status, dbvh_error *error );
};

// Clear the error and the results, before anything else is checked. `results` may be NULL.
void dbvhi_batch_clear( void *results, size_t count, size_t result_size, dbvh_error *error );

// Refuse a single query's number of threads, which a batch does not have.
dbvh_status dbvhi_batch_check_threads( uint32_t thread_count, dbvh_error *error );

// Set the parts of the list query.NAMEs from query.NAME_begin.
dbvh_status dbvhi_batch_divide( dbvhi_batch *batch, const size_t *begin, size_t capacity, const char *name,
                                dbvh_error *error );

// Check the lists and pose a, and do every element. Returns the status of the first element that is not OK; a lack of
// memory leaves no results.
dbvh_status dbvhi_batch_run( const dbvhi_batch *batch, const dbvh_batch_options *options, dbvh_error *error );
