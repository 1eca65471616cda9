// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/topic.h"

#include "text/hash.h"

#include <stdio.h>
#include <string.h>

const char *scene_topic_guid( uint64_t id, uint64_t what, char text[SCENE_GUID_ROOM] ) {
	const uint64_t high = scene_hash_count( scene_hash_count( SCENE_HASH_START, what ), id );
	const uint64_t low = scene_hash_count( high, id );
	snprintf( text, SCENE_GUID_ROOM, "%08lx-%04lx-8%03lx-%04lx-%04lx%08lx", (unsigned long)( high >> 32 ),
	          (unsigned long)( high >> 16 & 0xFFFF ), (unsigned long)( high & 0xFFF ),
	          (unsigned long)( ( low >> 48 & 0x3FFF ) | 0x8000 ), (unsigned long)( low >> 32 & 0xFFFF ),
	          (unsigned long)( low & 0xFFFFFFFF ) );
	return text;
}

bool scene_is_own_status( const char *word ) {
	return strcmp( word, SCENE_STATUS_OPEN ) == 0 || strcmp( word, SCENE_STATUS_KNOWN ) == 0 ||
	       strcmp( word, SCENE_STATUS_ACCEPTED ) == 0;
}
