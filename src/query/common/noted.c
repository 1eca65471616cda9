// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/noted.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

#define LEAST_SLOTS 1024

// The slot of a key, or the free one where it would go.
static size_t slot_of( const dbvhi_noted *n, uint64_t key ) {
	DBVHI_ASSERT( n->slots > 0 && n->count < n->slots );
	size_t slot = (size_t)dbvhi_hash_mix( key ) & ( n->slots - 1 );
	while ( n->table[slot] != 0 && n->notes[n->table[slot] - 1].key != key )
		slot = ( slot + 1 ) & ( n->slots - 1 );
	return slot;
}

// Hash the notes into so many slots. Few notes use few slots, so that these stay in the nearest cache.
static void spread( dbvhi_noted *n, size_t slots ) {
	DBVHI_ASSERT( slots <= n->slot_capacity );
	n->slots = slots;
	memset( n->table, 0, slots * sizeof *n->table );
	for ( size_t i = 0; i < n->count; ++i )
		n->table[slot_of( n, n->notes[i].key )] = (uint32_t)i + 1;
}

bool dbvhi_noted_reserve( dbvhi_noted *n, const dbvh_allocator *allocator, size_t count ) {
	void *notes = n->notes, *table = n->table;
	bool grown = dbvhi_grow( allocator, &notes, &n->capacity, count, sizeof *n->notes );
	n->notes = notes;
	size_t slots = LEAST_SLOTS;
	while ( slots / 2 < count && slots <= SIZE_MAX / 4 )
		slots *= 2;
	grown = grown && dbvhi_grow( allocator, &table, &n->slot_capacity, slots, sizeof *n->table );
	n->table = table;
	if ( grown && n->slots == 0 )
		spread( n, LEAST_SLOTS );
	return grown;
}

void dbvhi_noted_clear( dbvhi_noted *n ) {
	const bool used = n->count > 0;
	n->count = 0;
	n->failed = false;
	if ( used )
		spread( n, LEAST_SLOTS );
}

void dbvhi_noted_free( dbvhi_noted *n, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, n->notes, n->capacity, sizeof *n->notes );
	dbvhi_free( allocator, n->table, n->slot_capacity, sizeof *n->table );
	*n = ( dbvhi_noted ){ .notes = NULL };
}

bool dbvhi_noted_has( const dbvhi_noted *n, uint64_t key ) {
	return n->count > 0 && n->table[slot_of( n, key )] != 0;
}

bool dbvhi_noted_add( dbvhi_noted *n, const dbvh_allocator *allocator, dbvhi_note note ) {
	if ( dbvhi_noted_has( n, note.key ) )
		return false;
	if ( n->count == n->capacity || 2 * n->count >= n->slots ) {
		if ( n->count >= UINT32_MAX / 2 || !dbvhi_noted_reserve( n, allocator, n->count + 1 ) ) {
			n->failed = true;
			return false;
		}
		if ( 2 * n->count >= n->slots )
			spread( n, 2 * n->slots );
	}
	const size_t slot = slot_of( n, note.key );
	n->notes[n->count++] = note;
	n->table[slot] = (uint32_t)n->count;
	return true;
}

bool dbvhi_noted_recall( dbvhi_noted *n, uint64_t key ) {
	if ( n->capacity == 0 || n->slots == 0 )
		return false;
	if ( n->table[slot_of( n, key )] != 0 )
		return true;
	if ( n->count == n->capacity || 4 * n->count >= n->slot_capacity )
		dbvhi_noted_clear( n );
	else if ( 2 * n->count >= n->slots )
		spread( n, 2 * n->slots );
	n->notes[n->count] = ( dbvhi_note ){ .key = key };
	const size_t slot = slot_of( n, key );
	n->count += 1;
	n->table[slot] = (uint32_t)n->count;
	return false;
}
