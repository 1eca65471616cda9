// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/noted.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

#define LEAST_SLOTS 64

// Where a key is, or where it would go.
static size_t slot_of( const dbvhi_noted *n, uint64_t key ) {
	DBVHI_ASSERT( n->slots > 0 && n->count < n->slots );
	size_t slot = (size_t)dbvhi_hash_mix( key ) & ( n->slots - 1 );
	while ( n->table[slot] != 0 && n->notes[n->table[slot] - 1].key != key )
		slot = ( slot + 1 ) & ( n->slots - 1 );
	return slot;
}

bool dbvhi_noted_reserve( dbvhi_noted *n, const dbvh_allocator *allocator, size_t count ) {
	void *notes = n->notes;
	const bool grown = dbvhi_grow( allocator, &notes, &n->capacity, count, sizeof *n->notes );
	n->notes = notes;
	if ( !grown )
		return false;
	if ( n->slots >= 2 * n->capacity )
		return true;
	size_t slots = LEAST_SLOTS;
	while ( slots < 2 * n->capacity )
		slots *= 2;
	uint32_t *table = dbvhi_alloc( allocator, slots, sizeof *table );
	if ( table == NULL )
		return false;
	memset( table, 0, slots * sizeof *table );
	dbvhi_free( allocator, n->table, n->slots, sizeof *n->table );
	n->table = table;
	n->slots = slots;
	for ( size_t i = 0; i < n->count; ++i )
		n->table[slot_of( n, n->notes[i].key )] = (uint32_t)i + 1;
	return true;
}

// Takes time for what is in it, not for what it has room for.
void dbvhi_noted_clear( dbvhi_noted *n ) {
	if ( n->slots < 16 * n->count ) {
		memset( n->table, 0, n->slots * sizeof *n->table );
	} else {
		// The last first: then what it was pushed on by is still there.
		for ( size_t i = n->count; i-- > 0; )
			n->table[slot_of( n, n->notes[i].key )] = 0;
	}
	n->count = 0;
	n->failed = false;
}

void dbvhi_noted_free( dbvhi_noted *n, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, n->notes, n->capacity, sizeof *n->notes );
	dbvhi_free( allocator, n->table, n->slots, sizeof *n->table );
	*n = ( dbvhi_noted ){ .notes = NULL };
}

bool dbvhi_noted_add( dbvhi_noted *n, const dbvh_allocator *allocator, dbvhi_note note ) {
	if ( 2 * n->count >= n->slots || n->count >= n->capacity ) {
		// One that is there needs no room.
		if ( n->count > 0 && n->table[slot_of( n, note.key )] != 0 )
			return false;
		if ( n->count >= UINT32_MAX - 1 || !dbvhi_noted_reserve( n, allocator, n->count + 1 ) ) {
			n->failed = true;
			return false;
		}
	}
	const size_t slot = slot_of( n, note.key );
	if ( n->table[slot] != 0 )
		return false;
	n->notes[n->count++] = note;
	n->table[slot] = (uint32_t)n->count;
	return true;
}
