// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The JSON writer: escapes, bytes that are no UTF-8, numbers that read back.

#include "support/rng.h"
#include "support/unit.h"
#include "text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char written[512];

static json begin( void ) {
	json j = { .file = tmpfile() };
	assert_non_null( j.file );
	return j;
}

static const char *end( json *j ) {
	rewind( j->file );
	written[fread( written, 1, sizeof( written ) - 1, j->file )] = '\0';
	fclose( j->file );
	return written;
}

static void expect_text( const char *text, const char *expected ) {
	json j = begin();
	json_text( &j, text );
	assert_string_equal( end( &j ), expected );
}

static void test_strings( void **state ) {
	(void)state;
	expect_text( "", "\"\"" );
	expect_text( "gear.stl", "\"gear.stl\"" );
	expect_text( "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" );
	expect_text( "\n\t\x01\x7F", "\"\\u000a\\u0009\\u0001\\u007f\"" );
	// The second set of controls, and marks of direction.
	expect_text( "\xC2\x9B\xC2\xA0\xE2\x80\xAE\xE2\x81\xA6", "\"\\u009b\xC2\xA0\\u202e\\u2066\"" );
	expect_text( "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"" );
	// Stray, cut short, overlong, surrogate, beyond Unicode: a replacement for each byte.
	expect_text( "a\x80z", "\"a\\ufffdz\"" );
	expect_text( "a\xC3", "\"a\\ufffd\"" );
	expect_text( "\xE2\x82", "\"\\ufffd\\ufffd\"" );
	expect_text( "\xC0\xAF", "\"\\ufffd\\ufffd\"" );
	expect_text( "\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\"" );
	expect_text( "\xF4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" );
	expect_text( "\xFF\xFE", "\"\\ufffd\\ufffd\"" );
}

static void test_nesting( void **state ) {
	(void)state;
	json j = begin();
	json_open( &j, '{' );
	json_key( &j, "a" );
	json_open( &j, '[' );
	json_close( &j, ']' );
	json_key( &j, "b" );
	json_open( &j, '[' );
	json_count( &j, 0 );
	json_break( &j );
	json_count( &j, UINT64_MAX );
	json_open( &j, '{' );
	json_close( &j, '}' );
	json_break( &j );
	json_close( &j, ']' );
	json_key( &j, "c" );
	json_bool( &j, true );
	json_close( &j, '}' );
	assert_string_equal( end( &j ), "{\"a\":[],\"b\":[0,\n18446744073709551615,{}\n],\"c\":true}" );
}

static void test_numbers( void **state ) {
	(void)state;
	static const double odd[] = { 0.0,     -0.0, 0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, 9007199254740993.0,
	                              -2.5e-17 };
	rng r = rng_announce( "json numbers", 11 );
	for ( int i = 0; i < 1000; ++i ) {
		double x;
		if ( i < 8 )
			x = odd[i];
		else {
			const uint64_t bits = rng_u64( &r );
			memcpy( &x, &bits, sizeof( x ) );
		}
		json j = begin();
		json_number( &j, x );
		const char *text = end( &j );
		if ( isfinite( x ) )
			assert_true( strtod( text, NULL ) == x );
		else
			assert_string_equal( text, "null" );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_strings ),
	    cmocka_unit_test( test_nesting ),
	    cmocka_unit_test( test_numbers ),
	};
	return test_main( argc, argv, tests );
}
