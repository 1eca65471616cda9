// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Replays the corpus of the fuzzers of scene files without libFuzzer: everything in tests/fuzz/corpus/<format>, each
// file as every format, and each cut off in many places.

// opendir() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "json_body.h"
#include "run_body.h"
#include "support/command_line.h"

#include <dirent.h>

typedef struct format {
	const char *name;
	dbvh_status ( *read )( const void *bytes, size_t count );
} format;

static const format formats[] = {
#ifdef DUALBVH_WITH_EXPAT
    { "urdf", fuzz_urdf },       { "srdf", fuzz_srdf },
    { "joints", fuzz_joints },
#endif
#ifdef DUALBVH_WITH_JANSSON
    { "gltf", fuzz_gltf },       { "scene_json", fuzz_scene_json },
    { "ignores", fuzz_ignores }, { "baseline", fuzz_baseline },
#endif
#if defined( DUALBVH_WITH_LIBZIP ) && defined( DUALBVH_WITH_EXPAT )
    { "3mf", fuzz_3mf },
#endif
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

// Exactly as long as its content, so that AddressSanitizer sees a read beyond the end.
static dbvh_status read_exact( const format *f, const uint8_t *bytes, size_t count ) {
	uint8_t *exact = malloc( count + ( count == 0 ) );
	FUZZ_REQUIRE( exact != NULL );
	memcpy( exact, bytes, count );
	const dbvh_status status = f->read( exact, count );
	free( exact );
	return status;
}

static bool replay_file( const char *path, const format *own ) {
	static uint8_t bytes[1 << 16];
	FILE *stream = fopen( path, "rb" );
	FUZZ_REQUIRE( stream != NULL );
	const size_t count = fread( bytes, 1, sizeof bytes, stream );
	fclose( stream );
	for ( size_t i = 0; i < FORMAT_COUNT; ++i )
		read_exact( &formats[i], bytes, count );
	for ( size_t cut = 0; cut < count; cut += 1 + count / 64 )
		read_exact( own, bytes, cut );
	return read_exact( own, bytes, count ) == DBVH_OK;
}

static void replay_folder( const format *own ) {
	char folder[1024];
	snprintf( folder, sizeof folder, "%s/%s", DUALBVH_CORPUS, own->name );
	DIR *stream = opendir( folder );
	FUZZ_REQUIRE( stream != NULL );
	size_t files = 0, read = 0;
	for ( const struct dirent *entry; ( entry = readdir( stream ) ) != NULL; ) {
		char path[2048];
		if ( entry->d_name[0] == '.' )
			continue;
		const int length = snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		FUZZ_REQUIRE( length > 0 && (size_t)length < sizeof path );
		read += replay_file( path, own );
		files += 1;
	}
	closedir( stream );
	printf( "%s: %zu files, %zu of them accepted\n", own->name, files, read );
	FUZZ_REQUIRE( files > 0 && read > 0 && read < files );
}

int main( int argc, char **argv ) {
	test_command_line_read( argc, argv, ( test_usage ){ 0 }, &formats[0].name, FORMAT_COUNT, sizeof formats[0] );
	for ( size_t i = 0; i < FORMAT_COUNT; ++i )
		if ( test_is_chosen( formats[i].name ) )
			replay_folder( &formats[i] );
	return 0;
}
