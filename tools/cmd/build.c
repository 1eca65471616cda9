// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh build: a mesh's tree in a file, which every command takes in place of the mesh.

#include "cli/args.h"
#include "cli/complain.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "cmd/cmd.h"
#include "load/load.h"
#include "text/json.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
	const char *input, *file, *fill_name;
	dbvh_fill_rule fill;
	bool topology, fast, fragments, skips_bad_faces, as_json, quiet;
	uint32_t thread_count;
	scene_trust trust;
} settings;

static const arg_option options[] = {
    { "output", 'o', "FILE", ARG_TO( ARG_TEXT, file ), "where the tree goes; usually it ends in .dbvh" },
    { "topology", 0, NULL, ARG_TO( ARG_FLAG, topology ),
      "also what the mesh encloses, for 'check --relation' and scenes; some six times as large" },
    { "fill", 0, "RULE", ARG_TO( ARG_TEXT, fill_name ),
      "with --topology: what meshes enclose, by the nonzero winding rule (default) or even-odd" },
    { "fast", 0, NULL, ARG_TO( ARG_FLAG, fast ),
      "build some four times faster, a tree that is some three times slower" },
    { "fragments", 0, NULL, ARG_TO( ARG_FLAG, fragments ),
      "divide long triangles where trial queries say that it pays: for robots and machine parts" },
    { "threads", 0, "N", ARG_COUNT_TO( thread_count, 0, 256 ), "use at most N threads; 0: as many as there are" },
    SKIP_BAD_FACES_ENTRY( skips_bad_faces ),
    { "json", 0, NULL, ARG_TO( ARG_FLAG, as_json ), "print one JSON object, schema dualbvh.build/1" },
    { "quiet", 'q', NULL, ARG_TO( ARG_FLAG, quiet ), "print nothing but complaints; the exit status tells" },
    SCENE_TRUST_ENTRIES( trust ),
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};
enum { OPTION_COUNT = sizeof( options ) / sizeof( options[0] ) };

static int help( void ) {
	help_text(
	    "Usage: dualbvh build MESH -o FILE [OPTION]...\n"
	    "\n"
	    "Builds the tree of a mesh and saves it. Every command takes such a file where it takes a mesh, and loads\n"
	    "it many times faster than it would build the tree; other programs map it (docs/tree-format.md). The file\n"
	    "is the same on every machine. It is put in place as a whole: whoever reads it at the time, or is killed,\n"
	    "finds the old one or the new one.\n" );
	help_options( options, OPTION_COUNT );
	help_text( "\n"
	           "Example: dualbvh build gear.stl -o gear.dbvh; dualbvh check gear.dbvh hand.stl\n"
	           "\n"
	           "Exit status: 0, or 2 where a mesh cannot be read or the tree not be saved." );
	return finish_output( EXIT_CLEAR );
}

static void print_report( const settings *w, const dbvh_tree_stats *stats, size_t skipped, double build_seconds,
                          double save_seconds ) {
	if ( w->as_json ) {
		json j = { .file = stdout };
		char hash[24];
		snprintf( hash, sizeof( hash ), "%016llx", (unsigned long long)stats->content_hash );
		json_open( &j, '{' );
		json_put_string( &j, "schema", "dualbvh.build/1" );
		json_put_string( &j, "mesh", w->input );
		json_put_string( &j, "file", w->file );
		json_put_count( &j, "triangles", stats->triangle_count );
		if ( skipped > 0 )
			json_put_count( &j, "skipped_faces", skipped );
		json_put_count( &j, "tree_bytes", stats->bytes );
		json_put_string( &j, "content_hash", hash );
		json_put_real( &j, "build_seconds", build_seconds );
		json_put_real( &j, "save_seconds", save_seconds );
		json_close( &j, '}' );
		putchar( '\n' );
	} else if ( !w->quiet ) {
		printf( "%s: %zu triangles, %.1f MiB; built in %.1f ms, saved in %.1f ms\n", w->file, stats->triangle_count,
		        (double)stats->bytes / 1048576.0, build_seconds * 1e3, save_seconds * 1e3 );
	}
}

static int build( const settings *w ) {
	dbvh_tree_options how = dbvh_tree_options_default();
	how.topology = w->topology;
	how.fill = w->fill;
	how.quality = w->fast ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST;
	how.fragments = w->fragments ? DBVH_FRAGMENTS_CHOSEN : DBVH_FRAGMENTS_FEW;
	how.thread_count = w->thread_count;
	dbvh_tree *tree;
	dbvh_error error = { 0 };
	double seconds = 0.0;
	size_t skipped = 0;
	progress_begin( !w->quiet );
	use_faces( w->skips_bad_faces );
	use_trust( &w->trust );
	if ( !load_tree_alone( w->input, &how, &tree, &seconds, &skipped ) ) {
		progress_end();
		return EXIT_ERROR;
	}
	progress_stage( "saving", w->file );
	const double start = progress_now();
	const dbvh_status status = dbvh_tree_save( tree, w->file, &error );
	const double save_seconds = progress_now() - start;
	progress_end();
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	dbvh_tree_destroy( tree );
	if ( status != DBVH_OK )
		return complain_of( w->file, &error );
	print_report( w, &stats, skipped, seconds, save_seconds );
	return finish_output( EXIT_CLEAR );
}

static bool operand( void *target, const char *text ) {
	settings *w = target;
	if ( w->input != NULL ) {
		args_refuse( "build", "one mesh at a time; '%s' is a second one", text );
		return false;
	}
	w->input = text;
	return true;
}

static const arg_table table = { "build", options, OPTION_COUNT, help, operand };

int cmd_build( int argc, char **argv ) {
	settings w = { .input = NULL };
	uint64_t given;
	const int status = args_read( &table, argc, argv, &w, &given );
	if ( status != ARGS_GO_ON )
		return status;
	if ( w.input == NULL )
		return args_refuse( "build", "no mesh is named" );
	if ( w.file == NULL )
		return args_refuse( "build", "-o FILE is missing: where is the tree to go?" );
	if ( args_spare_inputs( "build", w.file, &w.input, 1 ) != ARGS_GO_ON )
		return EXIT_ERROR;
	if ( w.as_json && w.quiet )
		return args_refuse( "build", "--json and --quiet exclude each other" );
	if ( !fill_rule_find( "build", w.fill_name, &w.fill ) )
		return EXIT_ERROR;
	if ( w.fill_name != NULL && !w.topology )
		return args_refuse( "build", "--fill needs --topology" );
	return build( &w );
}
