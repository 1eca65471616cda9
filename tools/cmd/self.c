// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh self: does a mesh intersect itself?

#include "dualbvh/self.h"

#include "cli/args.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cmd/capture_run.h"
#include "cmd/cmd.h"
#include "cmd/hint.h"
#include "load/load.h"
#include "load/pair.h"
#include "picture/outputs.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct settings {
	const char *file, *capture_file, *cache;
	scene_trust trust;
	bool all, as_json, quiet, skips_bad_faces;
	uint32_t limit;
	bool has_limit;
	double timeout;
	dbvh_mesh *mesh;
	dbvh_tree *tree;
	double metres; // length of a unit; 0: unknown
	pair_buffer buffer;
	picture_outputs pictures;
} settings;

enum {
	OPT_ALL,
	OPT_LIMIT,
	OPT_TIMEOUT,
	OPT_CAPTURE,
	OPT_CACHE,
	OPT_SKIP_BAD_FACES,
	OPT_ALLOW_OUTSIDE,
	OPT_MOST_MEMORY,
	OPT_HTML,
	OPT_PNG,
	OPT_JSON,
	OPT_QUIET,
	OPT_HELP,
	OPT_VERSION,
	OPT_COUNT
};
static const arg_option options[OPT_COUNT] = {
    { "all", 'a', NULL, ARG_TO( ARG_FLAG, all ),
      "find and list every pair of triangles, not only whether there is one" },
    { "limit", 0, "N", ARG_COUNT_TO( limit, 0, UINT32_MAX ), "with --all: list the N lowest pairs; all are counted" },
    TIMEOUT_ENTRY,
    CAPTURE_ENTRY( capture_file ),
    CACHE_ENTRY( cache ),
    SKIP_BAD_FACES_ENTRY( skips_bad_faces ),
    SCENE_TRUST_ENTRIES( trust ),
    PICTURE_HTML_ENTRY( pictures ),
    PICTURE_PNG_ENTRY( pictures ),
    { "json", 0, NULL, ARG_TO( ARG_FLAG, as_json ), "print one JSON object, schema dualbvh.self/2" },
    { "quiet", 'q', NULL, ARG_TO( ARG_FLAG, quiet ), "print nothing but complaints; the exit status tells" },
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};

static int help( void ) {
	help_text(
	    "Usage: dualbvh self MESH [--all [--limit N]] [--timeout S] [--json | --quiet]\n"
	    "\n"
	    "Tells whether a mesh intersects itself. Triangles that share a corner or an edge always touch there; what\n"
	    "counts is a point in common beyond the corners they share and the edge between two of these. The\n"
	    "same triangle twice counts. The answer is exact.\n" );
	help_options( options, OPT_COUNT );
	help_text( "\n"
	           "Example: dualbvh self gear.stl --all --limit 10\n"
	           "\n"
	           "Exit status:\n"
	           "  0  the mesh does not intersect itself\n"
	           "  1  it does\n"
	           "  2  a mistake in the command line or the input, or an output that cannot be written\n"
	           "  3  --timeout ended the work before a pair was found" );
	return finish_output( EXIT_CLEAR );
}

// Count all pairs first; the list is asked for when its length is known.
static dbvh_status run_query( settings *w, dbvh_collide_result *result ) {
	const size_t most = w->has_limit ? w->limit : SIZE_MAX;
	for ( ;; ) {
		const size_t capacity = w->buffer.capacity < most ? w->buffer.capacity : most;
		const dbvh_collide_query query = { .find = w->all ? DBVH_FIND_ALL : DBVH_FIND_ANY,
		                                   .pairs = w->buffer.pairs,
		                                   .pair_capacity = capacity,
		                                   .budget = timeout_budget() };
		const dbvh_status status = dbvh_self_collide( w->tree, &query, NULL, result, NULL );
		const size_t wanted = result->pair_count < most ? result->pair_count : most;
		if ( status != DBVH_OK || !w->all || wanted <= capacity )
			return status;
		if ( !pair_buffer_grow( &w->buffer, wanted ) )
			return DBVH_OUT_OF_MEMORY;
	}
}

static void print_json( const settings *w, const dbvh_collide_result *r, bool late ) {
	json j = { .file = stdout };
	json_open( &j, '{' );
	json_put_string( &j, "schema", "dualbvh.self/2" );
	json_mesh( &j, "mesh", w->file, w->mesh );
	if ( late )
		json_put_bool( &j, "timed_out", true );
	if ( !late || r->verdict == DBVH_INTERSECTING )
		json_put_string( &j, "verdict", r->verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint" );
	if ( w->all ) {
		json_put_count( &j, "pair_count", r->pair_count );
		json_key( &j, "pairs" );
		json_pairs( &j, w->buffer.pairs, r->pair_written );
	} else if ( r->verdict == DBVH_INTERSECTING ) {
		json_key( &j, "pair" );
		json_pair( &j, r->first );
	}
	json_counters( &j, &r->counters );
	json_close( &j, '}' );
	putchar( '\n' );
}

static void print_text( const settings *w, const dbvh_collide_result *r, bool late ) {
	if ( late && r->verdict == DBVH_DISJOINT ) {
		printf( "%s: ", w->file );
		timeout_print();
	} else if ( r->verdict == DBVH_DISJOINT )
		printf( "%s: does not intersect itself\n", w->file );
	else if ( !w->all )
		printf( "%s: intersects itself (triangles %u and %u, for one)\n", w->file, r->first.a, r->first.b );
	else
		printf( "%s: intersects itself, %zu pair%s\n", w->file, r->pair_count, plural( r->pair_count ) );
	for ( size_t i = 0; w->all && i < r->pair_written; ++i )
		printf( "  triangles %u and %u\n", w->buffer.pairs[i].a, w->buffer.pairs[i].b );
	if ( late && r->verdict == DBVH_INTERSECTING ) {
		fputs( "  and perhaps others: ", stdout );
		timeout_print();
	}
	if ( w->all && r->pair_written > 0 && r->pair_written < r->pair_count )
		printf( "  and %zu more\n", r->pair_count - r->pair_written );
}

// List pairs for the picture that were not asked for.
static int draw( settings *w, const dbvh_collide_result *found, bool late ) {
	dbvh_collide_result result = *found;
	picture p = { 0 };
	progress_begin( !w->quiet );
	if ( !w->all && found->verdict == DBVH_INTERSECTING ) {
		w->all = true;
		const dbvh_status status = run_query( w, &result );
		if ( status != DBVH_OK && status != DBVH_CANCELLED )
			return complain( "%s: %s", w->file, dbvh_status_text( status ) );
		late = status == DBVH_CANCELLED;
	}
	// Without time for a list of pairs there is still the first one.
	const bool has_one = result.pair_written == 0 && found->verdict == DBVH_INTERSECTING;
	const picture_self_pairs pairs = { .pairs = has_one ? &found->first : w->buffer.pairs,
	                                   .count = has_one ? 1 : result.pair_written,
	                                   .all_count = result.pair_count > has_one ? result.pair_count : has_one,
	                                   .is_late = late };
	const bool ok = picture_from_self( w->file, w->mesh, w->tree, w->metres, &pairs, &w->pictures.wishes, &p );
	const int status = ok ? picture_outputs_write( &w->pictures, &p, w->quiet || w->as_json ) : EXIT_ERROR;
	picture_free( &p );
	return status;
}

static int run( settings *w ) {
	dbvh_collide_result result;
	use_cache( w->cache );
	use_faces( w->skips_bad_faces );
	use_trust( &w->trust );
	if ( !load_tree( w->file, &w->metres, &w->mesh, &w->tree, NULL ) )
		return EXIT_ERROR;
	if ( w->capture_file != NULL ) {
		dbvh_capture x = { .call = DBVH_CAPTURE_CALL_SELF_COLLIDE,
		                   .mesh_a = dbvh_mesh_get_view( w->mesh ),
		                   .options_a = dbvh_tree_options_default(),
		                   .collide = { .find = w->all ? DBVH_FIND_ALL : DBVH_FIND_ANY } };
		const int written = capture_write( &x, w->tree, w->tree, w->capture_file );
		if ( written != EXIT_CLEAR )
			return written;
	}
	progress_stage( "comparing the triangles of", w->file );
	timeout_begin( w->timeout );
	const dbvh_status status = run_query( w, &result );
	const bool late = status == DBVH_CANCELLED;
	progress_end();
	if ( status != DBVH_OK && !late )
		return complain( "%s: %s", w->file, dbvh_status_text( status ) );
	if ( w->as_json )
		print_json( w, &result, late );
	else if ( !w->quiet )
		print_text( w, &result, late );
	if ( picture_outputs_any( &w->pictures ) && draw( w, &result, late ) != EXIT_CLEAR )
		return finish_output( EXIT_ERROR );
	return finish_output( result.verdict == DBVH_INTERSECTING ? EXIT_INTERFERENCE
	                      : late                              ? EXIT_UNDECIDABLE
	                                                          : EXIT_CLEAR );
}

static bool operand( void *target, const char *text ) {
	settings *w = target;
	if ( w->file != NULL )
		args_refuse( "self", "one mesh at a time; '%s' is a second one", text );
	const bool first = w->file == NULL;
	w->file = text;
	return first;
}

static const arg_table table = { "self", options, OPT_COUNT, help, operand };

// Print how to see where the mesh meets itself.
static void show_hint( const settings *w ) {
	hint_begin( "self" );
	hint_add( NULL, w->file );
	if ( w->skips_bad_faces )
		hint_add( "skip-bad-faces", NULL );
	if ( w->trust.allow_outside )
		hint_add( "allow-outside", NULL );
	hint_add( "html", "self.html" );
	hint_end();
}

int cmd_self( int argc, char **argv ) {
	settings w = { 0 };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	if ( status != ARGS_GO_ON )
		return status;
	w.has_limit = ( given >> OPT_LIMIT & 1 ) != 0;
	if ( w.file == NULL )
		return args_refuse( "self", "no mesh is named" );
	if ( w.as_json && w.quiet )
		return args_refuse( "self", "--json and --quiet exclude each other" );
	if ( w.has_limit && !w.all )
		return args_refuse( "self", "--limit needs --all" );
	if ( w.all && w.quiet )
		return args_refuse( "self", "--all and --quiet exclude each other" );
	status = args_spare_inputs( "self", w.capture_file, &w.file, 1 );
	if ( status == ARGS_GO_ON )
		status = picture_outputs_check( &w.pictures, "self", &w.file, 1, !w.quiet );
	if ( status != ARGS_GO_ON )
		return status;
	progress_begin( !w.quiet );
	status = run( &w );
	progress_end();
	if ( status == EXIT_INTERFERENCE && !w.as_json && !w.quiet && !picture_outputs_any( &w.pictures ) ) {
		show_hint( &w );
		status = finish_output( status );
	}
	dbvh_tree_destroy( w.tree );
	dbvh_mesh_destroy( w.mesh );
	free( w.buffer.pairs );
	return status;
}
