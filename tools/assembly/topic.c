// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/topic.h"

#include "text/hash.h"
#include "text/utf8.h"

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

uint64_t scene_comment_hash( const char *text ) {
	enum { REPLACEMENT = 0xFFFD }; // and two that are no characters follow it: XML has none of the three
	uint64_t hash = SCENE_HASH_START;
	for ( const char *at = text; *at != '\0'; ) {
		uint32_t code;
		const int length = utf8_sequence( at, &code );
		at += length > 0 ? length : 1;
		if ( length > 0 && code > ' ' && code != 0x7F && ( code < REPLACEMENT || code > 0xFFFF ) )
			hash = scene_hash_count( hash, code );
	}
	return hash;
}

const char *scene_comment_guid( uint64_t id, const char *text, char guid[SCENE_GUID_ROOM] ) {
	return scene_topic_guid( id, scene_hash_count( SCENE_GUID_COMMENT, scene_comment_hash( text ) ), guid );
}

bool scene_is_own_status( const char *word ) {
	return strcmp( word, SCENE_STATUS_OPEN ) == 0 || strcmp( word, SCENE_STATUS_KNOWN ) == 0 ||
	       strcmp( word, SCENE_STATUS_ACCEPTED ) == 0;
}
