// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014, section 5) over the sum of what was there and what comes:
// every bit of either changes half of the result.
uint64_t scene_hash_count( uint64_t hash, uint64_t n ) {
	hash = ( hash ^ n ) + UINT64_C( 0x9e3779b97f4a7c15 );
	hash = ( hash ^ hash >> 30 ) * UINT64_C( 0xbf58476d1ce4e5b9 );
	hash = ( hash ^ hash >> 27 ) * UINT64_C( 0x94d049bb133111eb );
	return hash ^ hash >> 31;
}

uint64_t scene_hash_real( uint64_t hash, double x ) {
	uint64_t bits;
	const double same = x == 0.0 ? 0.0 : x;
	memcpy( &bits, &same, sizeof bits );
	return scene_hash_count( hash, bits );
}

// Eight characters at a time, the first one in the lowest bits; the length keeps "a", "b" apart from "ab", "".
uint64_t scene_hash_text( uint64_t hash, const char *text ) {
	if ( text == NULL )
		return scene_hash_count( hash, UINT64_MAX );
	const size_t length = strlen( text );
	hash = scene_hash_count( hash, length );
	for ( size_t i = 0; i < length; i += 8 ) {
		uint64_t word = 0;
		for ( size_t k = 0; k < 8 && i + k < length; ++k )
			word |= (uint64_t)(unsigned char)text[i + k] << 8 * k;
		hash = scene_hash_count( hash, word );
	}
	return hash;
}

uint64_t scene_hash_pose( uint64_t hash, const dbvh_pose *pose ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			hash = scene_hash_real( hash, pose->rot[i][k] );
		hash = scene_hash_real( hash, pose->pos[i] );
	}
	return hash;
}

// Owned meshes have doubles and 32-bit indices, tightly packed.
uint64_t scene_hash_mesh( uint64_t hash, const dbvh_mesh *mesh ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const double *x = view.positions;
	const uint32_t *index = view.indices;
	hash = scene_hash_count( scene_hash_count( hash, view.vertex_count ), view.triangle_count );
	for ( size_t i = 0; i < 3 * view.vertex_count; ++i )
		hash = scene_hash_real( hash, x[i] );
	for ( size_t i = 0; i < view.triangle_count; ++i ) {
		hash = scene_hash_count( hash, (uint64_t)index[3 * i] << 32 | index[3 * i + 1] );
		hash = scene_hash_count( hash, index[3 * i + 2] );
	}
	return hash;
}

const char *scene_hash_print( uint64_t hash, char text[SCENE_HASH_ROOM] ) {
	snprintf( text, SCENE_HASH_ROOM, "%08lx%08lx", (unsigned long)( hash >> 32 ),
	          (unsigned long)( hash & UINT64_C( 0xffffffff ) ) );
	return text;
}

bool scene_hash_read( const char *text, size_t length, uint64_t *out ) {
	uint64_t hash = 0;
	if ( length != SCENE_HASH_ROOM - 1 )
		return false;
	for ( size_t i = 0; i < length; ++i ) {
		const int c = tolower( (unsigned char)text[i] );
		if ( !isxdigit( c ) )
			return false;
		hash = hash << 4 | (uint64_t)( c <= '9' ? c - '0' : c - 'a' + 10 );
	}
	*out = hash;
	return true;
}
