// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command `dualbvh-bench`: picks the experiment.

#include "command.h"
#include "stats.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int ( *run )( const bench_options *options );
	bool measures;
	const char *help;
} commands[] = {
    { "policies", bench_policies, true, "a mesh against its copy at 0 to 5 % of its diameter, and 1 % inside" },
    { "spheres", bench_spheres, true, "concentric spheres: counts beside Table 2 of Chang, Wang and Kim (2009)" },
    { "clearance", bench_clearance, true, "distance and clearance beside a collision test of the same poses" },
    { "build", bench_build, true, "triangles a second and bytes a triangle" },
    { "threads", bench_threads, true, "what threads gain for batches of poses and for one heavy query" },
    { "contacts", bench_contacts, true, "contact geometry beside the query for all pairs" },
    { "ellipsoid", bench_ellipsoid, true, "ellipsoid against box: Tables 1 and 2 of Larsson (2008), eight methods and batches" },
    { "mixed", bench_mixed, true, "ellipsoids in the nodes of trees, chosen or in all, beside boxes and spheres alone" },
    { "selftest", bench_selftest, false, "check the benchmark's own parts" },
};
enum { COMMAND_COUNT = sizeof( commands ) / sizeof( commands[0] ) };

static int help( void ) {
	puts( "dualbvh-bench measures dualbvh.\n"
	      "\n"
	      "Usage: dualbvh-bench EXPERIMENT [OPTION VALUE]...\n" );
	for ( int i = 0; i < COMMAND_COUNT; ++i )
		printf( "  %-10s %s\n", commands[i].name, commands[i].help );
	puts( "\n"
	      "  --mesh FILE   another mesh than the Happy Buddha (found through DUALBVH_DATA, else ../shared/data; the\n"
	      "                generated statue where there is none)\n"
	      "  --sample N    an even subset of the 38,304 configurations of a distance (default 480, 0 for all)\n"
	      "  --rounds N    alternate rounds; medians are shown (default 9, at most 64)\n"
	      "  --csv FILE    write the numbers as comma-separated values too\n"
	      "\n"
	      "Exit status: 0 done, 1 answers differ, 2 a mistake in the command line or the input." );
	return EXIT_SUCCESS;
}

static int refuse( const char *text, const char *what ) {
	fprintf( stderr, "dualbvh-bench: %s '%s'\nTry 'dualbvh-bench --help'.\n", text, what );
	return 2;
}

static bool read_count( const char *text, unsigned long highest, size_t *out ) {
	char *end;
	const unsigned long n = strtoul( text, &end, 10 );
	*out = n;
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && n <= highest;
}

// Returns 0, or the exit status after a sentence.
static int read_options( int argc, char **argv, bench_options *options ) {
	for ( int i = 0; i < argc; i += 2 ) {
		const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		if ( value == NULL )
			return refuse( "no value, or no such option:", name );
		if ( strcmp( name, "--mesh" ) == 0 ) {
			options->mesh = value;
		} else if ( strcmp( name, "--sample" ) == 0 ) {
			if ( !read_count( value, 38304, &options->sample ) )
				return refuse( "--sample takes a number up to 38304, not", value );
		} else if ( strcmp( name, "--rounds" ) == 0 ) {
			if ( !read_count( value, 64, &options->rounds ) || options->rounds == 0 )
				return refuse( "--rounds takes a number from 1 to 64, not", value );
		} else if ( strcmp( name, "--csv" ) == 0 && options->csv == NULL ) {
			options->csv = fopen( value, "w" );
			if ( options->csv == NULL )
				return refuse( "cannot write", value );
		} else {
			return refuse( "there is no option", name );
		}
	}
	return 0;
}

int main( int argc, char **argv ) {
	if ( argc < 2 || strcmp( argv[1], "--help" ) == 0 || strcmp( argv[1], "-h" ) == 0 )
		return argc < 2 ? refuse( "which experiment?", "" ) : help();
	for ( int i = 0; i < COMMAND_COUNT; ++i ) {
		if ( strcmp( argv[1], commands[i].name ) != 0 )
			continue;
		if ( argc == 3 && strcmp( argv[2], "--help" ) == 0 )
			return help();
		bench_options options = { .sample = 480, .rounds = 9 };
		int status = read_options( argc - 2, argv + 2, &options );
		if ( status != 0 )
			return status;
		if ( commands[i].measures )
			stats_print_machine( stdout, "" );
		if ( options.csv != NULL )
			stats_print_machine( options.csv, "# " );
		status = commands[i].run( &options );
		if ( options.csv != NULL && fclose( options.csv ) != 0 )
			return refuse( "could not write", "--csv" );
		return status;
	}
	return refuse( "there is no experiment", argv[1] );
}
