// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Replays the fuzzers' corpus without libFuzzer: everything in tests/fuzz/corpus/<format>, each file as every format.

#include "mesh_body.h"
#include "replay.h"
#include "support/command_line.h"
#include "tree_body.h"

// Corpora that are no mesh format.
#define CAPTURE ( (dbvh_mesh_format)99 )
#define TREE ( (dbvh_mesh_format)98 )

static size_t replay( const void *user, const uint8_t *bytes, size_t count ) {
	const dbvh_mesh_format own = *(const dbvh_mesh_format *)user;
	uint8_t *exact = replay_exact( bytes, count );
	size_t read = 0;
	for ( int format = DBVH_MESH_FORMAT_AUTO; format < DBVH_MESH_FORMAT_COUNT; ++format ) {
		const dbvh_status status = fuzz_parse( exact, count, (dbvh_mesh_format)format );
		read += status == DBVH_OK && format == (int)own;
	}
	read += fuzz_capture( exact, count ) == DBVH_OK && own == CAPTURE;
	read += fuzz_tree_file( exact, count, DBVH_FILE_CHECK_WHOLE ) == DBVH_OK && own == TREE;
	free( exact );
	return read;
}

int main( int argc, char **argv ) {
	static const struct {
		const char *name;
		dbvh_mesh_format format;
	} formats[] = { { "stl", DBVH_MESH_FORMAT_STL }, { "obj", DBVH_MESH_FORMAT_OBJ }, { "ply", DBVH_MESH_FORMAT_PLY },
	                { "off", DBVH_MESH_FORMAT_OFF }, { "capture", CAPTURE },          { "tree", TREE } };
	const size_t count = sizeof formats / sizeof formats[0];
	test_command_line_read( argc, argv, ( test_usage ){ 0 }, &formats[0].name, count, sizeof formats[0] );
	for ( size_t i = 0; i < count; ++i ) {
		if ( test_is_chosen( formats[i].name ) )
			replay_folder( formats[i].name, replay, &formats[i].format );
	}
	return 0;
}
