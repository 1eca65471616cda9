// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh distance: how far is B, at each of its poses, from A?

#include "cli/args.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cmd/capture_run.h"
#include "cmd/cmd.h"
#include "load/load.h"
#include "load/pair.h"
#include "picture/outputs.h"
#include "results/results.h"
#include "text/number.h"

#include <math.h>
#include <stdio.h>

typedef struct settings {
	mesh_pair pair;
	results_options results;
	picture_outputs pictures;
	dbvh_distance_query query;
	double timeout;
} settings;

static const arg_option options[] = {
    PAIR_POSES_ENTRY,
    POSES_FORMAT_ENTRY( pair.pose_options ),
    POSES_NORMALISE_ENTRY( pair.pose_options ),
    POSES_NORMALIZE_ENTRY( pair.pose_options ),
    { "error-relative", 0, "E", ARG_TO( ARG_PART, query.relative_error ),
      "allow an answer that is too large by that fraction of the distance (0)" },
    { "error-absolute", 0, "D", ARG_TO( ARG_NOT_NEGATIVE, query.absolute_error ),
      "allow an answer that is too large by that length (0)" },
    { "max-distance", 0, "D", ARG_TO( ARG_POSITIVE, query.limit ), "search no farther than D" },
    PAIR_POLICY_ENTRY,
    PAIR_QUALITY_ENTRY,
    TIMEOUT_ENTRY,
    RESULTS_OUTPUT_ENTRY( results, "pose" ),
    RESULTS_RESUME_ENTRY( results ),
    RESULTS_RANK_ENTRY( results ),
    RESULTS_EXIT_ZERO_ENTRY( results ),
    { "json", 0, NULL, ARG_TO( ARG_FLAG, pair.as_json ), "print one JSON object, schema dualbvh.distance/2" },
    CAPTURE_ENTRY( pair.capture_file ),
    CACHE_ENTRY( pair.cache ),
    SKIP_BAD_FACES_ENTRY( pair.skips_bad_faces ),
    SCENE_TRUST_ENTRIES( pair.trust ),
    PICTURE_HTML_ENTRY( pictures ),
    PICTURE_PNG_ENTRY( pictures ),
    PAIR_QUIET_ENTRY,
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};
enum { OPTION_COUNT = sizeof( options ) / sizeof( options[0] ) };

static int help( void ) {
	help_text( "Usage: dualbvh distance A B [OPTION]...\n"
	           "\n"
	           "Computes the distance between mesh A and mesh B, with the closest points and triangles. A stays where\n"
	           "its file puts it; B is placed by each pose of --poses in turn, or stays too. The distance is that of\n"
	           "the surfaces: 0 where they intersect, but not where one lies inside the other. It is the exact one\n"
	           "rounded up to a double, and all its digits are printed. Coordinates are those of A's file.\n" );
	help_options( options, OPTION_COUNT );
	help_text(
	    POSES_HELP RESULTS_HELP
	    "\n"
	    "Lengths are in the unit of the files. Whether the meshes intersect is exact whatever error is allowed.\n"
	    "\n"
	    "Example: two gears, the second one moved by 26.5 along x.\n"
	    "  $ echo '1 0 0 26.5  0 1 0 0  0 0 1 0' | dualbvh distance gear.ply gear.ply --poses -\n"
	    "\n"
	    "Exit status:\n"
	    "  0  the meshes are disjoint at every pose\n"
	    "  1  they intersect at one pose at least\n"
	    "  2  a mistake in the command line or the input, or an output that cannot be written\n"
	    "  3  --timeout ended the work, and they intersect at no pose before" );
	return finish_output( EXIT_CLEAR );
}

// A distance may be above 0 only by the allowed error: it is computed again without, since whether the meshes intersect
// is exact.
static dbvh_status run_query( settings *w, const dbvh_pose *pose, dbvh_distance_result *result ) {
	const mesh_pair *p = &w->pair;
	dbvh_distance_query query = w->query;
	query.policy = p->policy;
	query.budget = timeout_budget();
	dbvh_status status = dbvh_distance( p->tree_a, NULL, p->tree_b, pose, &query, p->workspace, result, NULL );
	if ( status != DBVH_OK || !result->found || result->distance == 0.0 || result->distance > query.absolute_error )
		return status;
	dbvh_collide_result surfaces;
	const dbvh_collide_query any = { .budget = timeout_budget() };
	status = dbvh_collide( p->tree_a, NULL, p->tree_b, pose, &any, p->workspace, &surfaces, NULL );
	if ( status != DBVH_OK || surfaces.verdict == DBVH_DISJOINT )
		return status;
	query.absolute_error = 0.0;
	return dbvh_distance( p->tree_a, NULL, p->tree_b, pose, &query, p->workspace, result, NULL );
}

static bool intersects( const dbvh_distance_result *result ) {
	return result->found && result->distance == 0.0;
}

static void print_point( const char *of, uint32_t triangle, const double x[3] ) {
	char text[3][REAL_ROOM];
	printf( "  triangle %u of %s at (%s, %s, %s)\n", triangle, of, real_text( x[0], text[0] ),
	        real_text( x[1], text[1] ), real_text( x[2], text[2] ) );
}

static void print_text( const settings *w, size_t pose, const dbvh_distance_result *r ) {
	char number[REAL_ROOM];
	const bool rough = w->query.relative_error > 0.0 || w->query.absolute_error > 0.0;
	pair_print_pose( &w->pair, pose, pose );
	if ( !r->found ) {
		printf( "distance more than %s\n", real_text( w->query.limit, number ) );
		return;
	}
	if ( intersects( r ) )
		puts( "distance 0, intersecting" );
	else
		printf( "distance %s%s\n", rough ? "at most " : "", real_text( r->distance, number ) );
	print_point( "A", r->pair.a, r->point_a );
	print_point( "B", r->pair.b, r->point_b );
}

static void json_begin( json *j, const settings *w ) {
	json_open( j, '{' );
	json_put_string( j, "schema", "dualbvh.distance/2" );
	pair_json( j, &w->pair );
	json_put_string( j, "frame", "a" );
	json_put_real( j, "error_relative", w->query.relative_error );
	json_put_real( j, "error_absolute", w->query.absolute_error );
	if ( w->query.limit > 0.0 )
		json_put_real( j, "max_distance", w->query.limit );
	json_key( j, "results" );
	json_open( j, '[' );
	json_break( j );
}

static void json_result( json *j, size_t pose, const dbvh_distance_result *r ) {
	json_open( j, '{' );
	json_put_count( j, "pose", pose );
	json_put_string( j, "verdict", intersects( r ) ? "intersecting" : "disjoint" );
	json_put_bool( j, "found", r->found );
	if ( r->found ) {
		json_put_real( j, "distance", r->distance );
		json_key( j, "pair" );
		json_pair( j, r->pair );
		json_put_reals( j, "point_a", r->point_a, 3 );
		json_put_reals( j, "point_b", r->point_b, 3 );
		json_put_reals( j, "between", r->between, 3 );
	}
	json_counters( j, &r->counters );
	json_close( j, '}' );
	json_break( j );
}

// The summary after many poses.
typedef struct summary {
	size_t intersecting, found, nearest;
	double least;
} summary;

static void add( summary *s, size_t pose, const dbvh_distance_result *r ) {
	if ( r->found && ( s->found == 0 || r->distance < s->least ) ) {
		s->least = r->distance;
		s->nearest = pose;
	}
	s->found += r->found;
	s->intersecting += intersects( r );
}

static void print_summary( const summary *s, size_t count ) {
	char number[REAL_ROOM];
	printf( "%zu pose%s: %zu intersecting, %zu disjoint", count, plural( count ), s->intersecting,
	        count - s->intersecting );
	if ( s->found > 0 )
		printf( "; closest at pose %zu: %s", s->nearest, real_text( s->least, number ) );
	putchar( '\n' );
}

// Keep the answer for the picture, if one is drawn.
static void keep( settings *w, size_t pose, const dbvh_distance_result *r ) {
	if ( w->pair.facts == NULL )
		return;
	w->pair.facts[pose] =
	    ( pair_fact ){ .state = intersects( r ) ? PAIR_CLASHING : PAIR_CLEAR,
	                   .relation = intersects( r ) ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT,
	                   .of_surfaces = true,
	                   .distance = r->found ? r->distance : NAN };
}

static int run_queries( settings *w ) {
	const size_t count = pair_pose_count( &w->pair );
	summary s = { 0 };
	json j = { .file = stdout };
	if ( w->pair.as_json )
		json_begin( &j, w );
	size_t i = 0;
	interrupt_begin();
	for ( ; i < count && !interrupted() && !timeout_expired(); ++i ) {
		dbvh_distance_result result;
		progress_step( "poses measured", i, count );
		const dbvh_status status = run_query( w, pair_pose( &w->pair, i ), &result );
		if ( status == DBVH_CANCELLED )
			break;
		if ( status != DBVH_OK )
			return complain( "pose %zu: %s", i, dbvh_status_text( status ) );
		keep( w, i, &result );
		add( &s, i, &result );
		if ( w->pair.as_json )
			json_result( &j, i, &result );
		else if ( !w->pair.quiet )
			print_text( w, i, &result );
		else if ( s.intersecting > 0 )
			return EXIT_INTERFERENCE; // nothing that follows changes the exit status
		if ( ferror( stdout ) )
			return finish_output( EXIT_ERROR ); // nobody listens any more
	}
	progress_end();
	if ( w->pair.as_json ) {
		json_close( &j, ']' );
		if ( i < count )
			json_interrupted( &j, i );
		json_close( &j, '}' );
		putchar( '\n' );
	} else if ( !w->pair.quiet ) {
		if ( i < count && ( w->pair.pose_file != NULL || timeout_expired() ) )
			pair_print_interrupted( &w->pair, i );
		if ( w->pair.pose_file != NULL )
			print_summary( &s, i );
	}
	const bool late = i < count && timeout_expired();
	const int status = finish_output( s.intersecting > 0 ? EXIT_INTERFERENCE : late ? EXIT_UNDECIDABLE : EXIT_CLEAR );
	return i < count ? interrupt_finish( status ) : status;
}

// ------------------------------------------------------------------------------------------------
// --output

// A record of the .npy file.
typedef struct row {
	uint64_t pose;
	double distance, point_a[3], point_b[3], between[3];
	int64_t pair[2];
	bool found, intersecting;
} row;

static const record fields = { .count = 8,
                               .fields = { { "pose", RECORD_COUNT, 1, offsetof( row, pose ) },
                                           { "intersecting", RECORD_BOOL, 1, offsetof( row, intersecting ) },
                                           { "found", RECORD_BOOL, 1, offsetof( row, found ) },
                                           { "distance", RECORD_REAL, 1, offsetof( row, distance ) },
                                           { "pair", RECORD_INDEX, 2, offsetof( row, pair ) },
                                           { "point_a", RECORD_REAL, 3, offsetof( row, point_a ) },
                                           { "point_b", RECORD_REAL, 3, offsetof( row, point_b ) },
                                           { "between", RECORD_REAL, 3, offsetof( row, between ) } } };

static row row_of( size_t pose, const dbvh_distance_result *r ) {
	row x = { .pose = pose,
	          .distance = r->found ? r->distance : NAN,
	          .pair = { r->found ? (int64_t)r->pair.a : -1, r->found ? (int64_t)r->pair.b : -1 },
	          .found = r->found,
	          .intersecting = intersects( r ) };
	for ( int i = 0; i < 3; ++i ) {
		x.point_a[i] = r->found ? r->point_a[i] : NAN;
		x.point_b[i] = r->found ? r->point_b[i] : NAN;
		x.between[i] = r->found ? r->between[i] : NAN;
	}
	return x;
}

enum { SUM_INTERSECTING, SUM_FOUND };

static dbvh_status answer( void *user, size_t i, results_form form, FILE *file, results_tally *tally ) {
	settings *w = user;
	dbvh_distance_result r;
	const dbvh_status status = run_query( w, pair_pose( &w->pair, i ), &r );
	if ( status != DBVH_OK )
		return status;
	keep( w, i, &r );
	tally->counts[SUM_INTERSECTING] += intersects( &r );
	tally->counts[SUM_FOUND] += r.found;
	if ( r.found )
		tally_least( tally, r.distance, i );
	if ( form == RESULTS_NPY ) {
		const row x = row_of( i, &r );
		record_write( &fields, &x, file );
		return DBVH_OK;
	}
	json j = { .file = file };
	json_result( &j, i, &r );
	putc( '\n', file );
	return DBVH_OK;
}

static void summarise( void *user, const results_tally *tally, size_t finished ) {
	const settings *w = user;
	const summary s = { .intersecting = tally->counts[SUM_INTERSECTING],
	                    .found = tally->counts[SUM_FOUND],
	                    .nearest = tally->least_case,
	                    .least = tally->least };
	if ( w->pair.quiet )
		return;
	if ( finished < pair_pose_count( &w->pair ) )
		pair_print_interrupted( &w->pair, finished );
	print_summary( &s, finished );
}

static int status_of( void *user, const results_tally *tally ) {
	(void)user;
	return tally->counts[SUM_INTERSECTING] > 0 ? EXIT_INTERFERENCE : EXIT_CLEAR;
}

static int run_to_file( settings *w ) {
	static fingerprint about;
	char number[3][REAL_ROOM];
	pair_describe( &w->pair, &about );
	fingerprint_say( &about, "questions", "--error-relative %s --error-absolute %s --max-distance %s",
	                 real_text( w->query.relative_error, number[0] ), real_text( w->query.absolute_error, number[1] ),
	                 real_text( w->query.limit, number[2] ) );
	const results_work work = { .doing = "poses measured",
	                            .one = "pose",
	                            .case_count = pair_pose_count( &w->pair ),
	                            .record = &fields,
	                            .about = &about,
	                            .user = w,
	                            .answer = answer,
	                            .summary = summarise,
	                            .status = status_of };
	return results_run( &w->results, "distance", &work );
}

static int write_capture( const settings *w ) {
	dbvh_capture x = pair_capture( &w->pair, false );
	x.call = DBVH_CAPTURE_CALL_DISTANCE;
	x.distance = w->query;
	x.distance.policy = w->pair.policy;
	return capture_write( &x, w->pair.tree_a, w->pair.tree_b, w->pair.capture_file );
}

static int run( settings *w ) {
	const bool draws = picture_outputs_any( &w->pictures );
	if ( !pair_load( &w->pair, draws, draws || w->results.file != NULL ) || !pair_check_capture( &w->pair ) ||
	     ( draws && !pair_keep_facts( &w->pair ) ) )
		return EXIT_ERROR;
	int status = w->pair.capture_file != NULL ? write_capture( w ) : EXIT_CLEAR;
	if ( status != EXIT_CLEAR )
		return status;
	timeout_begin( w->timeout );
	status = w->results.file != NULL ? run_to_file( w ) : run_queries( w );
	if ( !draws || status == EXIT_ERROR || interrupted() )
		return status;
	w->pictures.wishes.distance = true;
	progress_begin( !w->pair.quiet );
	const bool drawn =
	    picture_outputs_write_pair( &w->pictures, &w->pair, w->pair.quiet || w->pair.as_json ) == EXIT_CLEAR;
	return interrupt_finish( finish_output( drawn ? status : EXIT_ERROR ) );
}

static bool operand( void *target, const char *text ) {
	return pair_operand( &( (settings *)target )->pair, "distance", text );
}

static const arg_table table = { "distance", options, OPTION_COUNT, help, operand };

int cmd_distance( int argc, char **argv ) {
	settings w = { 0 };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	if ( status == ARGS_GO_ON )
		status = pair_check_options( &w.pair, "distance" );
	if ( status == ARGS_GO_ON )
		status = pair_check_results( &w.pair, &w.results, "distance" );
	if ( status == ARGS_GO_ON )
		status = picture_outputs_check( &w.pictures, "distance", pair_inputs( &w.pair ).files, PAIR_FILE_COUNT,
		                                !w.pair.quiet );
	if ( status != ARGS_GO_ON )
		return status;
	progress_begin( !w.pair.quiet );
	status = run( &w );
	progress_end();
	pair_free( &w.pair );
	return status;
}
