// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/workspace.h"

#include "base/alloc.h"
#include "tree/tree.h"

#include <string.h>

dbvh_status dbvh_workspace_create( const dbvh_allocator *allocator, dbvh_workspace **workspace_out ) {
	if ( workspace_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	const dbvh_allocator a = dbvhi_allocator_or_default( allocator );
	dbvh_workspace *workspace = dbvhi_alloc( &a, 1, sizeof *workspace );
	*workspace_out = workspace;
	if ( workspace == NULL )
		return DBVH_OUT_OF_MEMORY;
	memset( workspace, 0, sizeof *workspace );
	workspace->allocator = a;
	return DBVH_OK;
}

void dbvh_workspace_destroy( dbvh_workspace *workspace ) {
	if ( workspace == NULL )
		return;
	const dbvh_allocator allocator = workspace->allocator;
	dbvhi_free( &allocator, workspace->stack, workspace->stack_capacity, sizeof( dbvhi_node_pair ) );
	dbvhi_free( &allocator, workspace->keys, workspace->key_capacity, sizeof( uint64_t ) );
	dbvhi_free( &allocator, workspace, 1, sizeof *workspace );
}

dbvh_status dbvhi_workspace_require( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
									 size_t pair_capacity ) {
	// Depth first, each step down one of the trees replaces one entry by at most two.
	const size_t entries = (size_t)a->depth + b->depth + 1;
	void *stack = workspace->stack, *keys = workspace->keys;
	const bool grown = dbvhi_grow( &workspace->allocator, &stack, &workspace->stack_capacity, entries,
								   sizeof( dbvhi_node_pair ) ) &&
					   dbvhi_grow( &workspace->allocator, &keys, &workspace->key_capacity, pair_capacity,
								   sizeof( uint64_t ) );
	workspace->stack = stack;
	workspace->keys = keys;
	return grown ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

dbvh_status dbvh_workspace_reserve( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
									size_t pair_capacity ) {
	if ( workspace == NULL || a == NULL || b == NULL )
		return DBVH_INVALID_ARGUMENT;
	return dbvhi_workspace_require( workspace, a, b, pair_capacity );
}
