// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// test_fuzz_query [INPUTS] [FILE...]: the fuzzer of the queries without libFuzzer. Replays tests/fuzz/corpus/query, or
// the FILEs, and then goes on with random inputs and mixtures of what it has read: 300 without FILEs, else none.

// opendir() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "body.h"
#include "dualbvh/relation.h"
#include "query.h"
#include "support/command_line.h"
#include "support/rng.h"
#include "support/rounds.h"

#include <dirent.h>

#define MOST_BYTES 512

static struct {
	uint8_t bytes[MOST_BYTES];
	size_t count;
} inputs[1024];
static size_t input_count;

static void replay( const char *path ) {
	FILE *const stream = fopen( path, "rb" );
	FUZZ_REQUIRE( stream != NULL && input_count < sizeof inputs / sizeof inputs[0] );
	inputs[input_count].count = fread( inputs[input_count].bytes, 1, MOST_BYTES, stream );
	fclose( stream );
	printf( "%s\n", path );
	fflush( stdout );
	fuzz_query( inputs[input_count].bytes, inputs[input_count].count );
	input_count += 1;
}

static void replay_folder( const char *folder ) {
	DIR *const stream = opendir( folder );
	FUZZ_REQUIRE( stream != NULL );
	for ( const struct dirent *entry; ( entry = readdir( stream ) ) != NULL; ) {
		char path[2048];
		if ( entry->d_name[0] == '.' )
			continue;
		const int length = snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		FUZZ_REQUIRE( length > 0 && (size_t)length < sizeof path );
		replay( path );
	}
	closedir( stream );
}

// Kept so that a failure can be saved: FUZZ_REQUIRE() ends the program.
static void ask( const uint8_t *bytes, size_t count ) {
	const char *const path = getenv( "DUALBVH_FUZZ_LAST" );
	FILE *const stream = path != NULL ? fopen( path, "wb" ) : NULL;
	if ( stream != NULL ) {
		fwrite( bytes, 1, count, stream );
		fclose( stream );
	}
	fuzz_query( bytes, count );
}

int main( int argc, char **argv ) {
	static const char *const names[] = { "corpus", "random" };
	const test_command_line line = test_command_line_read(
	    argc, argv, ( test_usage ){ .operands = "[INPUTS] [FILE...]" }, names, 2, sizeof names[0] );
	const bool counted = line.operand_count > 0 && line.operands[0][0] >= '0' && line.operands[0][0] <= '9';
	const size_t first_file = counted ? 1 : 0;
	size_t count = counted ? test_operand( &line, 0, 0 ) : line.operand_count > 0 ? 0 : rounds( 300 );
	if ( !test_is_chosen( "random" ) )
		count = 0;
	rng r = rng_announce( "fuzz_query", 20261122 );
	for ( size_t i = first_file; i < line.operand_count; ++i )
		replay( line.operands[i] );
	if ( first_file >= line.operand_count && test_is_chosen( "corpus" ) )
		replay_folder( DUALBVH_CORPUS "/query" );
	const size_t replayed = input_count;
	for ( size_t i = 0; i < count; ++i ) {
		uint8_t bytes[MOST_BYTES];
		const size_t length = 8 + rng_below( &r, MOST_BYTES - 8 );
		for ( size_t k = 0; k < length; ++k )
			bytes[k] = (uint8_t)rng_u64( &r );
		// Half of them are inputs of the corpus with a few bytes changed.
		if ( i % 2 == 1 && input_count > 0 ) {
			const size_t from = rng_below( &r, input_count );
			const size_t keep = inputs[from].count < length ? inputs[from].count : length;
			for ( size_t k = 0; k < keep; ++k ) {
				if ( rng_below( &r, 16 ) != 0 )
					bytes[k] = inputs[from].bytes[k];
			}
		}
		ask( bytes, length );
	}
	const fuzz_query_tally *const t = &fuzz_query_seen;
	printf( "%zu replayed, %zu random: %llu meeting, %llu apart, %llu refused; %llu meet themselves\n", replayed, count,
	        (unsigned long long)t->meeting, (unsigned long long)t->apart, (unsigned long long)t->refused,
	        (unsigned long long)t->self_meeting );
	printf( "relations:" );
	for ( int k = 0; k < 7; ++k )
		printf( " %s %llu", dbvh_relation_name( (dbvh_relation)k ), (unsigned long long)t->related[k] );
	printf( "; motions: %llu clear, %llu contact, %llu close; %llu apart but for triangles without an area\n",
	        (unsigned long long)t->moved[0], (unsigned long long)t->moved[1], (unsigned long long)t->moved[2],
	        (unsigned long long)t->without_area );
	if ( count >= 100 )
		FUZZ_REQUIRE( t->meeting > 0 && t->apart > 0 && t->self_meeting > 0 && t->moved[0] > 0 && t->moved[1] > 0 );
	return 0;
}
