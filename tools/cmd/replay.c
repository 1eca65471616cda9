// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh replay: repeats the query of a capture in every way there is, and says whether the answers agree.

#include "cli/args.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "cmd/capture_run.h"
#include "cmd/cmd.h"
#include "text/json.h"
#include "text/number.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
	const char *file;
	bool as_json, quiet;
} settings;

static const arg_option options[] = {
    { "json", 0, NULL, ARG_TO( ARG_FLAG, as_json ), "print one JSON object, schema dualbvh.replay/1" },
    { "quiet", 'q', NULL, ARG_TO( ARG_FLAG, quiet ), "print nothing but complaints; the exit status tells" },
    ARG_HELP_ENTRY,
    ARG_VERSION_ENTRY,
};
enum { OPTION_COUNT = sizeof( options ) / sizeof( options[0] ) };

static int help( void ) {
	help_text(
	    "Usage: dualbvh replay FILE [--json | --quiet]\n"
	    "\n"
	    "Asks the question of a capture, which --capture or dbvh_capture_save() wrote, once more: under every\n"
	    "policy, with every instruction set of this machine, on one thread and on four, and, where the meshes\n"
	    "are small, with one triangle of each at a time. All answers must agree, and with the one in the file.\n" );
	help_options( options, OPTION_COUNT );
	help_text( "\n"
	           "Example: dualbvh check a.stl b.stl --capture question.capture; dualbvh replay question.capture\n"
	           "\n"
	           "Exit status:\n"
	           "  0  all answers agree\n"
	           "  2  a mistake in the command line or the file, no memory, or an output that cannot be written\n"
	           "  4  two answers differ" );
	return finish_output( EXIT_CLEAR );
}

static const char *const isas[] = { "avx512", "avx2", "neon", "baseline" };
static const char *const policies[] = { "default", "dual",      "rapid", "sat-lite",    "sphere",
                                        "packed",  "ellipsoid", "mixed", "packed-mixed" };
static const uint32_t thread_counts[] = { 1, 4 };
enum {
	ISA_COUNT = sizeof isas / sizeof *isas,
	POLICY_COUNT = sizeof policies / sizeof *policies,
	THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts
};

typedef struct outcome {
	const char *isa, *policy; // policy is NULL where the call has none
	uint32_t thread_count;
	dbvh_capture_answer answer;
	const char *difference; // from the first outcome; NULL: none
} outcome;

typedef struct replay {
	dbvh_capture *capture;
	outcome outcomes[ISA_COUNT * POLICY_COUNT * THREAD_COUNTS];
	size_t count;
	bool has_reference;
	dbvh_capture_answer reference;
	const char *reference_difference, *recorded_difference; // from the first outcome
	size_t differences;
} replay;

// ------------------------------------------------------------------------------------------------
// Queries

// All policies with one set of kernels and number of threads.
static bool ask_policies( replay *r, const char *isa, uint32_t thread_count ) {
	capture_trees trees;
	dbvh_error error;
	if ( !capture_build( r->capture, thread_count, &trees, &error ) ) {
		complain( "the trees cannot be built: %s", error.text );
		return false;
	}
	const bool has_policy = capture_has_policy( r->capture );
	for ( int k = 0; k < ( has_policy ? POLICY_COUNT : 1 ); ++k ) {
		outcome *const o = &r->outcomes[r->count++];
		*o = ( outcome ){ .isa = isa, .policy = has_policy ? policies[k] : NULL, .thread_count = thread_count };
		o->answer = capture_run( r->capture, &trees, (dbvh_policy)k, thread_count );
		o->difference = capture_difference( r->capture, &r->outcomes[0].answer, &o->answer, NULL );
		r->differences += o->difference != NULL;
	}
	capture_free( &trees );
	return true;
}

static bool ask( replay *r ) {
	for ( size_t i = 0; i < ISA_COUNT; ++i ) {
		if ( dbvh_isa_select( isas[i], NULL ) != DBVH_OK )
			continue; // this machine or this build lacks it
		for ( size_t t = 0; t < THREAD_COUNTS; ++t )
			if ( !ask_policies( r, isas[i], thread_counts[t] ) )
				return false;
	}
	const dbvh_capture_answer *const first = &r->outcomes[0].answer;
	capture_parts parts;
	r->has_reference = first->status == DBVH_OK && capture_reference( r->capture, &r->reference, &parts );
	if ( r->has_reference )
		r->reference_difference = capture_difference( r->capture, first, &r->reference, &parts );
	if ( r->capture->answer.known )
		r->recorded_difference = capture_difference( r->capture, first, &r->capture->answer, NULL );
	r->differences += ( r->reference_difference != NULL ) + ( r->recorded_difference != NULL );
	return true;
}

// ------------------------------------------------------------------------------------------------
// Output

static void print_answer( const dbvh_capture *capture, const dbvh_capture_answer *a ) {
	char value[REAL_ROOM], upper[REAL_ROOM];
	if ( a->status != DBVH_OK ) {
		printf( "refused: %s\n", dbvh_status_text( a->status ) );
		return;
	}
	switch ( capture->call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		fputs( a->verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint", stdout );
		break;
	case DBVH_CAPTURE_CALL_CLEARANCE:
		fputs( a->verdict != 0 ? "within the clearance" : "farther than the clearance", stdout );
		break;
	case DBVH_CAPTURE_CALL_RELATE:
		fputs( dbvh_relation_name( (dbvh_relation)a->verdict ), stdout );
		break;
	case DBVH_CAPTURE_CALL_TIME_OF_IMPACT: {
		static const char *const words[] = { "clear", "contact", "close", "undecided" };
		fputs( a->verdict < 4 ? words[a->verdict] : "?", stdout );
		if ( a->verdict != DBVH_TOI_VERDICT_CLEAR )
			printf( " between %s and %s", real_text( a->value, value ), real_text( a->upper, upper ) );
		break;
	}
	case DBVH_CAPTURE_CALL_DISTANCE:
	case DBVH_CAPTURE_CALL_CLOSEST_POINT:
		printf( a->verdict != 0 ? "distance %s" : "nothing within the limit", real_text( a->value, value ) );
		break;
	case DBVH_CAPTURE_CALL_RAYCAST:
	case DBVH_CAPTURE_CALL_SEGMENT_CAST:
		printf( a->verdict != 0 ? "a hit, t %s" : "no hit", real_text( a->value, value ) );
		break;
	case DBVH_CAPTURE_CALL_CONTACTS:
		printf( "%llu cluster%s", (unsigned long long)a->verdict, plural( (size_t)a->verdict ) );
		break;
	}
	if ( a->count > 0 && capture->call != DBVH_CAPTURE_CALL_RELATE )
		printf( ", %llu in all", (unsigned long long)a->count );
	putchar( '\n' );
}

static void print_text( const settings *w, const replay *r ) {
	const dbvh_capture *const x = r->capture;
	printf( "%s: %s of %zu", w->file, dbvh_capture_call_name( x->call ), x->mesh_a.triangle_count );
	if ( x->mesh_b.positions != NULL )
		printf( " and %zu", x->mesh_b.triangle_count );
	printf( " triangles: " );
	print_answer( x, &r->outcomes[0].answer );
	size_t agree = 0;
	for ( size_t i = 0; i < r->count; ++i ) {
		const outcome *const o = &r->outcomes[i];
		agree += o->difference == NULL;
		if ( o->difference == NULL )
			continue;
		printf( "  %s%s%s, %u thread%s: another %s: ", o->isa, o->policy != NULL ? ", " : "",
		        o->policy != NULL ? o->policy : "", o->thread_count, plural( o->thread_count ), o->difference );
		print_answer( x, &o->answer );
	}
	printf( "  %zu of %zu runs agree\n", agree, r->count );
	if ( !r->has_reference )
		puts( "  no reference: the call has none, or the meshes are too large" );
	else if ( r->reference_difference == NULL )
		puts( "  one triangle at a time: agrees" );
	else
		printf( "  one triangle at a time: another %s\n", r->reference_difference );
	if ( !x->answer.known )
		puts( "  the file has no answer" );
	else if ( r->recorded_difference == NULL )
		puts( "  the answer in the file: agrees" );
	else {
		printf( "  the answer in the file has another %s: ", r->recorded_difference );
		print_answer( x, &x->answer );
	}
}

static void json_answer( json *j, const dbvh_capture_answer *a ) {
	json_open( j, '{' );
	json_put_string( j, "status", dbvh_status_name( a->status ) );
	json_put_count( j, "verdict", a->verdict );
	json_put_count( j, "count", a->count );
	json_put_count( j, "first_a", a->first.a );
	json_put_count( j, "first_b", a->first.b );
	json_put_real( j, "value", a->value );
	json_put_real( j, "upper", a->upper );
	json_close( j, '}' );
}

static void json_difference( json *j, const char *difference ) {
	json_put_bool( j, "agrees", difference == NULL );
	if ( difference != NULL )
		json_put_string( j, "difference", difference );
}

static void json_other( json *j, const char *key, const dbvh_capture_answer *answer, const char *difference ) {
	json_key( j, key );
	json_open( j, '{' );
	json_difference( j, difference );
	json_key( j, "answer" );
	json_answer( j, answer );
	json_close( j, '}' );
}

static void print_json( const settings *w, const replay *r ) {
	json j = { .file = stdout };
	json_open( &j, '{' );
	json_put_string( &j, "schema", "dualbvh.replay/1" );
	json_put_string( &j, "file", w->file );
	json_put_string( &j, "call", dbvh_capture_call_name( r->capture->call ) );
	json_put_count( &j, "triangles_a", r->capture->mesh_a.triangle_count );
	if ( r->capture->mesh_b.positions != NULL )
		json_put_count( &j, "triangles_b", r->capture->mesh_b.triangle_count );
	json_put_bool( &j, "agree", r->differences == 0 );
	json_key( &j, "runs" );
	json_open( &j, '[' );
	for ( size_t i = 0; i < r->count; ++i ) {
		const outcome *const o = &r->outcomes[i];
		json_break( &j );
		json_open( &j, '{' );
		json_put_string( &j, "instruction_set", o->isa );
		if ( o->policy != NULL )
			json_put_string( &j, "policy", o->policy );
		json_put_count( &j, "threads", o->thread_count );
		json_difference( &j, o->difference );
		json_key( &j, "answer" );
		json_answer( &j, &o->answer );
		json_close( &j, '}' );
	}
	json_close( &j, ']' );
	if ( r->has_reference )
		json_other( &j, "reference", &r->reference, r->reference_difference );
	if ( r->capture->answer.known )
		json_other( &j, "recorded", &r->capture->answer, r->recorded_difference );
	json_close( &j, '}' );
	putchar( '\n' );
}

static bool operand( void *target, const char *text ) {
	settings *w = target;
	if ( w->file != NULL ) {
		args_refuse( "replay", "one capture at a time; '%s' is a second one", text );
		return false;
	}
	w->file = text;
	return true;
}

static const arg_table table = { "replay", options, OPTION_COUNT, help, operand };

int cmd_replay( int argc, char **argv ) {
	settings w = { 0 };
	uint64_t given;
	const int status = args_read( &table, argc, argv, &w, &given );
	if ( status != ARGS_GO_ON )
		return status;
	if ( w.file == NULL )
		return args_refuse( "replay", "no capture is named" );
	if ( w.as_json && w.quiet )
		return args_refuse( "replay", "--json and --quiet exclude each other" );
	static replay r;
	dbvh_error error;
	if ( dbvh_capture_load( w.file, NULL, &r.capture, &error ) != DBVH_OK )
		return complain_of( w.file, &error );
	progress_begin( !w.quiet );
	progress_stage( "replaying", w.file );
	const bool asked = ask( &r );
	progress_end();
	if ( asked && w.as_json )
		print_json( &w, &r );
	else if ( asked && !w.quiet )
		print_text( &w, &r );
	dbvh_capture_destroy( r.capture );
	return asked ? finish_output( r.differences == 0 ? EXIT_CLEAR : EXIT_DISAGREEMENT ) : EXIT_ERROR;
}
