// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The review file keeps names of any bytes and texts of any lines, and refuses what has two meanings.

#include "assembly/topic.h"
#include "review_text.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"
#include "text/day.h"
#include "text/grow.h"
#include "text/hash_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dbvh_status read_review( scene_earlier *e, const char *text, dbvh_error *error ) {
	*e = ( scene_earlier ){ 0 };
	return scene_review_read( e, (const unsigned char *)text, strlen( text ), error );
}

static char *random_name( rng *r ) {
	static const char letters[] = " \t\r\n\\x20#:./ab\x01\x7F\xC3\xA9";
	char text[24];
	const size_t length = 1 + rng_below( r, 12 );
	for ( size_t i = 0; i < length; ++i )
		text[i] = letters[rng_below( r, sizeof letters - 1 )];
	text[length] = '\0';
	return scene_copy( text );
}

// A word, and further lines: empty, of dots, or a word behind some blanks.
static char *random_text( rng *r ) {
	static const char *const lines[] = { "", ".", "..", "...", "a", "  a b", "\tb: c", " .", "# c", "\\x20" };
	char text[128] = "a";
	for ( uint64_t i = rng_below( r, 5 ); i > 0; --i ) {
		strcat( text, "\n" );
		strcat( text, lines[rng_below( r, sizeof lines / sizeof lines[0] )] );
	}
	return scene_copy( text );
}

static void assert_same_text( const char *a, const char *b ) {
	assert_true( ( a == NULL ) == ( b == NULL ) );
	if ( a != NULL )
		assert_string_equal( a, b );
}

static void test_any_text( void **state ) {
	(void)state;
	rng r = rng_announce( "review", 33 );
	static char text[1 << 14], again[1 << 14];
	for ( size_t n = rounds( 3000 ) < 300 ? 300 : rounds( 3000 ); n-- > 0; ) {
		scene_earlier e = { 0 }, back;
		dbvh_error error;
		char *a = random_name( &r ), *b = random_name( &r );
		earlier_clash *c = scene_earlier_add( &e );
		c->a = scene_earlier_body( &e, a );
		c->b = scene_earlier_body( &e, b );
		c->id = rng_u64( &r );
		c->rule = rng_below( &r, 2 ) == 0 ? random_name( &r ) : NULL;
		c->has_volume = rng_below( &r, 2 ) == 0;
		c->volume = ( dbvh_interval ){ 0.1, 0.3 };
		e.bodies[0].guid = random_name( &r );
		c->review.accepted = random_text( &r );
		assert_true( scene_review_comment( &c->review, "b" ) );
		char *comment = random_text( &r );
		assert_true( scene_review_comment( &c->review, comment ) );
		write_review( &e, text, sizeof text );
		assert_int_equal( read_review( &back, text, &error ), DBVH_OK );
		const earlier_clash *got = &back.clashes[0];
		assert_string_equal( back.bodies[got->a].path, a );
		assert_string_equal( back.bodies[got->b].path, b );
		assert_same_text( back.bodies[got->a].guid, e.bodies[c->a].guid );
		assert_same_text( got->rule, c->rule );
		assert_true( got->has_volume == c->has_volume && ( !got->has_volume || got->volume.upper == 0.3 ) );
		assert_string_equal( got->review.accepted, c->review.accepted );
		assert_int_equal( got->review.comment_count, 2 );
		assert_string_equal( got->review.comments[1], comment );
		write_review( &back, again, sizeof again );
		assert_string_equal( again, text );
		free( a );
		free( b );
		free( comment );
		scene_earlier_free( &e );
		scene_earlier_free( &back );
	}
}

// Blanks at the ends of lines and no text at all are not kept; what a file has of them rests.
static void test_blanks( void **state ) {
	(void)state;
	static char text[1 << 14], again[1 << 14];
	scene_earlier e = { 0 }, back;
	dbvh_error error;
	earlier_clash *c = scene_earlier_add( &e );
	c->a = scene_earlier_body( &e, "a" );
	c->b = scene_earlier_body( &e, "b" );
	c->rule = scene_copy( "" );
	c->review.accepted = scene_copy( "so \r\n  \nit is\t\n" );
	write_review( &e, text, sizeof text );
	assert_int_equal( read_review( &back, text, &error ), DBVH_OK );
	assert_string_equal( back.clashes[0].review.accepted, "so\n\nit is\n" );
	assert_null( back.clashes[0].rule );
	write_review( &back, again, sizeof again );
	assert_string_equal( again, text );
	scene_earlier_free( &e );
	scene_earlier_free( &back );
}

#define CLASH "clash: 0123456789abcdef\na: x\nb: y\nkind: hard\n"

static void test_what_is_read( void **state ) {
	(void)state;
	static const struct {
		const char *text, *complaint; // NULL: none
	} cases[] = {
	    { "review: dualbvh 2\n\n" CLASH, NULL },
	    { "review: dualbvh 1\n\n" CLASH, NULL },
	    { "\xEF\xBB\xBFreview: dualbvh 2\n\n" CLASH, NULL },
	    { "review: dualbvh 2\r\n\r\n" CLASH, NULL },
	    { "review: dualbvh 2\n \t\nbody: x\n \n" CLASH, NULL },
	    { "review: dualbvh 3\n\n" CLASH, "does not begin with" },
	    { "review: dualbvh 1\n\nbody: x\\y\n", NULL },
	    { "review: dualbvh 2\n\nbody: x\\y\n", "backslash" },
	    { "review: dualbvh 2\n\nbody: x\\\n", "backslash" },
	    { "review: dualbvh 2\n\nbody: x\\x0\n", "backslash" },
	    { "review: dualbvh 2\n\nbody: x\\x00\n", "backslash" },
	    { "review: dualbvh 2\n\nbody: x\\\\\n", NULL },
	    { "review: dualbvh 2\n\n" CLASH "rule: \\n\n", "backslash" },
	    { "review: dualbvh 2\n\n" CLASH "depth: 1 2\ndepth: 1 2\n", "'depth' is there twice" },
	    { "review: dualbvh 2\n\n" CLASH "at: 1 2 3\nat: 1 2 4\n", "'at' is there twice" },
	    { "review: dualbvh 2\n\n" CLASH "in-a: 1 2 3\nin-a: 1 2 4\n", "'in-a' is there twice" },
	    { "review: dualbvh 2\n\n" CLASH "kind: touch\n", "'kind' is there twice" },
	    { "review: dualbvh 2\n\n" CLASH "terms: 0123456789abcdef\nterms: 0123456789abcdef\n", "twice" },
	    { "review: dualbvh 2\nrules: 0123456789abcdef\nrules: 0123456789abcdef\n", "twice" },
	    { "review: dualbvh 2\n\nbody: x\nshape: 0123456789abcdef\nshape: 0123456789abcdef\n", "twice" },
	    { "review: dualbvh 2\n\n" CLASH "comment:\n", "'comment' has no value" },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_earlier e;
		dbvh_error error;
		const dbvh_status status = read_review( &e, cases[i].text, &error );
		if ( ( status == DBVH_OK ) != ( cases[i].complaint == NULL ) )
			printf( "%zu: %s\n", i, error.text );
		assert_int_equal( status, cases[i].complaint == NULL ? DBVH_OK : DBVH_MALFORMED );
		if ( cases[i].complaint != NULL )
			assert_non_null( strstr( error.text, cases[i].complaint ) );
		scene_earlier_free( &e );
	}
}

// The old form: a name has no escapes, a line of two dots is one, and names go over lines.
static void test_old_form( void **state ) {
	(void)state;
	scene_earlier e;
	dbvh_error error;
	assert_int_equal(
	    read_review( &e, "review: dualbvh 1\n\n" CLASH "comment: a\n .\n ..\n  b\n\nbody: p\\x20\n q\n", &error ),
	    DBVH_OK );
	assert_string_equal( e.clashes[0].review.comments[0], "a\n\n..\n b" );
	assert_string_equal( e.bodies[2].path, "p\\x20\nq" );
	scene_earlier_free( &e );
}

// A place in the frames of the bodies is one in both, and in the world.
static void test_frames( void **state ) {
	(void)state;
	static const struct {
		const char *lines;
		bool has_frames;
	} cases[] = { { "at: 1 2 3\nin-a: 1 2 3\nin-b: 1 2 3\n", true },
	              { "in-a: 1 2 3\nin-b: 1 2 3\n", false },
	              { "at: 1 2 3\nin-b: 1 2 3\n", false },
	              { "at: 1 2 3\nin-a: 1 2 3\n", false },
	              { "at: 1 2 3\n", false } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_earlier e;
		dbvh_error error;
		char text[256];
		snprintf( text, sizeof text, "review: dualbvh 2\n\n" CLASH "%s", cases[i].lines );
		assert_int_equal( read_review( &e, text, &error ), DBVH_OK );
		assert_true( e.clashes[0].middle.has_frames == cases[i].has_frames );
		scene_earlier_free( &e );
	}
}

static void test_days( void **state ) {
	(void)state;
	static const struct {
		int64_t seconds;
		const char *day;
	} cases[] = { { 0, "1970-01-01" },
	              { 1800000000, "2027-01-15" },
	              { 951782400, "2000-02-29" },
	              { INT64_C( 253402300799 ), "9999-12-31" },
	              { INT64_C( 253402300800 ), "9999-12-31" },
	              { INT64_C( 9000000000000 ), "9999-12-31" } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		char day[11];
		scene_day_print( cases[i].seconds, day );
		assert_string_equal( day, cases[i].day );
	}
}

static void test_times( void **state ) {
	(void)state;
	static const struct {
		const char *text;
		int64_t seconds; // -1: it is none
	} cases[] = { { "1970-01-01T00:00:00Z", 0 },
	              { "1970-01-02T01:02:03", 90123 },
	              { "1970-01-01T01:30:00+01:00", 1800 },
	              { "1970-01-01T00:00:00-01:30", 5400 },
	              { "2000-02-29T12:00:00.25Z", 951825600 },
	              { "2027-01-15T08:00:00Z", 1800000000 },
	              { "9999-12-31T23:59:59z", INT64_C( 253402300799 ) },
	              { "2027-02-30T08:00:00Z", -1 },
	              { "2027-01-15", -1 },
	              { "2027-01-15T08:00", -1 },
	              { "2027-01-15T25:00:00Z", -1 },
	              { "2027-01-15T08:60:00Z", -1 },
	              { "2027-01-15T08:00:00+1", -1 },
	              { "2027-01-15T08:00:00+01:60", -1 },
	              { "2027-01-15T08:00:00 Z", -1 },
	              { "2027-01-15 08:00:00", -1 },
	              { "", -1 } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		int64_t seconds = -1;
		assert_true( scene_time_read( cases[i].text, &seconds ) == ( cases[i].seconds >= 0 ) );
		assert_true( seconds == cases[i].seconds );
	}
	rng r = rng_announce( "times", 36 );
	for ( int i = 0; i < 1000; ++i ) {
		const int64_t then = (int64_t)rng_below( &r, UINT64_C( 253402300800 ) );
		char text[SCENE_TIME_ROOM];
		int64_t back;
		assert_true( scene_time_read( scene_time_print( then, text ), &back ) );
		assert_true( back == then );
	}
}

static void test_hash_sets( void **state ) {
	(void)state;
	enum { COUNT = 1000 };
	uint64_t hashes[COUNT];
	rng r = rng_announce( "hash_sets", 37 );
	scene_hash_set set = { 0 };
	assert_false( scene_hash_set_has( &set, 0 ) );
	for ( int i = 0; i < COUNT; ++i ) {
		// Hashes of one slot are tried one behind the other.
		hashes[i] = i == 0 ? 0 : i % 2 == 0 ? rng_u64( &r ) : rng_u64( &r ) << 32;
		assert_true( scene_hash_set_add( &set, hashes[i] ) && scene_hash_set_add( &set, hashes[i] ) );
		for ( int k = 0; k <= i; k += 1 + i / 16 )
			assert_true( scene_hash_set_has( &set, hashes[k] ) );
		const uint64_t other = rng_u64( &r );
		bool is_there = false;
		for ( int k = 0; k <= i; ++k )
			is_there = is_there || hashes[k] == other || ( hashes[k] == 0 && other == 1 );
		assert_true( scene_hash_set_has( &set, other ) == ( is_there || ( other == 0 && set.count > 0 ) ) );
	}
	assert_true( set.count <= COUNT && set.slot_count >= 2 * set.count );
	scene_hash_set_free( &set );
}

// A comment says the same whatever a program has made of its blanks and control characters.
static void test_comment_hashes( void **state ) {
	(void)state;
	assert_true( scene_comment_hash( "a b\n  c\x01" ) == scene_comment_hash( "ab\r\nc\xEF\xBF\xBD\xFF " ) );
	assert_true( scene_comment_hash( "ab" ) != scene_comment_hash( "bb" ) );
	assert_true( scene_comment_hash( "\xC3\xA9" ) != scene_comment_hash( "\xC3\xA8" ) );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_any_text ),     cmocka_unit_test( test_blanks ),
	    cmocka_unit_test( test_what_is_read ), cmocka_unit_test( test_old_form ),
	    cmocka_unit_test( test_frames ),       cmocka_unit_test( test_days ),
	    cmocka_unit_test( test_times ),        cmocka_unit_test( test_comment_hashes ),
	    cmocka_unit_test( test_hash_sets ),
	};
	return test_main( argc, argv, tests );
}
