// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh-answers: tells whether this build gives the answers of all others, with every instruction set that it has.
//
//   dualbvh-answers [--isa NAME] [--threads N] [--modes] [--few] [--save-trees FILE] [--load-trees FILE]
//                   [--list]
//
// prints a line a kind of query, and the hash; with --list only the name of the kernels, with --few a tenth of the
// queries. Status 0: the hash is the one expected; 1: it is not; 2: wrong arguments.

#include "answers.h"
#include "dualbvh/dualbvh.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int usage( void ) {
	fputs(
	    "usage: dualbvh-answers [--isa NAME] [--threads N] [--modes] [--few] [--save-trees FILE] [--load-trees FILE] "
	    "[--list]\n",
	    stderr );
	return 2;
}

static FILE *open_file( const char *path, const char *mode ) {
	FILE *const file = fopen( path, mode );
	if ( file == NULL ) {
		fprintf( stderr, "dualbvh-answers: '%s' cannot be opened\n", path );
		exit( 2 );
	}
	return file;
}

static int report( const answers_result *a, uint64_t hash ) {
	for ( int i = 0; i < ANSWERS_KIND_COUNT; ++i ) {
		printf( "%-16s %8" PRIu64 " queries, %8" PRIu64 " yes, %016" PRIx64 "\n", answers_kind_names[i], a->queries[i],
		        a->yes[i], a->hashes[i] );
	}
	printf( "times of impact are at least %.1e from the steps in which they are told\n", a->time_margin / 64.0 );
	const bool same = a->hash == hash && a->failed_call[0] == '\0';
	printf( "%" PRIu64 " queries, kernels %s, hash %016" PRIx64 ": %s%s\n", a->query_count, dbvh_isa_name(), a->hash,
	        same ? "as everywhere" : "NOT as elsewhere: ", same ? "" : a->failed_call );
	return same ? 0 : 1;
}

int main( int argc, char **argv ) {
	answers_options options = { 0 };
	for ( int i = 1; i < argc; ++i ) {
		const char *const value = i + 1 < argc ? argv[i + 1] : NULL;
		if ( strcmp( argv[i], "--list" ) == 0 )
			return puts( dbvh_isa_name() ) < 0;
		if ( strcmp( argv[i], "--modes" ) == 0 ) {
			options.in_all_modes = true;
			continue;
		}
		if ( strcmp( argv[i], "--few" ) == 0 ) {
			options.few = true;
			continue;
		}
		if ( value == NULL )
			return usage();
		if ( strcmp( argv[i], "--isa" ) == 0 ) {
			if ( dbvh_isa_select( value, NULL ) != DBVH_OK ) {
				fprintf( stderr, "dualbvh-answers: this machine and build have no kernels '%s'\n", value );
				return 2;
			}
		} else if ( strcmp( argv[i], "--threads" ) == 0 )
			options.threads = (uint32_t)strtoul( value, NULL, 10 );
		else if ( strcmp( argv[i], "--save-trees" ) == 0 )
			options.save_trees = open_file( value, "wb" );
		else if ( strcmp( argv[i], "--load-trees" ) == 0 )
			options.load_trees = open_file( value, "rb" );
		else
			return usage();
		++i;
	}
	static answers_result result;
	answers_run( &options, &result );
	if ( options.save_trees != NULL && fclose( options.save_trees ) != 0 )
		return 2;
	return report( &result, options.few ? ANSWERS_FEW_HASH : ANSWERS_HASH );
}
