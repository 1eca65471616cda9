// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh replay`: every call agrees with itself in every way it is asked, and an answer that is forged is found.

#include "captures.h"
#include "cli/complain.h"
#include "cmd/capture_run.h"
#include "support/rounds.h"

#include <stdio.h>
#include <stdlib.h>

// tools/cmd/capture_run.c says a sentence where a file cannot be written.
int complain_of( const char *file, const dbvh_error *error ) {
	fprintf( stderr, "%s: %s\n", file, error->text );
	return EXIT_ERROR;
}

static int replay( const char *file, const char *options ) {
	char line[4096];
	const int length = snprintf( line, sizeof line, "\"%s\" replay %s %s", DUALBVH_COMMAND, file, options );
	assert_true( length > 0 && (size_t)length < sizeof line );
	fflush( stdout );
	const int status = system( line );
	return status < 0 ? -1 : status >> 8 & 0xff;
}

static void each_call( bool forged, void ( *forge )( dbvh_capture_answer *answer, dbvh_capture_call call ) ) {
	for ( int call = 0; call < CALL_COUNT; ++call ) {
		captured c;
		captured_make( &c, (dbvh_capture_call)call );
		capture_trees trees;
		assert_true( capture_build( &c.capture, 1, &trees, NULL ) );
		c.capture.answer = capture_run( &c.capture, &trees, DBVH_POLICY_DUAL, 1 );
		assert_int_equal( c.capture.answer.status, DBVH_OK );
		forge( &c.capture.answer, (dbvh_capture_call)call );
		char file[64];
		snprintf( file, sizeof file, "test_replay_%d.dbvh", call );
		assert_int_equal( dbvh_capture_save( &c.capture, file, NULL ), DBVH_OK );
		static const char *const options[] = { "", "--json >/dev/null", "--quiet" };
		for ( int k = 0; k < 3; ++k )
			if ( !is_short_run() || k == call % 3 ) // a short run prints each call in one way
				assert_int_equal( replay( file, options[k] ), forged ? EXIT_DISAGREEMENT : EXIT_CLEAR );
		remove( file );
		capture_free( &trees );
		captured_free( &c );
	}
}

static void leave( dbvh_capture_answer *answer, dbvh_capture_call call ) {
	(void)answer;
	(void)call;
}

static void forge_verdict( dbvh_capture_answer *answer, dbvh_capture_call call ) {
	if ( call == DBVH_CAPTURE_CALL_TIME_OF_IMPACT )
		*answer =
		    ( dbvh_capture_answer ){ .known = true, .verdict = DBVH_TOI_VERDICT_CLEAR, .value = 1.0, .upper = 1.0 };
	else
		answer->verdict ^= 1;
}

static void forge_more( dbvh_capture_answer *answer, dbvh_capture_call call ) {
	switch ( call ) {
	case DBVH_CAPTURE_CALL_COLLIDE:
		answer->count += 1;
		break;
	case DBVH_CAPTURE_CALL_CLEARANCE:
		answer->first.b += 1;
		break;
	case DBVH_CAPTURE_CALL_DISTANCE:
	case DBVH_CAPTURE_CALL_CLOSEST_POINT:
	case DBVH_CAPTURE_CALL_SEGMENT_CAST:
		answer->value *= 1.0 + 0x1p-52;
		break;
	case DBVH_CAPTURE_CALL_TIME_OF_IMPACT:
		answer->value = answer->upper = 0.0625;
		break;
	case DBVH_CAPTURE_CALL_SELF_COLLIDE:
		answer->status = DBVH_LIMIT;
		break;
	default:
		answer->hash ^= 1;
	}
}

static void agreement( void **state ) {
	(void)state;
	each_call( false, leave );
}

static void forged_verdicts( void **state ) {
	(void)state;
	each_call( true, forge_verdict );
}

static void forged_details( void **state ) {
	(void)state;
	each_call( true, forge_more );
}

// The reference is made where it can be, and says what the tree says; a wrong answer differs from it.
static void references( void **state ) {
	(void)state;
	size_t made = 0;
	for ( int call = 0; call < CALL_COUNT; ++call ) {
		captured c;
		captured_make( &c, (dbvh_capture_call)call );
		dbvh_capture_answer truth;
		capture_parts parts;
		if ( capture_reference( &c.capture, &truth, &parts ) ) {
			capture_trees trees;
			assert_true( capture_build( &c.capture, 1, &trees, NULL ) );
			dbvh_capture_answer answer = capture_run( &c.capture, &trees, DBVH_POLICY_DEFAULT, 1 );
			assert_true( capture_difference( &c.capture, &truth, &answer, &parts ) == NULL );
			answer.verdict ^= 1;
			answer.count += 1;
			assert_true( capture_difference( &c.capture, &truth, &answer, &parts ) != NULL );
			capture_free( &trees );
			made += 1;
		}
		captured_free( &c );
	}
	assert_int_equal( made, CALL_COUNT - 2 ); // relations and motions have none
}

static void refused_calls_agree( void **state ) {
	(void)state;
	captured c;
	captured_make( &c, DBVH_CAPTURE_CALL_COLLIDE );
	c.capture.pose_b.rot[0][0] = 2.0;
	assert_int_equal( dbvh_capture_save( &c.capture, "test_replay.dbvh", NULL ), DBVH_OK );
	assert_int_equal( replay( "test_replay.dbvh", "" ), EXIT_CLEAR );
	remove( "test_replay.dbvh" );
	captured_free( &c );
}

static void mistakes( void **state ) {
	(void)state;
	assert_int_equal( replay( "no_such_file.dbvh", "2>/dev/null" ), EXIT_ERROR );
	assert_int_equal( replay( "", "2>/dev/null" ), EXIT_ERROR );
	assert_int_equal( replay( "a b", "2>/dev/null" ), EXIT_ERROR );
	assert_int_equal( replay( "a", "--json --quiet 2>/dev/null" ), EXIT_ERROR );
	assert_int_equal( replay( "/dev/null", "2>/dev/null" ), EXIT_ERROR );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( agreement ),  cmocka_unit_test( forged_verdicts ),     cmocka_unit_test( forged_details ),
	    cmocka_unit_test( references ), cmocka_unit_test( refused_calls_agree ), cmocka_unit_test( mistakes ),
	};
	return test_main( argc, argv, tests );
}
