// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/workspace.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"
#include "base/status.h"
#include "bvh/any_node.h"

#include <string.h>

dbvh_status dbvh_workspace_create( const dbvh_allocator *allocator, dbvh_workspace **workspace_out,
                                   dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( workspace_out, sizeof *workspace_out, "workspace_out", error ) );
	dbvh_allocator a;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &a, error ) );
	dbvh_workspace *workspace = dbvhi_alloc( &a, 1, sizeof *workspace );
	*workspace_out = workspace;
	if ( workspace == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( workspace, 0, sizeof *workspace );
	workspace->allocator = a;
	return DBVH_OK;
}

dbvh_status dbvhi_workspace_borrow( dbvh_workspace **workspace, const dbvh_tree *tree, dbvh_workspace **own_out ) {
	DBVHI_ASSERT( tree != NULL );
	*own_out = NULL;
	if ( *workspace != NULL )
		return DBVH_OK;
	const dbvh_status status = dbvh_workspace_create( &tree->allocator, own_out, NULL );
	*workspace = *own_out;
	return status;
}

static void *scratch_alloc( void *user, size_t bytes, size_t alignment ) {
	dbvhi_scratch *scratch = user;
	DBVHI_ASSERT( alignment == DBVHI_ALIGNMENT && scratch->used % DBVHI_ALIGNMENT == 0 );
	if ( bytes > sizeof scratch->bytes - scratch->used )
		return scratch->beyond.alloc( scratch->beyond.user, bytes, alignment );
	void *memory = scratch->bytes + scratch->used;
	scratch->used += ( bytes + DBVHI_ALIGNMENT - 1 ) / DBVHI_ALIGNMENT * DBVHI_ALIGNMENT;
	return memory;
}

// note: scratch memory is given back by the return of the function that has it.
static void scratch_free( void *user, void *memory, size_t bytes ) {
	const dbvhi_scratch *scratch = user;
	const uintptr_t at = (uintptr_t)memory, begin = (uintptr_t)scratch->bytes;
	if ( at < begin || at >= begin + sizeof scratch->bytes )
		scratch->beyond.free( scratch->beyond.user, memory, bytes );
}

dbvh_workspace *dbvhi_workspace_begin( dbvhi_scratch *scratch, const dbvh_tree *tree ) {
	_Static_assert( sizeof scratch->bytes % DBVHI_ALIGNMENT == 0, "the end is a multiple, too" );
	_Static_assert( sizeof( dbvh_workspace ) < sizeof scratch->bytes, "it is the first block" );
	scratch->used = 0;
	scratch->beyond = tree->allocator;
	const dbvh_allocator allocator = { .alloc = scratch_alloc, .free = scratch_free, .user = scratch };
	dbvh_workspace *workspace = scratch_alloc( scratch, sizeof *workspace, DBVHI_ALIGNMENT );
	memset( workspace, 0, sizeof *workspace );
	workspace->allocator = allocator;
	return workspace;
}

void dbvh_workspace_destroy( dbvh_workspace *workspace ) {
	if ( workspace == NULL )
		return;
	const dbvh_allocator allocator = workspace->allocator;
	// note: a helper has no helpers, so this recurses once.
	for ( size_t i = 0; i < workspace->helper_capacity; ++i )
		dbvh_workspace_destroy( workspace->helpers[i] );
	dbvhi_free( &allocator, workspace->helpers, workspace->helper_capacity, sizeof( dbvh_workspace * ) );
	for ( size_t i = 0; i < DBVHI_SLOT_COUNT && workspace->slots[i].kind != NULL; ++i ) {
		const dbvhi_slot *slot = &workspace->slots[i];
		if ( slot->kind->release != NULL )
			slot->kind->release( slot->memory, &allocator );
		dbvhi_free( &allocator, slot->memory, 1, slot->kind->size );
	}
	dbvhi_free( &allocator, workspace->stack, workspace->stack_capacity, sizeof( dbvhi_node_pair ) );
	dbvhi_free( &allocator, workspace->packed_stack, 5 * workspace->packed_capacity, sizeof( int32_t ) );
	dbvhi_free( &allocator, workspace->leaf_queue, 2 * DBVHI_LEAF_QUEUE, sizeof( int32_t ) );
	dbvhi_free( &allocator, workspace->candidates, DBVHI_CANDIDATES, sizeof( dbvhi_candidate ) );
	dbvhi_free( &allocator, workspace->box_queue, 1, sizeof( dbvhi_box_queue ) );
	dbvhi_free( &allocator, workspace->keys, workspace->key_capacity, sizeof( uint64_t ) );
	dbvhi_seen_pairs_free( &workspace->seen, &allocator );
	dbvhi_free( &allocator, workspace, 1, sizeof *workspace );
}

DBVHI_INLINE bool has_packed( const dbvh_workspace *w, const dbvhi_tree_sizes *a, const dbvhi_tree_sizes *b ) {
	if ( !a->is_packed || !b->is_packed )
		return true;
	return w->leaf_queue != NULL && w->candidates != NULL && w->box_queue != NULL && w->packed_stack != NULL &&
	       DBVHI_PACKED_STACK( (size_t)a->packed_depth, b->packed_depth ) <= w->packed_capacity;
}

static bool require_packed( dbvh_workspace *w, const dbvhi_tree_sizes *a, const dbvhi_tree_sizes *b ) {
	if ( has_packed( w, a, b ) )
		return true;
	if ( w->leaf_queue == NULL )
		w->leaf_queue = dbvhi_alloc( &w->allocator, 2 * DBVHI_LEAF_QUEUE, sizeof( int32_t ) );
	if ( w->candidates == NULL )
		w->candidates = dbvhi_alloc( &w->allocator, DBVHI_CANDIDATES, sizeof( dbvhi_candidate ) );
	if ( w->box_queue == NULL )
		w->box_queue = dbvhi_alloc( &w->allocator, 1, sizeof( dbvhi_box_queue ) );
	const size_t needed = DBVHI_PACKED_STACK( (size_t)a->packed_depth, b->packed_depth );
	if ( needed > w->packed_capacity ) {
		dbvhi_free( &w->allocator, w->packed_stack, 5 * w->packed_capacity, sizeof( int32_t ) );
		w->packed_stack = dbvhi_alloc( &w->allocator, 5 * needed, sizeof( int32_t ) );
		w->packed_capacity = w->packed_stack != NULL ? needed : 0;
		w->packed_cautious = DBVHI_PACKED_CAUTIOUS( (size_t)a->packed_depth, b->packed_depth );
	}
	return has_packed( w, a, b );
}

// Least number of pairs that a search for the nearest remembers, of those that fragments may find again.
#define LEAST_NOTED 2048

// note: depth first, each step down one of the trees replaces one entry by its children.
DBVHI_INLINE bool has_room( const dbvh_workspace *w, const dbvhi_tree_sizes *a, const dbvhi_tree_sizes *b,
                            size_t pair_capacity ) {
	return a->room + b->room < w->stack_capacity && pair_capacity <= w->key_capacity && has_packed( w, a, b );
}

static __attribute__( ( noinline ) ) dbvh_status make_room( dbvh_workspace *workspace, const dbvh_tree *a,
                                                            const dbvh_tree *b, size_t pair_capacity ) {
	const dbvhi_tree_sizes of_a = dbvhi_tree_sizes_of( a ), of_b = dbvhi_tree_sizes_of( b );
	return dbvhi_workspace_require_sizes( workspace, &of_a, &of_b, pair_capacity );
}

// note: every query comes here, and most find room: their sizes stay in registers.
dbvh_status dbvhi_workspace_require( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                     size_t pair_capacity ) {
	DBVHI_ASSERT( a != NULL && b != NULL );
	const dbvhi_tree_sizes of_a = dbvhi_tree_sizes_of( a ), of_b = dbvhi_tree_sizes_of( b );
	if ( !of_a.has_fragments && !of_b.has_fragments && has_room( workspace, &of_a, &of_b, pair_capacity ) )
		return DBVH_OK;
	return make_room( workspace, a, b, pair_capacity );
}

dbvh_status dbvhi_workspace_require_sizes( dbvh_workspace *workspace, const dbvhi_tree_sizes *a,
                                           const dbvhi_tree_sizes *b, size_t pair_capacity ) {
	const size_t entries = a->room + b->room + 1;
	if ( ( a->has_fragments || b->has_fragments ) &&
	     !dbvhi_seen_pairs_reserve( &workspace->seen, &workspace->allocator,
	                                pair_capacity > LEAST_NOTED ? pair_capacity : LEAST_NOTED ) )
		return DBVH_OUT_OF_MEMORY;
	if ( has_room( workspace, a, b, pair_capacity ) )
		return DBVH_OK;
	void *stack = workspace->stack, *keys = workspace->keys;
	const bool grown =
	    dbvhi_grow( &workspace->allocator, &stack, &workspace->stack_capacity, entries, sizeof( dbvhi_node_pair ) ) &&
	    dbvhi_grow( &workspace->allocator, &keys, &workspace->key_capacity, pair_capacity, sizeof( uint64_t ) );
	workspace->stack = stack;
	workspace->keys = keys;
	return grown && require_packed( workspace, a, b ) ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

dbvh_status dbvhi_workspace_require_helpers( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                             size_t pair_capacity, uint32_t thread_count ) {
	const dbvhi_tree_sizes of_a = dbvhi_tree_sizes_of( a ), of_b = dbvhi_tree_sizes_of( b );
	return dbvhi_workspace_require_helpers_sizes( workspace, &of_a, &of_b, pair_capacity, thread_count );
}

dbvh_status dbvhi_workspace_require_helpers_sizes( dbvh_workspace *workspace, const dbvhi_tree_sizes *a,
                                                   const dbvhi_tree_sizes *b, size_t pair_capacity,
                                                   uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count >= 1 );
	const size_t before = workspace->helper_capacity;
	void *helpers = workspace->helpers;
	if ( !dbvhi_grow( &workspace->allocator, &helpers, &workspace->helper_capacity, thread_count - 1,
	                  sizeof( dbvh_workspace * ) ) )
		return DBVH_OUT_OF_MEMORY;
	workspace->helpers = helpers;
	for ( size_t i = before; i < workspace->helper_capacity; ++i )
		workspace->helpers[i] = NULL;
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i + 1 < thread_count && status == DBVH_OK; ++i ) {
		if ( workspace->helpers[i] == NULL )
			status = dbvh_workspace_create( &workspace->allocator, &workspace->helpers[i], NULL );
		if ( status == DBVH_OK )
			status = dbvhi_workspace_require_sizes( workspace->helpers[i], a, b, pair_capacity );
	}
	return status;
}

void *dbvhi_workspace_slot( dbvh_workspace *workspace, const dbvhi_slot_kind *kind ) {
	DBVHI_ASSERT( kind->size > 0 );
	dbvhi_slot *slot = workspace->slots;
	while ( slot->kind != NULL && slot->kind != kind )
		slot += 1;
	if ( slot->kind == kind )
		return slot->memory;
	DBVHI_ASSERT( slot < workspace->slots + DBVHI_SLOT_COUNT );
	slot->memory = dbvhi_alloc( &workspace->allocator, 1, kind->size );
	if ( slot->memory == NULL )
		return NULL;
	memset( slot->memory, 0, kind->size );
	slot->kind = kind;
	return slot->memory;
}
