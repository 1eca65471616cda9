// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a workspace.

#pragma once

#include "dualbvh/query.h"
#include "math/vec.h"
#include "simd/packed.h"

// Two nodes that are close enough to be looked into, waiting on the stack. "a" is a node of the mesh that stays,
// "b" one of the mesh that is moved.
typedef struct dbvhi_node_pair {
	dbvhi_mat rot; // columns: b's box axes in a's box frame
	dbvhi_vec pos; // b's box centre there
	uint32_t a, b;
} dbvhi_node_pair;

struct dbvh_workspace {
	dbvh_allocator allocator;
	dbvhi_node_pair *stack;
	size_t stack_capacity;
	int32_t *packed_stack; // three arrays of packed_capacity
	size_t packed_capacity;
	int32_t *leaf_queue; // two arrays of DBVHI_LEAF_QUEUE, allocated with the first packed stack
	dbvhi_candidate *candidates;
	uint64_t *keys; // pairs found, a << 32 | b
	size_t key_capacity;
};

// Room for a traversal of these two trees and for `pair_capacity` pairs.
dbvh_status dbvhi_workspace_require( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
									 size_t pair_capacity );
