// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh toi: when does B, moving from pose to pose, first touch A? A may move as well.

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
#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The path of a mesh. B's poses, and the file of them, are in `pair`.
typedef struct path {
	const char *from, *to;
	double centre[3];
	bool has_centre;
} path;

typedef struct settings {
	mesh_pair pair;
	path a, b;
	const char *pose_file_a;
	pose_list poses_a;
	bool a_is_placed; // not where its file puts it, or not all the time
	double tolerance, timeout;
	picture_outputs pictures;
} settings;

static const arg_option options[] = {
    { "from", 0, "POSE", ARG_TO( ARG_TEXT, b.from ), "where B starts (default: where its file puts it)" },
    { "to", 0, "POSE", ARG_TO( ARG_TEXT, b.to ), "where it goes" },
    { "poses", 'p', "FILE", ARG_TO( ARG_TEXT, pair.pose_file ),
      "the path in legs: from the first of these poses to the second, and so on; - is standard input" },
    { "centre", 0, "X,Y,Z", ARG_TO( ARG_TRIPLE, b.centre ),
      "the point of B, in B's coordinates, that moves in a straight line while B turns (default: one on the axis of "
      "the screw)" },
    { "from-a", 0, "POSE", ARG_TO( ARG_TEXT, a.from ), "where A starts, or stays (default: where its file puts it)" },
    { "to-a", 0, "POSE", ARG_TO( ARG_TEXT, a.to ), "where A goes at the same time (default: it stays)" },
    { "poses-a", 0, "FILE", ARG_TO( ARG_TEXT, pose_file_a ), "its path in as many legs as that of B" },
    { "centre-a", 0, "X,Y,Z", ARG_TO( ARG_TRIPLE, a.centre ), "the same for A" },
    POSES_FORMAT_ENTRY( pair.pose_options ),
    POSES_NORMALISE_ENTRY( pair.pose_options ),
    POSES_NORMALIZE_ENTRY( pair.pose_options ),
    { "tolerance", 0, "T", ARG_TO( ARG_PART, tolerance ),
      "how much later than the printed time the contact may be, as a fraction of a leg (2^-20)" },
    PAIR_QUALITY_ENTRY,
    TIMEOUT_ENTRY,
    { "capture", 0, "FILE", ARG_TO( ARG_TEXT, pair.capture_file ),
      "also write the question about the last leg that was searched to FILE, for 'dualbvh replay'" },
    PICTURE_HTML_ENTRY( pictures ),
    PICTURE_PNG_ENTRY( pictures ),
    { "json", 0, NULL, ARG_TO( ARG_FLAG, pair.as_json ), "print one JSON object, schema dualbvh.toi/1" },
    CACHE_ENTRY( pair.cache ),
    SKIP_BAD_FACES_ENTRY( pair.skips_bad_faces ),
    SCENE_TRUST_ENTRIES( pair.trust ),
    PAIR_QUIET_ENTRY,
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};
enum { OPTION_COUNT = sizeof( options ) / sizeof( options[0] ), CENTRE = 3, CENTRE_A = 7 };

static int help( void ) {
	help_text(
	    "Usage: dualbvh toi A B --to POSE [OPTION]...\n"
	    "\n"
	    "Computes the time of impact (continuous collision detection): when mesh B, moving from pose to pose, first\n"
	    "touches mesh A. A stays where its file puts it, unless it is given a path as well. Between two poses a\n"
	    "mesh moves in a straight line where both have the same rotation, else along the screw from one to the\n"
	    "other, or with its centre in a straight line. Time runs from 0 to 1 on every leg. Before the time that\n"
	    "is printed there is certainly no contact; where none is printed, there is none at all. Coordinates are\n"
	    "in the frame that the poses map to.\n"
	    "\n"
	    "A POSE is twelve numbers in one argument, the rows of [R|t], or the name of a file that holds one.\n" );
	help_options( options, OPTION_COUNT );
	help_text(
	    POSES_HELP
	    "\n"
	    "Example: a gear approaches another one along x.\n"
	    "  $ dualbvh toi gear.ply gear.ply --from '1 0 0 40 0 1 0 0 0 0 1 0' --to '1 0 0 20 0 1 0 0 0 0 1 0'\n"
	    "\n"
	    "Example: meanwhile the first one makes a quarter turn and moves aside.\n"
	    "  $ dualbvh toi gear.ply gear.ply --from '1 0 0 40 0 1 0 0 0 0 1 0' --to '1 0 0 20 0 1 0 0 0 0 1 0' \\\n"
	    "        --to-a '0 -1 0 0 1 0 0 -20 0 0 1 0'\n"
	    "\n"
	    "Exit status:\n"
	    "  0  the path is clear\n"
	    "  1  there is contact, or the meshes pass each other closer than doubles can tell\n"
	    "  2  a mistake in the command line or the input, or an output that cannot be written\n"
	    "  3  --timeout ended the work, and the path is clear until then" );
	return finish_output( EXIT_CLEAR );
}

static const char *const verdicts[] = { "clear", "contact", "close" };

// The first leg with a contact, or the last one.
typedef struct outcome {
	size_t leg, legs;
	bool is_cut_short; // ended by Ctrl-C or --timeout, before this leg or within it
	double until;      // the leg is clear up to this time
	dbvh_motion motion_a, motion_b;
	dbvh_toi_result result;
} outcome;

static dbvh_status motion_of( const path *w, const pose_list *list, size_t leg, dbvh_motion *out ) {
	const dbvh_pose *from = &list->poses[leg];
	return dbvh_motion_between( from, from + 1, w->has_centre ? w->centre : NULL, out, NULL );
}

static dbvh_status run_query( const settings *w, outcome *o ) {
	const mesh_pair *p = &w->pair;
	const dbvh_toi_query query = { .tolerance = w->tolerance, .budget = timeout_budget() };
	o->legs = p->poses.count - 1;
	o->is_cut_short = false;
	for ( o->leg = 0;; ++o->leg ) {
		o->is_cut_short = interrupted() || timeout_expired();
		if ( o->is_cut_short )
			return DBVH_OK;
		progress_step( "legs searched", o->leg, o->legs );
		dbvh_status status = motion_of( &w->b, &p->poses, o->leg, &o->motion_b );
		if ( status == DBVH_OK && w->a_is_placed )
			status = motion_of( &w->a, &w->poses_a, o->leg, &o->motion_a );
		if ( status == DBVH_OK )
			status = dbvh_time_of_impact( p->tree_a, w->a_is_placed ? &o->motion_a : NULL, p->tree_b, &o->motion_b,
			                              &query, p->workspace, &o->result, NULL );
		if ( status == DBVH_CANCELLED ) {
			o->is_cut_short = true;
			o->until = o->result.time;
			return DBVH_OK;
		}
		if ( status != DBVH_OK || o->result.verdict != DBVH_TOI_VERDICT_CLEAR || o->leg + 1 == o->legs )
			return status;
	}
}

static int write_capture( const settings *w, const outcome *o ) {
	const mesh_pair *p = &w->pair;
	dbvh_capture x = { .call = DBVH_CAPTURE_CALL_TIME_OF_IMPACT,
	                   .mesh_a = dbvh_mesh_get_view( p->mesh_a ),
	                   .options_a = dbvh_tree_options_default(),
	                   .options_b = dbvh_tree_options_default(),
	                   .placed_a = w->a_is_placed,
	                   .placed_b = true,
	                   .motion_a = o->motion_a,
	                   .motion_b = o->motion_b,
	                   .toi = { .tolerance = w->tolerance } };
	if ( p->mesh_b != p->mesh_a )
		x.mesh_b = dbvh_mesh_get_view( p->mesh_b );
	return capture_write( &x, p->tree_a, p->tree_b, p->capture_file );
}

static void print_point( const char *of, uint32_t triangle, const double x[3] ) {
	char text[3][REAL_ROOM];
	printf( "  triangle %u of %s at (%s, %s, %s)\n", triangle, of, real_text( x[0], text[0] ),
	        real_text( x[1], text[1] ), real_text( x[2], text[2] ) );
}

static void print_text( const settings *w, const outcome *o ) {
	char number[REAL_ROOM], more[REAL_ROOM];
	const dbvh_toi_result *r = &o->result;
	printf( "%s and %s: ", w->pair.file_a, w->pair.file_b );
	if ( o->is_cut_short && timeout_expired() ) {
		if ( o->legs > 1 )
			printf( "leg %zu: ", o->leg );
		printf( "no contact before time %s, and then ", real_text( o->until, number ) );
		timeout_print();
		return;
	}
	if ( o->is_cut_short ) {
		printf( "interrupted: %zu of %zu legs are finished, and clear\n", o->leg, o->legs );
		return;
	}
	if ( r->verdict == DBVH_TOI_VERDICT_CLEAR ) {
		puts( "the path is clear" );
		return;
	}
	if ( o->legs > 1 )
		printf( "leg %zu: ", o->leg );
	if ( r->verdict == DBVH_TOI_VERDICT_CONTACT && r->upper == 0.0 )
		puts( "contact from the beginning" );
	else if ( r->verdict == DBVH_TOI_VERDICT_CONTACT )
		printf( "contact at time %s, or at most %s later\n", real_text( r->time, number ),
		        real_text( r->upper - r->time, more ) );
	else
		printf( "no contact before time %s; then the distance is at most %s, too small to tell whether they touch\n",
		        real_text( r->time, number ), real_text( r->distance, more ) );
	print_point( "A", r->pair.a, r->point_a );
	print_point( "B", r->pair.b, r->point_b );
}

static void print_pose( json *j, const char *key, const dbvh_motion *motion, double t ) {
	const dbvh_pose pose = dbvh_motion_pose( motion, t );
	json_key( j, key );
	json_open( j, '[' );
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			json_number( j, pose.rot[i][k] );
		json_number( j, pose.pos[i] );
	}
	json_close( j, ']' );
}

static void print_json( const settings *w, const outcome *o ) {
	json j = { .file = stdout };
	const dbvh_toi_result *r = &o->result;
	json_open( &j, '{' );
	json_put_string( &j, "schema", "dualbvh.toi/1" );
	pair_json( &j, &w->pair );
	json_put_string( &j, "frame", w->a_is_placed ? "common" : "a" );
	json_put_count( &j, "legs", o->legs );
	json_put_real( &j, "tolerance", w->tolerance > 0.0 ? w->tolerance : 0x1p-20 );
	if ( o->is_cut_short ) {
		json_interrupted( &j, o->leg );
		json_put_real( &j, "clear_until", o->until );
	} else
		json_put_string( &j, "verdict", verdicts[r->verdict] );
	if ( !o->is_cut_short && r->verdict != DBVH_TOI_VERDICT_CLEAR ) {
		json_put_count( &j, "leg", o->leg );
		json_put_real( &j, "time", r->time );
		json_put_real( &j, "upper", r->upper );
		json_put_real( &j, "distance", r->distance );
		json_key( &j, "pair" );
		json_pair( &j, r->pair );
		json_put_reals( &j, "point_a", r->point_a, 3 );
		json_put_reals( &j, "point_b", r->point_b, 3 );
		json_put_reals( &j, "normal", r->normal, 3 );
		print_pose( &j, "pose", &o->motion_b, r->time );
		if ( w->a_is_placed )
			print_pose( &j, "pose_a", &o->motion_a, r->time );
	}
	json_counters( &j, &r->counters );
	json_close( &j, '}' );
	putchar( '\n' );
}

enum { SAMPLES = 60 }; // frames a leg

// Draw the whole way, with a frame at the time of the impact.
static int draw( const settings *w, const outcome *o ) {
	const mesh_pair *p = &w->pair;
	const picture_pair pair = { .files = { p->file_a, p->file_b },
	                            .meshes = { p->mesh_a, p->mesh_b },
	                            .trees = { p->tree_a, p->tree_b },
	                            .metres = p->metres };
	const dbvh_toi_result *r = &o->result;
	const bool hits = !o->is_cut_short && r->verdict != DBVH_TOI_VERDICT_CLEAR;
	const bool meets = hits && isfinite( r->upper );
	const picture_impact impact = { .leg = o->leg, .time = meets ? r->upper : r->time, .meets = meets };
	picture made = { 0 };
	dbvh_motion *a = malloc( o->legs * sizeof *a ), *b = malloc( o->legs * sizeof *b );
	dbvh_status status = a != NULL && b != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	for ( size_t i = 0; i < o->legs && status == DBVH_OK; ++i ) {
		status = motion_of( &w->b, &p->poses, i, &b[i] );
		if ( status == DBVH_OK && w->a_is_placed )
			status = motion_of( &w->a, &w->poses_a, i, &a[i] );
	}
	picture_wishes wishes = picture_outputs_wishes( &w->pictures );
	wishes.distance = true;
	int ending = EXIT_ERROR;
	progress_begin( !p->quiet );
	if ( status != DBVH_OK )
		complain( "%s", dbvh_status_text( status ) );
	else if ( picture_from_motions( &pair, w->a_is_placed ? a : NULL, b, o->legs, SAMPLES, hits ? &impact : NULL,
	                                &wishes, &made ) )
		ending = picture_outputs_write( &w->pictures, &made, p->quiet || p->as_json );
	picture_free( &made );
	free( a );
	free( b );
	return ending;
}

static int run( const settings *w ) {
	outcome o = { 0 };
	interrupt_begin();
	timeout_begin( w->timeout );
	const dbvh_status status = run_query( w, &o );
	progress_end();
	if ( status != DBVH_OK )
		return complain( "leg %zu: %s", o.leg, dbvh_status_text( status ) );
	if ( w->pair.capture_file != NULL && write_capture( w, &o ) != EXIT_CLEAR )
		return EXIT_ERROR;
	if ( w->pair.as_json )
		print_json( w, &o );
	else if ( !w->pair.quiet )
		print_text( w, &o );
	if ( picture_outputs_any( &w->pictures ) && draw( w, &o ) != EXIT_CLEAR )
		return finish_output( EXIT_ERROR );
	const bool late = o.is_cut_short && timeout_expired();
	const bool clear = o.is_cut_short || o.result.verdict == DBVH_TOI_VERDICT_CLEAR;
	const int ending = finish_output( late ? EXIT_UNDECIDABLE : clear ? EXIT_CLEAR : EXIT_INTERFERENCE );
	return o.is_cut_short || picture_outputs_any( &w->pictures ) ? interrupt_finish( ending ) : ending;
}

static bool operand( void *target, const char *text ) {
	return pair_operand( &( (settings *)target )->pair, "toi", text );
}

static const arg_table table = { "toi", options, OPTION_COUNT, help, operand };

static int check_settings( settings *w, uint64_t given ) {
	const path *a = &w->a, *b = &w->b;
	w->b.has_centre = ( given >> CENTRE & 1 ) != 0;
	w->a.has_centre = ( given >> CENTRE_A & 1 ) != 0;
	w->a_is_placed = a->from != NULL || a->to != NULL || w->pose_file_a != NULL;
	const char *files[2] = { w->pair.pose_file, w->pose_file_a };
	if ( files[0] != NULL && ( b->from != NULL || b->to != NULL ) )
		return args_refuse( "toi", "--poses and --%s exclude each other: it gives the whole path",
		                    b->to != NULL ? "to" : "from" );
	if ( files[1] != NULL && ( a->from != NULL || a->to != NULL ) )
		return args_refuse( "toi", "--poses-a and --%s exclude each other: it gives the whole path",
		                    a->to != NULL ? "to-a" : "from-a" );
	if ( b->to == NULL && files[0] == NULL && a->to == NULL && files[1] == NULL )
		return args_refuse( "toi", "no motion given: B needs --to or --poses, or A --to-a or --poses-a" );
	if ( w->a.has_centre && a->to == NULL && files[1] == NULL )
		return args_refuse( "toi", "--centre-a needs --to-a or --poses-a" );
	if ( files[0] != NULL && files[1] != NULL && files[0][0] == '-' && files[1][0] == '-' && files[0][1] == '\0' &&
	     files[1][1] == '\0' )
		return args_refuse( "toi", "standard input can give one path only" );
	const char *const inputs[] = { w->pair.file_a, w->pair.file_b, files[0], files[1],
	                               b->from,        b->to,          a->from,  a->to }; // poses may be files, too
	const int status = pair_check_options( &w->pair, "toi" );
	return status == ARGS_GO_ON
	           ? picture_outputs_check( &w->pictures, "toi", inputs, sizeof inputs / sizeof inputs[0], !w->pair.quiet )
	           : status;
}

// The poses of a path without a file: one, or two where the mesh moves. False after a sentence.
static bool read_ends( const path *w, const char *from_name, const char *to_name, const pose_options *rule,
                       pose_list *list ) {
	const dbvh_pose identity = dbvh_pose_identity();
	if ( w->from != NULL ? !pose_argument( from_name, w->from, rule, list ) : !poses_append( list, &identity ) )
		return false;
	return w->to == NULL || pose_argument( to_name, w->to, rule, list );
}

static bool has_legs( const char *file, const pose_list *list ) {
	if ( list->count < 2 )
		complain( "%s: a path needs at least two poses", file );
	return list->count >= 2;
}

// Repeat the only pose for every leg.
static bool stay( pose_list *list, size_t count ) {
	const dbvh_pose pose = list->poses[0];
	while ( list->count < count )
		if ( !poses_append( list, &pose ) )
			return false;
	return true;
}

// The poses of both ways, at least two, and as many of A as of B. False after a sentence.
static bool read_paths( settings *w ) {
	pose_list *a = &w->poses_a, *b = &w->pair.poses;
	const char *file_a = w->pose_file_a, *file_b = w->pair.pose_file;
	const pose_options *rule = &w->pair.pose_options;
	if ( file_b != NULL ? !has_legs( file_b, b ) : !read_ends( &w->b, "--from", "--to", rule, b ) )
		return false;
	if ( file_a != NULL ? !poses_read( file_a, rule, a ) || !has_legs( file_a, a )
	                    : !read_ends( &w->a, "--from-a", "--to-a", rule, a ) )
		return false;
	const size_t count = a->count > b->count ? a->count : b->count;
	if ( ( a->count > 1 && a->count < count ) || ( b->count > 1 && b->count < count ) ) {
		complain( "the path of A has %zu poses and that of B %zu; both need the same number of legs", a->count,
		          b->count );
		return false;
	}
	return stay( a, count ) && stay( b, count );
}

int cmd_toi( int argc, char **argv ) {
	settings w = { 0 };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	if ( status == ARGS_GO_ON )
		status = check_settings( &w, given );
	if ( status != ARGS_GO_ON )
		return status;
	progress_begin( !w.pair.quiet );
	status =
	    pair_load( &w.pair, picture_outputs_any( &w.pictures ), true ) && read_paths( &w ) ? run( &w ) : EXIT_ERROR;
	progress_end();
	pair_free( &w.pair );
	poses_free( &w.poses_a );
	return status;
}
