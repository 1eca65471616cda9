// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh sweep: when does B, on its way from pose to pose, meet A for the first time?

#include "args.h"
#include "number.h"
#include "pair.h"
#include "progress.h"

#include <stdio.h>

typedef struct wishes {
	mesh_pair pair;
	const char *from, *to;
	double centre[3];
	double tolerance;
	bool has_centre;
} wishes;

static const arg_option options[] = {
    { "from", 'f', "POSE", ARG_TO( ARG_TEXT, from ), "where B begins (where its file puts it)" },
    { "to", 't', "POSE", ARG_TO( ARG_TEXT, to ), "where it goes" },
    { "poses", 'p', "FILE", ARG_TO( ARG_TEXT, pair.pose_file ),
      "the way in legs: from the first of these poses to the second, and so on; - is standard input" },
    { "centre", 'c', "X,Y,Z", ARG_TO( ARG_TRIPLE, centre ),
      "the point of B, in B's coordinates, that goes straight while B turns (one on the axis of the screw)" },
    { "tolerance", 0, "T", ARG_TO( ARG_PART, tolerance ),
      "how much later than the time that is said there may be contact, in parts of a leg (2^-20)" },
    { "json", 0, NULL, ARG_TO( ARG_FLAG, pair.as_json ), "print one JSON object, schema dualbvh.sweep/1" },
    PAIR_QUIET_ENTRY,
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};
enum { OPTION_COUNT = sizeof( options ) / sizeof( options[0] ), CENTRE = 3 };

static int help( void ) {
	puts( "Usage: dualbvh sweep A B --to POSE [OPTION]...\n"
	      "\n"
	      "Tells when mesh B, on its way from pose to pose, meets mesh A for the first time. A stays where its\n"
	      "file puts it. B goes straight where both poses turn it alike, else on the screw that leads from one\n"
	      "to the other, or with its --centre going straight. Time runs from 0 to 1, on every leg anew. Before\n"
	      "the time that is said there is certainly no contact; and where none is said, there is none at all.\n"
	      "\n"
	      "A POSE is twelve numbers in one argument, the rows of [R|t], or the name of a file that holds one.\n" );
	args_help( options, OPTION_COUNT );
	puts( "\n"
	      "Example: a gear comes along x towards another one.\n"
	      "  $ dualbvh sweep gear.ply gear.ply --from '1 0 0 40 0 1 0 0 0 0 1 0' --to '1 0 0 20 0 1 0 0 0 0 1 0'\n"
	      "\n"
	      "Exit status:\n"
	      "  0  the way is clear\n"
	      "  1  there is contact, or the meshes pass each other closer than doubles can tell\n"
	      "  2  a mistake in the command line or the input, or an output that cannot be written" );
	return finish_output( EXIT_APART );
}

static const char *const verdicts[] = { "clear", "contact", "close" };

// The first leg with a contact, or the last one.
typedef struct outcome {
	size_t leg, legs;
	dbvh_motion motion;
	dbvh_motion_result result;
} outcome;

static dbvh_status ask( const wishes *w, outcome *o ) {
	const mesh_pair *p = &w->pair;
	const dbvh_motion_query query = { .tolerance = w->tolerance };
	o->legs = p->poses.count - 1;
	for ( o->leg = 0;; ++o->leg ) {
		progress_step( "legs searched", o->leg, o->legs );
		const dbvh_pose *from = &p->poses.poses[o->leg];
		dbvh_status status = dbvh_motion_between( from, from + 1, w->has_centre ? w->centre : NULL, &o->motion );
		if ( status == DBVH_OK )
			status = dbvh_motion_sweep( p->tree_a, NULL, p->tree_b, &o->motion, &query, p->workspace, &o->result );
		if ( status != DBVH_OK || o->result.verdict != DBVH_MOTION_CLEAR || o->leg + 1 == o->legs )
			return status;
	}
}

static void print_point( const char *of, uint32_t triangle, const double x[3] ) {
	char text[3][REAL_ROOM];
	printf( "  triangle %u of %s at (%s, %s, %s)\n", triangle, of, real_text( x[0], text[0] ),
	        real_text( x[1], text[1] ), real_text( x[2], text[2] ) );
}

static void print_text( const wishes *w, const outcome *o ) {
	char number[REAL_ROOM], more[REAL_ROOM];
	const dbvh_motion_result *r = &o->result;
	printf( "%s and %s: ", w->pair.file_a, w->pair.file_b );
	if ( r->verdict == DBVH_MOTION_CLEAR ) {
		puts( "the way is clear" );
		return;
	}
	if ( o->legs > 1 )
		printf( "leg %zu: ", o->leg );
	if ( r->verdict == DBVH_MOTION_CONTACT && r->upper == 0.0 )
		puts( "contact from the beginning" );
	else if ( r->verdict == DBVH_MOTION_CONTACT )
		printf( "contact at time %s, or at most %s later\n", real_text( r->time, number ),
		        real_text( r->upper - r->time, more ) );
	else
		printf( "no contact before time %s; then they are at most %s apart, and whether they meet is not said\n",
		        real_text( r->time, number ), real_text( r->distance, more ) );
	print_point( "A", r->pair.a, r->point_a );
	print_point( "B", r->pair.b, r->point_b );
}

static void print_json( const wishes *w, const outcome *o ) {
	json j = { .file = stdout };
	const dbvh_motion_result *r = &o->result;
	json_open( &j, '{' );
	json_put_string( &j, "schema", "dualbvh.sweep/1" );
	pair_json( &j, &w->pair );
	json_put_string( &j, "frame", "a" );
	json_put_count( &j, "legs", o->legs );
	json_put_real( &j, "tolerance", w->tolerance > 0.0 ? w->tolerance : 0x1p-20 );
	json_put_string( &j, "verdict", verdicts[r->verdict] );
	if ( r->verdict != DBVH_MOTION_CLEAR ) {
		const dbvh_pose pose = dbvh_motion_pose( &o->motion, r->time );
		json_put_count( &j, "leg", o->leg );
		json_put_real( &j, "time", r->time );
		json_put_real( &j, "upper", r->upper );
		json_put_real( &j, "distance", r->distance );
		json_key( &j, "pair" );
		json_pair( &j, r->pair );
		json_put_reals( &j, "point_a", r->point_a, 3 );
		json_put_reals( &j, "point_b", r->point_b, 3 );
		json_put_reals( &j, "normal", r->normal, 3 );
		json_key( &j, "pose" );
		json_open( &j, '[' );
		for ( int i = 0; i < 3; ++i ) {
			for ( int k = 0; k < 3; ++k )
				json_real( &j, pose.rot[i][k] );
			json_real( &j, pose.pos[i] );
		}
		json_close( &j, ']' );
	}
	json_counters( &j, &r->counters );
	json_close( &j, '}' );
	putchar( '\n' );
}

static int run( const wishes *w ) {
	outcome o;
	const dbvh_status status = ask( w, &o );
	progress_end();
	if ( status != DBVH_OK )
		return complain( "leg %zu: %s", o.leg, dbvh_status_text( status ) );
	if ( w->pair.as_json )
		print_json( w, &o );
	else if ( !w->pair.quiet )
		print_text( w, &o );
	return finish_output( o.result.verdict == DBVH_MOTION_CLEAR ? EXIT_APART : EXIT_MEETING );
}

static bool operand( void *wished, const char *text ) {
	return pair_operand( &( (wishes *)wished )->pair, "sweep", text );
}

static const arg_table table = { "sweep", options, OPTION_COUNT, help, operand };

static int settle( wishes *w, uint64_t given ) {
	const bool ends = w->from != NULL || w->to != NULL;
	w->has_centre = ( given >> CENTRE & 1 ) != 0;
	if ( ends && w->pair.pose_file != NULL )
		return args_refuse( "sweep", "--poses says all of the way; --from and --to exclude it" );
	if ( w->to == NULL && w->pair.pose_file == NULL )
		return args_refuse( "sweep", "where does B go? --to or --poses says it" );
	return pair_settle( &w->pair, "sweep" );
}

// The poses of the way, at least two. False after a sentence.
static bool read_way( wishes *w ) {
	pose_list *list = &w->pair.poses;
	if ( w->pair.pose_file != NULL ) {
		if ( list->count < 2 )
			complain( "%s: a way needs two poses at least", w->pair.pose_file );
		return list->count >= 2;
	}
	dbvh_pose from = dbvh_pose_identity(), to;
	if ( w->from != NULL && !pose_argument( "--from", w->from, &from ) )
		return false;
	return pose_argument( "--to", w->to, &to ) && poses_append( list, &from ) && poses_append( list, &to );
}

int cmd_sweep( int argc, char **argv ) {
	wishes w = { 0 };
	uint64_t given;
	int status = args_read( &table, argc, argv, &w, &given );
	if ( status == ARGS_GO_ON )
		status = settle( &w, given );
	if ( status != ARGS_GO_ON )
		return status;
	progress_begin( !w.pair.quiet );
	status = pair_load( &w.pair, false ) && read_way( &w ) ? run( &w ) : EXIT_TROUBLE;
	progress_end();
	pair_free( &w.pair );
	return status;
}
