// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/common/seen_pairs.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

#define LEAST_SLOTS 1024

// The slot of a key, or the free one where it would go.
static size_t slot_of( const dbvhi_seen_pairs *n, uint64_t key ) {
	DBVHI_ASSERT( n->slots > 0 && n->count < n->slots );
	size_t slot = (size_t)dbvhi_hash_mix( key ) & ( n->slots - 1 );
	while ( n->table[slot] != 0 && n->pairs[n->table[slot] - 1].key != key )
		slot = ( slot + 1 ) & ( n->slots - 1 );
	return slot;
}

// Hash the notes into so many slots. Few notes use few slots, so that these stay in the nearest cache.
static void spread( dbvhi_seen_pairs *n, size_t slots ) {
	DBVHI_ASSERT( slots <= n->slot_capacity );
	n->slots = slots;
	memset( n->table, 0, slots * sizeof *n->table );
	for ( size_t i = 0; i < n->count; ++i )
		n->table[slot_of( n, n->pairs[i].key )] = (uint32_t)i + 1;
}

bool dbvhi_seen_pairs_reserve( dbvhi_seen_pairs *n, const dbvh_allocator *allocator, size_t count ) {
	void *pairs = n->pairs, *table = n->table;
	bool grown = dbvhi_grow( allocator, &pairs, &n->capacity, count, sizeof *n->pairs );
	n->pairs = pairs;
	size_t slots = LEAST_SLOTS;
	while ( slots / 2 < count && slots <= SIZE_MAX / 4 )
		slots *= 2;
	grown = grown && dbvhi_grow( allocator, &table, &n->slot_capacity, slots, sizeof *n->table );
	n->table = table;
	if ( grown && n->slots == 0 )
		spread( n, LEAST_SLOTS );
	return grown;
}

void dbvhi_seen_pairs_clear( dbvhi_seen_pairs *n ) {
	const bool used = n->count > 0;
	n->count = 0;
	n->failed = false;
	if ( used )
		spread( n, LEAST_SLOTS );
}

void dbvhi_seen_pairs_free( dbvhi_seen_pairs *n, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, n->pairs, n->capacity, sizeof *n->pairs );
	dbvhi_free( allocator, n->table, n->slot_capacity, sizeof *n->table );
	*n = ( dbvhi_seen_pairs ){ .pairs = NULL };
}

bool dbvhi_seen_pairs_has( const dbvhi_seen_pairs *n, uint64_t key ) {
	return n->count > 0 && n->table[slot_of( n, key )] != 0;
}

bool dbvhi_seen_pairs_add( dbvhi_seen_pairs *n, const dbvh_allocator *allocator, dbvhi_seen_pair note ) {
	if ( dbvhi_seen_pairs_has( n, note.key ) )
		return false;
	if ( n->count == n->capacity || 2 * n->count >= n->slots ) {
		if ( n->count >= UINT32_MAX / 2 || !dbvhi_seen_pairs_reserve( n, allocator, n->count + 1 ) ) {
			n->failed = true;
			return false;
		}
		if ( 2 * n->count >= n->slots )
			spread( n, 2 * n->slots );
	}
	const size_t slot = slot_of( n, note.key );
	n->pairs[n->count++] = note;
	n->table[slot] = (uint32_t)n->count;
	return true;
}

bool dbvhi_seen_pairs_recall( dbvhi_seen_pairs *n, uint64_t key ) {
	if ( n->capacity == 0 || n->slots == 0 )
		return false;
	if ( n->table[slot_of( n, key )] != 0 )
		return true;
	if ( n->count == n->capacity || 4 * n->count >= n->slot_capacity )
		dbvhi_seen_pairs_clear( n );
	else if ( 2 * n->count >= n->slots )
		spread( n, 2 * n->slots );
	n->pairs[n->count] = ( dbvhi_seen_pair ){ .key = key };
	const size_t slot = slot_of( n, key );
	n->count += 1;
	n->table[slot] = (uint32_t)n->count;
	return false;
}
