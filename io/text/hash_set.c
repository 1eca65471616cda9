// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/hash_set.h"

#include <stdlib.h>

void scene_hash_set_free( scene_hash_set *set ) {
	free( set->slots );
	*set = ( scene_hash_set ){ 0 };
}

// The slot of a hash, or the empty one where it belongs. A hash of 0 is that of 1: nobody can tell them apart.
static size_t slot_of( const scene_hash_set *set, uint64_t hash ) {
	size_t at = (size_t)hash & ( set->slot_count - 1 );
	while ( set->slots[at] != 0 && set->slots[at] != hash )
		at = ( at + 1 ) & ( set->slot_count - 1 );
	return at;
}

bool scene_hash_set_has( const scene_hash_set *set, uint64_t hash ) {
	hash += hash == 0;
	return set->count > 0 && set->slots[slot_of( set, hash )] == hash;
}

static bool grow( scene_hash_set *set ) {
	const size_t count = set->slot_count > 0 ? 2 * set->slot_count : 16;
	scene_hash_set larger = { calloc( count, sizeof *larger.slots ), count, set->count };
	if ( larger.slots == NULL )
		return false;
	for ( size_t i = 0; i < set->slot_count; ++i )
		if ( set->slots[i] != 0 )
			larger.slots[slot_of( &larger, set->slots[i] )] = set->slots[i];
	free( set->slots );
	*set = larger;
	return true;
}

bool scene_hash_set_add( scene_hash_set *set, uint64_t hash ) {
	hash += hash == 0;
	if ( scene_hash_set_has( set, hash ) )
		return true;
	if ( 2 * set->count >= set->slot_count && !grow( set ) )
		return false;
	set->slots[slot_of( set, hash )] = hash;
	++set->count;
	return true;
}
