// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh check: does B, at each of its poses, meet A?

#include "args.h"
#include "command.h"
#include "json.h"
#include "poses.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_POSES, OPT_ALL, OPT_POLICY, OPT_JSON, OPT_QUIET, OPT_HELP, OPT_VERSION, OPT_COUNT };
static const arg_option options[OPT_COUNT] = {
    { "poses", 'p', "FILE", "where B stands: one pose a line, 12 numbers, the rows of [R|t]; - is standard input" },
    { "all", 'a', NULL, "find every pair of triangles that meet, not only whether there is one" },
    { "policy", 0, "NAME", "how nodes are compared: default, packed, dual, rapid, sat-lite or sphere" },
    { "json", 0, NULL, "print one JSON object, schema dualbvh.check/1" },
    { "quiet", 'q', NULL, "print nothing but complaints; the exit status tells" },
    { "help", 'h', NULL, "print this" },
    { "version", 0, NULL, "print the version" },
};

static const struct {
	const char *name;
	dbvh_policy policy;
} policies[] = {
    { "default", DBVH_POLICY_DEFAULT },   { "dual", DBVH_POLICY_DUAL },     { "rapid", DBVH_POLICY_RAPID },
    { "sat-lite", DBVH_POLICY_SAT_LITE }, { "sphere", DBVH_POLICY_SPHERE },   { "packed", DBVH_POLICY_PACKED },
};

static int help( void ) {
	puts( "Usage: dualbvh check A B [--poses FILE] [--all] [--policy NAME] [--json | --quiet]\n"
	      "\n"
	      "Tells whether mesh B meets mesh A. A stays where its file puts it; B is placed by each pose of\n"
	      "FILE in turn, or stays too. Meeting is to have at least one point in common: touching counts,\n"
	      "lying inside without touching does not. The answer is exact, whatever the policy.\n" );
	args_help( options, OPT_COUNT );
	puts( "\n"
	      "Example: two gears, the second one moved by 25 along x, then by 26.5.\n"
	      "  $ cat moves.txt\n"
	      "  1 0 0 25    0 1 0 0   0 0 1 0   # a comment\n"
	      "  1 0 0 26.5  0 1 0 0   0 0 1 0\n"
	      "  $ dualbvh check gear.ply gear.ply --poses moves.txt --all\n"
	      "\n"
	      "Exit status: 0 nothing meets, 1 something meets, 2 a mistake in the command line or the input." );
	return finish_output( EXIT_APART );
}

typedef struct job {
	const char *file_a, *file_b, *pose_file;
	dbvh_query query; // its pairs are `room`, grown as needed
	bool as_json, quiet;
	dbvh_mesh *mesh_a, *mesh_b;
	dbvh_tree *tree_a, *tree_b; // the same one where the files are
	dbvh_workspace *workspace;
	pose_list poses;
} job;

// One query; where more pairs are found than there is room for, room is made and the query done again.
static dbvh_status ask( job *w, const dbvh_pose *pose, dbvh_result *result ) {
	for ( ;; ) {
		const dbvh_status status = dbvh_collide( w->tree_a, NULL, w->tree_b, pose, &w->query, w->workspace, result );
		if ( status != DBVH_OK || w->query.find != DBVH_FIND_ALL || !w->as_json ||
		     result->pair_count <= w->query.pair_capacity )
			return status;
		const size_t capacity = result->pair_count + result->pair_count / 4;
		dbvh_pair *grown =
		    capacity <= SIZE_MAX / sizeof( *grown ) ? realloc( w->query.pairs, capacity * sizeof( *grown ) ) : NULL;
		if ( grown == NULL )
			return DBVH_OUT_OF_MEMORY;
		w->query.pairs = grown;
		w->query.pair_capacity = capacity;
	}
}

// ------------------------------------------------------------------------------------------------
// JSON

static void json_mesh( json *j, const char *key, const char *file, const dbvh_mesh *mesh ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	json_key( j, key );
	json_open( j, '{' );
	json_key( j, "file" );
	json_string( j, file );
	json_key( j, "triangles" );
	json_count( j, view.triangle_count );
	json_key( j, "vertices" );
	json_count( j, view.vertex_count );
	json_close( j, '}' );
}

static void json_begin( json *j, const job *w ) {
	json_open( j, '{' );
	json_key( j, "schema" );
	json_string( j, "dualbvh.check/1" );
	json_mesh( j, "a", w->file_a, w->mesh_a );
	json_mesh( j, "b", w->file_b, w->mesh_b );
	json_key( j, "results" );
	json_open( j, '[' );
	json_break( j );
}

static void json_result( json *j, const job *w, size_t pose, const dbvh_result *result ) {
	json_open( j, '{' );
	json_key( j, "pose" );
	json_count( j, pose );
	json_key( j, "verdict" );
	json_string( j, result->verdict == DBVH_MEETING ? "meeting" : "apart" );
	if ( w->query.find == DBVH_FIND_ALL ) {
		json_key( j, "pair_count" );
		json_count( j, result->pair_count );
		json_key( j, "pairs" );
		json_open( j, '[' );
		for ( size_t i = 0; i < result->pair_written; ++i ) {
			json_open( j, '[' );
			json_count( j, w->query.pairs[i].a );
			json_count( j, w->query.pairs[i].b );
			json_close( j, ']' );
		}
		json_close( j, ']' );
	}
	json_key( j, "counters" );
	json_open( j, '{' );
	json_key( j, "sphere_tests" );
	json_count( j, result->counters.sphere_tests );
	json_key( j, "box_tests" );
	json_count( j, result->counters.box_tests );
	json_key( j, "triangle_tests" );
	json_count( j, result->counters.triangle_tests );
	json_key( j, "exact_tests" );
	json_count( j, result->counters.exact_tests );
	json_close( j, '}' );
	json_close( j, '}' );
	json_break( j );
}

static void json_end( json *j ) {
	json_close( j, ']' );
	json_close( j, '}' );
	fputc( '\n', j->file );
}

// ------------------------------------------------------------------------------------------------
// Text

enum { MANY_POSES = 100 }; // from here on, neighbours with the same verdict share a line

// A stretch of poses with one verdict.
typedef struct stretch {
	size_t first, last;
	dbvh_verdict verdict;
	size_t least, most; // pairs
	dbvh_pair pair;     // of the first pose
	bool open;
} stretch;

static void print_stretch( const job *w, const stretch *s ) {
	if ( w->pose_file == NULL )
		printf( "%s and %s: ", w->file_a, w->file_b );
	else if ( s->first == s->last )
		printf( "pose %zu: ", s->first );
	else
		printf( "poses %zu to %zu: ", s->first, s->last );
	if ( s->verdict == DBVH_APART )
		puts( "apart" );
	else if ( w->query.find == DBVH_FIND_FIRST && s->first == s->last )
		printf( "meeting (triangle %u of A and %u of B, for one)\n", s->pair.a, s->pair.b );
	else if ( w->query.find == DBVH_FIND_FIRST )
		puts( "meeting" );
	else if ( s->least == s->most )
		printf( "meeting, %zu pair%s\n", s->most, plural( s->most ) );
	else
		printf( "meeting, %zu to %zu pairs\n", s->least, s->most );
}

static void text_result( const job *w, stretch *s, size_t pose, const dbvh_result *result ) {
	const bool joins = s->open && w->poses.count >= MANY_POSES && s->verdict == result->verdict;
	if ( s->open && !joins )
		print_stretch( w, s );
	if ( !joins )
		*s = ( stretch ){ .first = pose,
		                  .verdict = result->verdict,
		                  .least = result->pair_count,
		                  .most = result->pair_count,
		                  .pair = result->first,
		                  .open = true };
	s->last = pose;
	if ( result->pair_count < s->least )
		s->least = result->pair_count;
	if ( result->pair_count > s->most )
		s->most = result->pair_count;
}

// ------------------------------------------------------------------------------------------------
// The work

static int run_queries( job *w ) {
	const size_t count = w->pose_file != NULL ? w->poses.count : 1;
	size_t meeting = 0;
	json j = { .file = stdout };
	stretch s = { 0 };
	if ( w->as_json )
		json_begin( &j, w );
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_result result;
		progress_step( "poses checked", i, count );
		const dbvh_status status = ask( w, w->pose_file != NULL ? &w->poses.poses[i] : NULL, &result );
		if ( status != DBVH_OK )
			return complain( "pose %zu: %s", i, dbvh_status_text( status ) );
		meeting += result.verdict == DBVH_MEETING;
		if ( w->as_json )
			json_result( &j, w, i, &result );
		else if ( !w->quiet )
			text_result( w, &s, i, &result );
		else if ( meeting > 0 )
			break; // nothing that follows changes the exit status
		if ( ferror( stdout ) )
			return finish_output( EXIT_TROUBLE ); // nobody listens any more
	}
	progress_end();
	if ( w->as_json )
		json_end( &j );
	else if ( !w->quiet ) {
		print_stretch( w, &s );
		if ( w->pose_file != NULL )
			printf( "%zu pose%s: %zu meeting, %zu apart\n", count, plural( count ), meeting, count - meeting );
	}
	return finish_output( meeting > 0 ? EXIT_MEETING : EXIT_APART );
}

static int run( job *w ) {
	progress_begin( !w->quiet );
	if ( w->pose_file != NULL && !poses_read( w->pose_file, &w->poses ) )
		return EXIT_TROUBLE;
	if ( !load_tree( w->file_a, &w->mesh_a, &w->tree_a, NULL ) )
		return EXIT_TROUBLE;
	if ( strcmp( w->file_a, w->file_b ) == 0 ) {
		w->mesh_b = w->mesh_a;
		w->tree_b = w->tree_a;
	} else if ( !load_tree( w->file_b, &w->mesh_b, &w->tree_b, NULL ) )
		return EXIT_TROUBLE;
	if ( dbvh_workspace_create( NULL, &w->workspace ) != DBVH_OK )
		return complain( "%s", dbvh_status_text( DBVH_OUT_OF_MEMORY ) );
	return run_queries( w );
}

static void clean_up( job *w ) {
	progress_end();
	dbvh_workspace_destroy( w->workspace );
	if ( w->tree_b != w->tree_a )
		dbvh_tree_destroy( w->tree_b );
	if ( w->mesh_b != w->mesh_a )
		dbvh_mesh_destroy( w->mesh_b );
	dbvh_tree_destroy( w->tree_a );
	dbvh_mesh_destroy( w->mesh_a );
	poses_free( &w->poses );
	free( w->query.pairs );
}

static bool set_policy( dbvh_query *query, const char *name ) {
	for ( size_t i = 0; i < sizeof( policies ) / sizeof( policies[0] ); ++i ) {
		if ( strcmp( policies[i].name, name ) == 0 ) {
			query->policy = policies[i].policy;
			return true;
		}
	}
	return false;
}

int cmd_check( int argc, char **argv ) {
	args a = { .command = "check", .options = options, .option_count = OPT_COUNT, .argv = argv, .argc = argc, .at = 1 };
	job w = { 0 };
	const char *value;
	for ( int got = args_next( &a, &value ); got != ARG_END; got = args_next( &a, &value ) ) {
		switch ( got ) {
		case OPT_POSES:
			w.pose_file = value;
			break;
		case OPT_ALL:
			w.query.find = DBVH_FIND_ALL;
			break;
		case OPT_POLICY:
			if ( !set_policy( &w.query, value ) )
				return args_refuse(
				    "check", "there is no policy '%s'; there are default, packed, dual, rapid, sat-lite, sphere", value );
			break;
		case OPT_JSON:
			w.as_json = true;
			break;
		case OPT_QUIET:
			w.quiet = true;
			break;
		case OPT_HELP:
			return help();
		case OPT_VERSION:
			printf( "dualbvh %s\n", dbvh_version() );
			return finish_output( EXIT_APART );
		case ARG_OPERAND:
			if ( w.file_b != NULL )
				return args_refuse( "check", "two meshes are compared; '%s' is a third one", value );
			*( w.file_a == NULL ? &w.file_a : &w.file_b ) = value;
			break;
		default:
			return EXIT_TROUBLE;
		}
	}
	if ( w.file_b == NULL )
		return args_refuse( "check", "two meshes are needed; %s", w.file_a == NULL ? "none is named" : "one is named" );
	if ( w.as_json && w.quiet )
		return args_refuse( "check", "--json and --quiet exclude each other" );
	const int status = run( &w );
	clean_up( &w );
	return status;
}
