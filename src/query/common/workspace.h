// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a workspace: the stacks and queues of a traversal, room for results, and slots for memory of single
// queries, of which it knows nothing.

#pragma once

#include "base/alloc.h"
#include "base/assert.h"
#include "bvh/any_node.h"
#include "dualbvh/collide.h"
#include "math/vec.h"
#include "query/common/packed_run.h"
#include "query/common/seen_pairs.h"

// Two nodes that wait on the stack of a traversal in doubles. "a" is a node of the mesh that stays, "b" one of the mesh
// that is moved.
typedef struct dbvhi_node_pair {
	dbvhi_mat rot; // columns: b's box axes in a's box frame
	dbvhi_vec pos; // b's box centre there
	uint32_t a, b;
} dbvhi_node_pair;

// Memory of one query: a structure of `size` bytes, all zero before its first use. `release` frees what it owns; the
// structure itself is freed with the workspace. A kind is known by its address.
typedef struct dbvhi_slot_kind {
	size_t size;
	void ( *release )( void *memory, const dbvh_allocator *allocator ); // NULL: it owns nothing
} dbvhi_slot_kind;

typedef struct dbvhi_slot {
	const dbvhi_slot_kind *kind; // NULL: unused, as all that follow
	void *memory;
} dbvhi_slot;

enum { DBVHI_SLOT_COUNT = 8 };

struct dbvh_workspace {
	dbvh_allocator allocator;
	dbvhi_node_pair *stack;
	size_t stack_capacity;
	int32_t *packed_stack; // five arrays of packed_capacity, the last two of floats
	size_t packed_capacity;
	size_t packed_cautious; // see DBVHI_PACKED_CAUTIOUS
	int32_t *leaf_queue;    // two arrays of DBVHI_LEAF_QUEUE, allocated with the first packed stack
	dbvhi_candidate *candidates;
	dbvhi_box_queue *box_queue;
	uint64_t *keys; // pairs found, a << 32 | b
	size_t key_capacity;
	dbvhi_seen_pairs seen; // pairs, triangles or hits that fragments may find again
	// Results of this thread between two pieces of a query that is split over threads.
	size_t key_count;
	uint64_t lowest_key;
	dbvh_workspace **helpers; // workspaces of the other threads; NULL from some index on
	size_t helper_capacity;
	dbvhi_slot slots[DBVHI_SLOT_COUNT];
};

// Create a workspace for a call that was given none, with the memory of its tree (the first one of two): *own_out,
// which the call destroys in the end. *own_out is NULL otherwise, and if there is no memory.
dbvh_status dbvhi_workspace_borrow( dbvh_workspace **workspace, const dbvh_tree *tree, dbvh_workspace **own_out );

// Memory on the stack of a call that was given no workspace: enough for two trees of some hundred triangles. What
// does not fit comes from the allocator of the tree. For one thread.
typedef struct dbvhi_scratch {
	_Alignas( DBVHI_ALIGNMENT ) unsigned char bytes[24 << 10];
	size_t used;
	dbvh_allocator beyond;
} dbvhi_scratch;

// Create a workspace in the scratch memory, which must not move while it is used; dbvh_workspace_destroy() ends it.
dbvh_workspace *dbvhi_workspace_begin( dbvhi_scratch *scratch, const dbvh_tree *tree );

// Make room for a traversal of two trees and for that many pairs.
dbvh_status dbvhi_workspace_require( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                     size_t pair_capacity );

// Make the same room in the workspaces of the other threads.
dbvh_status dbvhi_workspace_require_helpers( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                             size_t pair_capacity, uint32_t thread_count );

// The same for any two trees of such sizes.
dbvh_status dbvhi_workspace_require_sizes( dbvh_workspace *workspace, const dbvhi_tree_sizes *a,
                                           const dbvhi_tree_sizes *b, size_t pair_capacity );
dbvh_status dbvhi_workspace_require_helpers_sizes( dbvh_workspace *workspace, const dbvhi_tree_sizes *a,
                                                   const dbvhi_tree_sizes *b, size_t pair_capacity,
                                                   uint32_t thread_count );

// The workspace's memory of that kind; NULL if it cannot be allocated.
void *dbvhi_workspace_slot( dbvh_workspace *workspace, const dbvhi_slot_kind *kind );

// The workspace of one thread of a loop, 0 being the calling one.
static inline dbvh_workspace *dbvhi_workspace_of( dbvh_workspace *workspace, uint32_t thread ) {
	DBVHI_ASSERT( thread == 0 ||
	              ( thread - 1 < workspace->helper_capacity && workspace->helpers[thread - 1] != NULL ) );
	return thread == 0 ? workspace : workspace->helpers[thread - 1];
}
