// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/names.h"

#include <stdlib.h>
#include <string.h>

// FNV-1a, and its high bits brought down to where the slot is taken from.
static size_t hash( const char *text ) {
	uint64_t h = UINT64_C( 0xcbf29ce484222325 );
	for ( ; *text != '\0'; ++text )
		h = ( h ^ (unsigned char)*text ) * UINT64_C( 0x100000001b3 );
	return (size_t)( h ^ h >> 29 );
}

// The slot of a name: the one that holds it, or the free one where it belongs. The table is never full.
static scene_name *slot_of( const scene_names *names, const char *text ) {
	size_t at = hash( text ) & ( names->slot_count - 1 );
	while ( names->slots[at].text != NULL && strcmp( names->slots[at].text, text ) != 0 )
		at = ( at + 1 ) & ( names->slot_count - 1 );
	return &names->slots[at];
}

void scene_names_free( scene_names *names ) {
	free( names->slots );
	*names = ( scene_names ){ 0 };
}

uint32_t scene_names_find( const scene_names *names, const char *text ) {
	if ( names->count == 0 )
		return UINT32_MAX;
	const scene_name *slot = slot_of( names, text );
	return slot->text != NULL ? slot->number : UINT32_MAX;
}

static bool grow( scene_names *names ) {
	const scene_names old = *names;
	names->slot_count = old.slot_count > 0 ? 2 * old.slot_count : 64;
	names->slots = calloc( names->slot_count, sizeof *names->slots );
	if ( names->slots == NULL ) {
		*names = old;
		return false;
	}
	for ( size_t i = 0; i < old.slot_count; ++i )
		if ( old.slots[i].text != NULL )
			*slot_of( names, old.slots[i].text ) = old.slots[i];
	free( old.slots );
	return true;
}

bool scene_names_add( scene_names *names, const char *text, uint32_t number ) {
	if ( 2 * ( names->count + 1 ) > names->slot_count && !grow( names ) )
		return false;
	*slot_of( names, text ) = ( scene_name ){ text, number };
	++names->count;
	return true;
}
