// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/weld.h"

#include "base/alloc.h"

// An empty table with room for `count` points.
static bool make_table( dbvhi_welder *welder, const dbvh_allocator *allocator, size_t count ) {
	size_t capacity = 16;
	while ( capacity / 3 * 2 < count )
		capacity *= 2;
	welder->slots = dbvhi_alloc( allocator, capacity, sizeof *welder->slots );
	if ( welder->slots == NULL )
		return false;
	welder->capacity = capacity;
	memset( welder->slots, 0xff, capacity * sizeof *welder->slots );
	// The place of the table is different from run to run, so that no file can be made to collide. It decides in which
	// slots the points lie, and nothing that is returned.
	welder->seed = dbvhi_hash_mix( DBVHI_HASH_SEED + (uint64_t)(uintptr_t)welder->slots );
	return true;
}

bool dbvhi_welder_reserve( dbvhi_welder *welder, size_t count, const dbvh_allocator *allocator ) {
	DBVHI_ASSERT( welder->capacity == 0 );
	return make_table( welder, allocator, count );
}

void dbvhi_welder_free( dbvhi_welder *welder, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, welder->slots, welder->capacity, sizeof *welder->slots );
	*welder = ( dbvhi_welder ){ .slots = NULL };
}

bool dbvhi_welder_grow( dbvhi_welder *welder, const dbvh_mesh_view *view, const dbvh_allocator *allocator ) {
	// The vertices say all that the old table does.
	dbvhi_welder_free( welder, allocator );
	if ( !make_table( welder, allocator, view->vertex_count + 1 ) )
		return false;
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		double p[3];
		dbvhi_view_vertex( view, i, p );
		size_t slot = dbvhi_welder_slot( welder, p );
		while ( welder->slots[slot] != DBVHI_WELDER_NONE )
			slot = ( slot + 1 ) & ( welder->capacity - 1 );
		welder->slots[slot] = (uint32_t)i;
	}
	return true;
}

size_t dbvhi_weld( const dbvh_mesh_view *view, const dbvh_allocator *allocator, uint32_t *first_out ) {
	dbvhi_welder welder;
	if ( !make_table( &welder, allocator, view->vertex_count ) )
		return 0;
	size_t distinct = 0;
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		double p[3];
		dbvhi_view_vertex( view, i, p );
		first_out[i] = dbvhi_welder_find( &welder, view, p, (uint32_t)i );
		distinct += first_out[i] == i;
	}
	dbvhi_welder_free( &welder, allocator );
	return distinct;
}
