// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a workspace.

#pragma once

#include "bvh/packed/layout.h"
#include "dualbvh/collide.h"
#include "math/vec.h"
#include "query/distance/kernel.h"

// Two nodes that are close enough to be looked into, waiting on the stack. "a" is a node of the mesh that stays,
// "b" one of the mesh that is moved.
typedef struct dbvhi_node_pair {
	dbvhi_mat rot; // columns: b's box axes in a's box frame
	dbvhi_vec pos; // b's box centre there
	uint32_t a, b;
} dbvhi_node_pair;

// Pairs of nodes that wait to be handed to threads, a ring; and what came of each.
#define DBVHI_FRONT_ROOM 2048 // a power of two

typedef struct dbvhi_front_entry {
	int32_t a, b;
	int32_t lanes; // as on the stack of a packed traversal
	bool settled;  // only pairs of leaves: cannot be divided further
} dbvhi_front_entry;

typedef struct dbvhi_front_outcome {
	dbvh_counters counters;
	uint64_t key; // DBVH_FIND_ANY: the pair that was found
} dbvhi_front_outcome;

typedef struct dbvhi_front {
	dbvhi_front_entry entries[DBVHI_FRONT_ROOM];
	dbvhi_front_outcome outcomes[DBVHI_FRONT_ROOM];
} dbvhi_front;

struct dbvh_workspace {
	dbvh_allocator allocator;
	dbvhi_node_pair *stack;
	size_t stack_capacity;
	int32_t *packed_stack; // four arrays of packed_capacity, the last of floats
	size_t packed_capacity;
	size_t packed_cautious; // see DBVHI_PACKED_CAUTIOUS
	int32_t *leaf_queue;    // two arrays of DBVHI_LEAF_QUEUE, allocated with the first packed stack
	dbvhi_candidate *candidates;
	dbvhi_box_queue *box_queue;
	dbvhi_near_candidate *near_candidates;
	uint32_t *behind; // of a distance with many ties, see nearest.h
	size_t behind_capacity;
	uint64_t *keys; // pairs found, a << 32 | b
	size_t key_capacity;
	// Between two pieces of a query that is split over threads: what this thread has found so far.
	size_t key_count;
	uint64_t lowest_key;
	dbvh_workspace **helpers; // of the threads beside the calling one, helper_capacity of them, NULL from some point on
	size_t helper_capacity;
	dbvhi_front *front;
	struct dbvhi_relation_memory *relation; // of dbvh_relate(), from its first call on
	struct dbvhi_sweep_entry *sweep;        // the stack of dbvh_time_of_impact(), likewise
	size_t sweep_capacity;
	int32_t *sweep_packed; // of the packed form: three arrays and one of floats, and three of pairs that wait
	size_t sweep_packed_capacity;
};

// Where a call was given no workspace, one that is made for it with the memory of its tree, the first if there are two:
// *own_out, for the call to destroy in the end. NULL otherwise, and where there is no memory.
dbvh_status dbvhi_workspace_borrow( dbvh_workspace **workspace, const dbvh_tree *tree, dbvh_workspace **own_out );

// Room for a traversal of these two trees and for `pair_capacity` pairs.
dbvh_status dbvhi_workspace_require( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                     size_t pair_capacity );

// The same for the workspaces of the other threads.
dbvh_status dbvhi_workspace_require_helpers( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                             size_t pair_capacity, uint32_t thread_count );

// The same, and what else it takes to split one query.
dbvh_status dbvhi_workspace_require_split( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                           size_t pair_capacity, uint32_t thread_count );

// Room for what a distance with many ties keeps of each triangle.
dbvh_status dbvhi_workspace_require_ties( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );

// Room for a sweep of these two trees.
dbvh_status dbvhi_workspace_require_sweep( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );

// The workspace of one thread of a loop, 0 being the calling one.
static inline dbvh_workspace *dbvhi_workspace_of( dbvh_workspace *workspace, uint32_t thread ) {
	return thread == 0 ? workspace : workspace->helpers[thread - 1];
}
