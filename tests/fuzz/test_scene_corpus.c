// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Replays the corpus of the fuzzers of scene files without libFuzzer: each file by each reader.

// opendir() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "scene_body.h"
#include "support/command_line.h"

#include <dirent.h>
#include <stdint.h>

static const struct {
	const char *name;
	fuzz_scene_reader read;
	const char *library; // that it needs; NULL where that is not in
} readers[] = {
#ifdef DUALBVH_WITH_JANSSON
    { "gltf", scene_read_gltf, "jansson" },
    { "scene_json", scene_read_json, "jansson" },
#else
    { "gltf", scene_read_gltf, NULL },
    { "scene_json", scene_read_json, NULL },
#endif
};

enum { READER_COUNT = sizeof readers / sizeof readers[0] };

// Was it read by its own reader?
static size_t replay_file( const char *path, size_t own ) {
	FILE *stream = fopen( path, "rb" );
	FUZZ_REQUIRE( stream != NULL );
	const size_t room = 1 << 20;
	uint8_t *bytes = malloc( room );
	FUZZ_REQUIRE( bytes != NULL );
	const size_t count = fread( bytes, 1, room, stream );
	fclose( stream );
	// Exactly as long as its content, so that AddressSanitizer sees a read beyond the end.
	uint8_t *exact = malloc( count + ( count == 0 ) );
	FUZZ_REQUIRE( exact != NULL );
	memcpy( exact, bytes, count );
	free( bytes );
	size_t read = 0;
	for ( size_t i = 0; i < READER_COUNT; ++i )
		read += fuzz_scene( exact, count, readers[i].read ) == DBVH_OK && i == own;
	free( exact );
	return read;
}

static void replay_folder( size_t reader ) {
	char folder[1024];
	snprintf( folder, sizeof folder, "%s/%s", DUALBVH_CORPUS, readers[reader].name );
	DIR *stream = opendir( folder );
	FUZZ_REQUIRE( stream != NULL );
	size_t files = 0, read = 0;
	for ( const struct dirent *entry; ( entry = readdir( stream ) ) != NULL; ) {
		char path[2048];
		if ( entry->d_name[0] == '.' )
			continue;
		const int length = snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		FUZZ_REQUIRE( length > 0 && (size_t)length < sizeof path );
		read += replay_file( path, reader );
		files += 1;
	}
	closedir( stream );
	printf( "%s: %zu files, %zu of them scenes\n", readers[reader].name, files, read );
	FUZZ_REQUIRE( files > 0 && read < files && ( read > 0 ) == ( readers[reader].library != NULL ) );
}

int main( int argc, char **argv ) {
	test_command_line_read( argc, argv, ( test_usage ){ 0 }, &readers[0].name, READER_COUNT, sizeof readers[0] );
	for ( size_t i = 0; i < READER_COUNT; ++i ) {
		if ( test_is_chosen( readers[i].name ) )
			replay_folder( i );
	}
	return 0;
}
