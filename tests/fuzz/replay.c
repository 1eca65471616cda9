// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// opendir() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "replay.h"

#include "body.h"

#include <dirent.h>

uint8_t *replay_exact( const uint8_t *bytes, size_t count ) {
	uint8_t *exact = malloc( count + ( count == 0 ) );
	FUZZ_REQUIRE( exact != NULL );
	memcpy( exact, bytes, count );
	return exact;
}

void replay_folder( const char *name, replay_file *replay, const void *user ) {
	static uint8_t bytes[1 << 20];
	char folder[1024];
	snprintf( folder, sizeof folder, "%s/%s", DUALBVH_CORPUS, name );
	DIR *stream = opendir( folder );
	FUZZ_REQUIRE( stream != NULL );
	size_t files = 0, taken = 0;
	for ( const struct dirent *entry; ( entry = readdir( stream ) ) != NULL; ) {
		char path[2048];
		if ( entry->d_name[0] == '.' )
			continue;
		const int length = snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		FUZZ_REQUIRE( length > 0 && (size_t)length < sizeof path );
		FILE *file = fopen( path, "rb" );
		FUZZ_REQUIRE( file != NULL );
		const size_t count = fread( bytes, 1, sizeof bytes, file );
		FUZZ_REQUIRE( fclose( file ) == 0 && count < sizeof bytes );
		taken += replay( user, bytes, count );
		files += 1;
	}
	closedir( stream );
	printf( "%s: %zu files, %zu of them taken\n", name, files, taken );
	FUZZ_REQUIRE( files > 0 && taken > 0 && taken < files );
}
