// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/number.h"
#include "mesh/meshes.h"
#include "support/rng.h"

#include <float.h>
#include <locale.h>
#include <math.h>

static void same_bits( double a, double b, const char *text ) {
	if ( memcmp( &a, &b, sizeof a ) != 0 )
		fail_msg( "%s: %a instead of %a", text, a, b );
}

static void reads_as( const char *text, double expected ) {
	double value = 12345.0;
	if ( dbvhi_number_read( text, strlen( text ), &value ) != DBVHI_NUMBER_FINITE )
		fail_msg( "%s was refused", text );
	same_bits( value, expected, text );
}

static void test_fixed_numbers( void **state ) {
	(void)state;
	static const struct {
		const char *text;
		double value;
	} cases[] = {
	    { "0", 0.0 },
	    { "-0", -0.0 },
	    { "+1", 1.0 },
	    { ".5", 0.5 },
	    { "5.", 5.0 },
	    { "-.25e1", -2.5 },
	    { "1e+05", 1e5 },
	    { "1E-007", 1e-7 },
	    { "0.1", 0.1 },
	    { "123456789012345678", 123456789012345678.0 },
	    { "9007199254740993", 9007199254740992.0 }, // a tie, to even
	    { "9007199254740993.0000000000000000000000000000000000001", 9007199254740994.0 },
	    { "1e22", 1e22 },
	    { "1e23", 1e23 },
	    { "8.5e-323", 8.5e-323 },
	    { "4.9406564584124654e-324", 0x1p-1074 },
	    { "2.4703282292062327e-324", 0.0 }, // just below half the smallest
	    { "2.4703282292062328e-324", 0x1p-1074 },
	    { "2.2250738585072011e-308", 0x0.fffffffffffffp-1022 }, // once an endless loop in a well-known strtod
	    { "1.7976931348623157e308", DBL_MAX },
	    { "1e-99999999999999999999999999", 0.0 },
	    { "0e99999999999999999999999999", 0.0 },
	    { "000000000000000000000000000000001", 1.0 },
	    { "0.00000000000000000000000000000000000000000000000001e50", 1.0 },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i )
		reads_as( cases[i].text, cases[i].value );
}

static void test_refused( void **state ) {
	(void)state;
	static const char *const bad[] = { "",   "+",  "-",   ".",    "e5",    "1e",   "1e+", "0x10", "1.2.3", "1,5",  "1 ",
	                                   " 1", "1f", "--1", "nano", "infin", "1e5x", "1d5", "abc",  "1.#",   "0x1p3" };
	static const char *const not_finite[] = { "nan",    "-NaN",   "inf",      "+Infinity", "-INF",  "nan(ind)",
	                                          "1.#IND", "1.#INF", "-1.#QNAN", "1e309",     "-1e999" };
	double value = 0.0;
	for ( size_t i = 0; i < LENGTH( bad ); ++i )
		if ( dbvhi_number_read( bad[i], strlen( bad[i] ), &value ) != DBVHI_NUMBER_BAD )
			fail_msg( "\"%s\" was read", bad[i] );
	for ( size_t i = 0; i < LENGTH( not_finite ); ++i )
		if ( dbvhi_number_read( not_finite[i], strlen( not_finite[i] ), &value ) != DBVHI_NUMBER_NOT_FINITE )
			fail_msg( "\"%s\" was not seen as not finite", not_finite[i] );
}

static void test_integers( void **state ) {
	(void)state;
	int64_t value = 0;
	assert_true( dbvhi_integer_read( "-12", 3, &value ) && value == -12 );
	assert_true( dbvhi_integer_read( "+7", 2, &value ) && value == 7 );
	assert_true( dbvhi_integer_read( "9223372036854775807", 19, &value ) && value == INT64_MAX );
	assert_true( dbvhi_integer_read( "99999999999999999999999", 23, &value ) && value == INT64_MAX );
	assert_true( dbvhi_integer_read( "-99999999999999999999999", 24, &value ) && value == -INT64_MAX );
	assert_false( dbvhi_integer_read( "", 0, &value ) );
	assert_false( dbvhi_integer_read( "-", 1, &value ) );
	assert_false( dbvhi_integer_read( "1.0", 3, &value ) );
	assert_false( dbvhi_integer_read( "0x1", 3, &value ) );
}

static double random_double( rng *r ) {
	for ( ;; ) {
		const uint64_t bits = rng_u64( r );
		double value;
		memcpy( &value, &bits, sizeof value );
		if ( isfinite( value ) )
			return value;
	}
}

// Against strtod of the C library, which glibc rounds correctly.
static void test_against_strtod( void **state ) {
	(void)state;
	rng r = rng_announce( "number reading", 1 );
	for ( int i = 0; i < 200000; ++i ) {
		char text[64];
		switch ( i % 4 ) {
		case 0: // any double, 17 digits
			snprintf( text, sizeof text, "%.17g", random_double( &r ) );
			break;
		case 1: // 17 digits, a small exponent
			snprintf( text, sizeof text, "%llu.%08llue%d", (unsigned long long)rng_below( &r, 1000000000 ),
			          (unsigned long long)rng_below( &r, 100000000 ), (int)rng_below( &r, 60 ) - 30 );
			break;
		case 2: // numbers as mesh files have them
			snprintf( text, sizeof text, "%.*f", (int)rng_below( &r, 10 ), rng_range( &r, -1000.0, 1000.0 ) );
			break;
		default: // any whole number
			snprintf( text, sizeof text, "%llue%d", (unsigned long long)rng_u64( &r ),
			          (int)rng_below( &r, 700 ) - 350 );
		}
		const double expected = strtod( text, NULL );
		if ( isinf( expected ) )
			continue;
		reads_as( text, expected );
	}
}

// The decimal that lies exactly between two doubles rounds to the even one, and a digit far behind decides otherwise.
static void test_ties( void **state ) {
	(void)state;
	rng r = rng_announce( "ties", 2 );
	for ( int i = 0; i < 3000; ++i ) {
		const uint64_t even = ( rng_u64( &r ) & ( ( UINT64_C( 1 ) << 51 ) - 1 ) ) << 1 | UINT64_C( 1 ) << 52;
		const int exponent = (int)rng_below( &r, 400 ) - 200 - 53;
		// 2 even + 1 over 2^(1 - exponent), all of whose digits printf prints.
		const long double middle = ldexpl( (long double)( 2 * even + 1 ), exponent - 1 );
		if ( LDBL_MANT_DIG < 64 )
			return;
		static char text[1024];
		snprintf( text, sizeof text, "%.800Lf", middle );
		reads_as( text, ldexp( (double)even, exponent ) );
		strcat( text, "000000001" );
		reads_as( text, ldexp( (double)( even + 1 ), exponent ) );
	}
}

static void test_long_numbers( void **state ) {
	(void)state;
	const size_t length = 100000;
	char *text = malloc( length + 16 );
	assert_non_null( text );
	memset( text, '0', length );
	strcpy( text + length, "1" );
	reads_as( text, 1.0 );
	memset( text, '1', length );
	text[length] = '\0';
	double value;
	assert_int_equal( dbvhi_number_read( text, length, &value ), DBVHI_NUMBER_NOT_FINITE );
	text[1] = '.';
	reads_as( text, 1.1111111111111111 );
	strcpy( text + length, "e-5" );
	reads_as( text, 1.1111111111111111e-5 );
	memset( text, '0', length );
	text[0] = '.';
	strcpy( text + length, "1e100000" );
	reads_as( text, 1.0 );
	free( text );
}

static void writes_shortest( double value ) {
	char text[DBVHI_NUMBER_ROOM];
	const size_t length = dbvhi_number_write( value, text );
	assert_int_equal( length, strlen( text ) );
	assert_true( length < DBVHI_NUMBER_ROOM );
	reads_as( text, value );
	int digits = 0, zeros = 0;
	bool begun = false;
	for ( const char *at = text; *at != '\0' && *at != 'e'; ++at ) {
		if ( *at < '0' || *at > '9' )
			continue;
		begun = begun || *at != '0';
		digits += begun;
		zeros = *at == '0' ? zeros + 1 : 0;
	}
	digits -= zeros;
	// One digit fewer, rounded to nearest, must not read back.
	if ( digits > 1 ) {
		char shorter[64];
		snprintf( shorter, sizeof shorter, "%.*e", digits - 2, value );
		if ( strtod( shorter, NULL ) == value )
			fail_msg( "%s is longer than %s", text, shorter );
	}
}

static void test_writing( void **state ) {
	(void)state;
	static const struct {
		double value;
		const char *text;
	} cases[] = {
	    { 0.0, "0" },
	    { -0.0, "-0" },
	    { 1.0, "1" },
	    { -1.5, "-1.5" },
	    { 0.1, "0.1" },
	    { 100.0, "100" },
	    { 1e21, "1e21" },
	    { 123456.789, "123456.789" },
	    { 1e-5, "0.00001" },
	    { 1.25e-7, "1.25e-7" },
	    { 1e20, "100000000000000000000" },
	    { 0x1p-1074, "5e-324" },
	    { 0x1p-44, "5.684341886080802e-14" }, // a power of two, where the nearest 16 digits do not read back
	    { DBL_MAX, "1.7976931348623157e308" },
	    { 0.1 + 0.2, "0.30000000000000004" },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		char text[DBVHI_NUMBER_ROOM];
		dbvhi_number_write( cases[i].value, text );
		assert_string_equal( text, cases[i].text );
	}
	rng r = rng_announce( "number writing", 3 );
	for ( int i = 0; i < 30000; ++i ) {
		writes_shortest( random_double( &r ) );
		writes_shortest( rng_range( &r, -10.0, 10.0 ) );
		writes_shortest( (double)(float)rng_range( &r, -10.0, 10.0 ) );
		writes_shortest( ldexp( (double)rng_below( &r, 1000 ), (int)rng_below( &r, 100 ) - 1074 ) );
		writes_shortest( ldexp( 1.0, (int)rng_below( &r, 2000 ) - 1000 ) );
	}
}

// In German the decimal point is a comma; files are the same.
static void test_locale( void **state ) {
	(void)state;
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "de_DE@euro", "fr_FR.UTF-8" };
	const char *set = NULL;
	for ( size_t i = 0; i < LENGTH( names ) && set == NULL; ++i )
		set = setlocale( LC_ALL, names[i] );
	if ( set == NULL ) {
		print_message( "no locale with a decimal comma here\n" );
		skip();
	}
	char text[DBVHI_NUMBER_ROOM];
	snprintf( text, sizeof text, "%.1f", 0.5 );
	const bool comma = strcmp( text, "0,5" ) == 0;
	dbvhi_number_write( 1234.5678, text );
	double value = 0.0;
	const dbvhi_number_kind kind = dbvhi_number_read( "1.2345678901234567890123", 24, &value );
	const dbvhi_number_kind with_comma = dbvhi_number_read( "1,5", 3, &value );
	setlocale( LC_ALL, "C" );
	assert_true( comma );
	assert_string_equal( text, "1234.5678" );
	assert_int_equal( kind, DBVHI_NUMBER_FINITE );
	assert_true( value == 1.2345678901234567890123 );
	assert_int_equal( with_comma, DBVHI_NUMBER_BAD );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_fixed_numbers ), cmocka_unit_test( test_refused ),
	    cmocka_unit_test( test_integers ),      cmocka_unit_test( test_against_strtod ),
	    cmocka_unit_test( test_ties ),          cmocka_unit_test( test_long_numbers ),
	    cmocka_unit_test( test_writing ),       cmocka_unit_test( test_locale ),
	};
	return test_main( argc, argv, tests );
}
