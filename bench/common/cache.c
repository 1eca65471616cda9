// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/cache.h"

#include "base/hash.h"
#include "dualbvh/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
	char magic[16];
	uint64_t key, size, hash;
} header;

static const char magic[16] = "dbvh kept v2\n";

void cache_make_folder( const char *path ) {
	mkdir( path, 0777 ); // if it cannot be made, nothing is kept
}

void cache_path( const char *name, char path[CACHE_PATH_SIZE] ) {
	const char *home = getenv( "XDG_CACHE_HOME" );
	char folder[600];
	snprintf( folder, sizeof( folder ), "%s%s", home != NULL ? home : BENCH_CACHE_FOLDER,
	          home != NULL ? "/dualbvh" : "" );
	if ( home != NULL )
		cache_make_folder( home );
	cache_make_folder( folder );
	snprintf( path, CACHE_PATH_SIZE, "%s/%s", folder, name );
}

uint64_t cache_hash( uint64_t hash, const void *bytes, size_t size ) {
	const unsigned char *at = bytes;
	uint64_t word;
	for ( ; size >= sizeof( word ); size -= sizeof( word ), at += sizeof( word ) ) {
		memcpy( &word, at, sizeof( word ) );
		hash = dbvhi_hash_word( hash, word );
	}
	word = 0;
	if ( size > 0 )
		memcpy( &word, at, size );
	return dbvhi_hash_word( hash, word ^ (uint64_t)size << 56 );
}

uint64_t cache_hash_text( uint64_t hash, const char *text ) {
	return cache_hash( hash, text, strlen( text ) );
}

uint64_t cache_program_hash( void ) {
	static uint64_t known;
	if ( known != 0 )
		return known;
	uint64_t hash = cache_hash_text( DBVHI_HASH_SEED, dbvh_version() );
	// If the system does not show the file, the version has to do.
	FILE *file = fopen( "/proc/self/exe", "rb" );
	if ( file != NULL ) {
		char block[4096];
		for ( size_t got; ( got = fread( block, 1, sizeof( block ), file ) ) > 0; )
			hash = cache_hash( hash, block, got );
		fclose( file );
	}
	return known = hash | 1;
}

bool cache_load( const char *path, uint64_t key, void *bytes, size_t size ) {
	FILE *file = fopen( path, "rb" );
	if ( file == NULL )
		return false;
	header h;
	const bool good = fread( &h, sizeof( h ), 1, file ) == 1 && memcmp( h.magic, magic, sizeof( magic ) ) == 0 &&
	                  h.key == key && h.size == size && fread( bytes, 1, size, file ) == size && fgetc( file ) == EOF &&
	                  h.hash == cache_hash( key, bytes, size );
	fclose( file );
	return good;
}

bool cache_store( const char *path, uint64_t key, const void *bytes, size_t size ) {
	char draft[CACHE_PATH_SIZE + 40];
	snprintf( draft, sizeof( draft ), "%s.%ld.new", path, (long)getpid() );
	header h = { .key = key, .size = size, .hash = cache_hash( key, bytes, size ) };
	memcpy( h.magic, magic, sizeof( magic ) );
	FILE *file = fopen( draft, "wb" );
	if ( file == NULL )
		return false;
	bool good = fwrite( &h, sizeof( h ), 1, file ) == 1 && fwrite( bytes, 1, size, file ) == size;
	good = fclose( file ) == 0 && good;
	if ( !good || rename( draft, path ) != 0 ) {
		remove( draft );
		return false;
	}
	return true;
}
