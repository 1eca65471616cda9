// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Replays the corpus of the fuzzers of scene files without libFuzzer: everything in tests/fuzz/corpus/<format>, each
// file as every format, and each cut off in many places.

#include "json_body.h"
#include "replay.h"
#include "run_body.h"
#include "support/command_line.h"

typedef struct format {
	const char *name;
	dbvh_status ( *read )( const void *bytes, size_t count );
} format;

static const format formats[] = {
#ifdef DUALBVH_WITH_EXPAT
    { "urdf", fuzz_urdf },       { "srdf", fuzz_srdf },
    { "joints", fuzz_joints },
#endif
    { "review", fuzz_review },   { "matrix", fuzz_matrix },
#ifdef DUALBVH_WITH_JANSSON
    { "gltf", fuzz_gltf },       { "scene_json", fuzz_scene_json },
    { "ignores", fuzz_ignores }, { "baseline", fuzz_baseline },
#endif
#if defined( DUALBVH_WITH_LIBZIP ) && defined( DUALBVH_WITH_EXPAT )
    { "3mf", fuzz_3mf },         { "bcf", fuzz_bcf },
#endif
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static dbvh_status read_exact( const format *f, const uint8_t *bytes, size_t count ) {
	uint8_t *exact = replay_exact( bytes, count );
	const dbvh_status status = f->read( exact, count );
	free( exact );
	return status;
}

static size_t replay( const void *user, const uint8_t *bytes, size_t count ) {
	const format *own = user;
	for ( size_t i = 0; i < FORMAT_COUNT; ++i )
		read_exact( &formats[i], bytes, count );
	for ( size_t cut = 0; cut < count; cut += 1 + count / 64 )
		read_exact( own, bytes, cut );
	return read_exact( own, bytes, count ) == DBVH_OK;
}

int main( int argc, char **argv ) {
	test_command_line_read( argc, argv, ( test_usage ){ 0 }, &formats[0].name, FORMAT_COUNT, sizeof formats[0] );
	for ( size_t i = 0; i < FORMAT_COUNT; ++i )
		if ( test_is_chosen( formats[i].name ) )
			replay_folder( formats[i].name, replay, &formats[i] );
	return 0;
}
