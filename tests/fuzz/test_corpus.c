// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Replays the fuzzers' corpus without libFuzzer: everything in tests/fuzz/corpus/<format>, each file as every format.

// opendir() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "body.h"
#include "support/command_line.h"

#include <dirent.h>
#include <stdint.h>

// In place of a format.
#define CAPTURE ( (dbvh_mesh_format)99 )

static size_t replay_file( const char *path, dbvh_mesh_format own ) {
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
	for ( int format = DBVH_MESH_FORMAT_AUTO; format <= DBVH_MESH_FORMAT_OFF; ++format ) {
		const dbvh_status status = fuzz_parse( exact, count, (dbvh_mesh_format)format );
		read += status == DBVH_OK && format == (int)own;
	}
	read += fuzz_capture( exact, count ) == DBVH_OK && own == CAPTURE;
	free( exact );
	return read;
}

static void replay_folder( const char *format_name, dbvh_mesh_format format ) {
	char folder[1024];
	snprintf( folder, sizeof folder, "%s/%s", DUALBVH_CORPUS, format_name );
	DIR *stream = opendir( folder );
	FUZZ_REQUIRE( stream != NULL );
	size_t files = 0, read = 0;
	for ( const struct dirent *entry; ( entry = readdir( stream ) ) != NULL; ) {
		char path[2048];
		if ( entry->d_name[0] == '.' )
			continue;
		const int length = snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		FUZZ_REQUIRE( length > 0 && (size_t)length < sizeof path );
		read += replay_file( path, format );
		files += 1;
	}
	closedir( stream );
	printf( "%s: %zu files, %zu of them meshes\n", format_name, files, read );
	FUZZ_REQUIRE( files > 0 && read > 0 && read < files );
}

int main( int argc, char **argv ) {
	static const struct {
		const char *name;
		dbvh_mesh_format format;
	} formats[] = { { "stl", DBVH_MESH_FORMAT_STL },
	                { "obj", DBVH_MESH_FORMAT_OBJ },
	                { "ply", DBVH_MESH_FORMAT_PLY },
	                { "off", DBVH_MESH_FORMAT_OFF },
	                { "capture", CAPTURE } };
	const size_t count = sizeof formats / sizeof formats[0];
	test_command_line_read( argc, argv, ( test_usage ){ 0 }, &formats[0].name, count, sizeof formats[0] );
	for ( size_t i = 0; i < count; ++i ) {
		if ( test_is_chosen( formats[i].name ) )
			replay_folder( formats[i].name, formats[i].format );
	}
	return 0;
}
