// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// setenv() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "support/command_line.h"

#include "support/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program, *filter, *case_filter;
static test_usage takes;

static bool matches_from( const char *pattern, const char *text ) {
	for ( ; *pattern != '\0'; ++pattern, ++text ) {
		if ( *pattern == '*' ) {
			for ( ;; ++text ) {
				if ( matches_from( pattern + 1, text ) )
					return true;
				if ( *text == '\0' )
					return false;
			}
		}
		if ( *text == '\0' || ( *pattern != '?' && *pattern != *text ) )
			return false;
	}
	return true;
}

// Anywhere in the text.
static bool matches( const char *pattern, const char *text ) {
	for ( ;; ++text ) {
		if ( matches_from( pattern, text ) )
			return true;
		if ( *text == '\0' )
			return false;
	}
}

bool test_is_chosen( const char *name ) {
	return filter == NULL || matches( filter, name );
}

bool test_case_is_chosen( const char *name ) {
	return case_filter == NULL || matches( case_filter, name );
}

bool test_everything_is_chosen( void ) {
	return filter == NULL && case_filter == NULL;
}

static void print_usage( FILE *stream ) {
	fprintf( stream, "usage: %s [--list] [--filter PATTERN] [--seed N]%s%s%s\n", program,
	         takes.parts ? " [--part K/N]" : "", takes.operands != NULL ? " " : "",
	         takes.operands != NULL ? takes.operands : "" );
}

static void print_help( void ) {
	print_usage( stdout );
	printf(
	    "  --list             the names of the tests\n"
	    "  --filter PATTERN   tests whose name holds PATTERN; * is anything, ? one character, /PATTERN named cases\n"
	    "  --seed N           the seed of the random tests (DUALBVH_SEED)\n" );
	if ( takes.parts )
		printf( "  --part K/N         the K-th of N shares of the work\n" );
	printf( "DUALBVH_TEST_SCALE multiplies the number of random cases.\n" );
}

static _Noreturn void refuse( const char *what, const char *argument ) {
	fprintf( stderr, "%s: %s '%s'\n", program, what, argument );
	print_usage( stderr );
	exit( 2 );
}

static uint64_t number_of( const char *text, int base, char **end ) {
	return *text >= '0' && *text <= '9' ? strtoull( text, end, base ) : ( *end = (char *)"no number", 0 );
}

// The word after option i of argv, or after its "=".
static const char *value_of( char **argv, int *i, const char *option ) {
	const size_t length = strlen( option );
	if ( argv[*i][length] == '=' )
		return argv[*i] + length + 1;
	if ( argv[*i + 1] == NULL )
		refuse( "a word is missing after", option );
	return argv[++*i];
}

static bool is_option( const char *argument, const char *option ) {
	const size_t length = strlen( option );
	return strncmp( argument, option, length ) == 0 && ( argument[length] == '\0' || argument[length] == '=' );
}

static void read_filter( const char *pattern ) {
	static char test_part[256];
	const char *const slash = strchr( pattern, '/' );
	filter = pattern;
	if ( slash == NULL )
		return;
	if ( (size_t)( slash - pattern ) >= sizeof test_part )
		refuse( "too long is", pattern );
	memcpy( test_part, pattern, (size_t)( slash - pattern ) );
	filter = test_part;
	case_filter = slash + 1;
}

static void read_seed( const char *text ) {
	char *end;
	number_of( text, 0, &end );
	if ( *end != '\0' )
		refuse( "a seed is a whole number, not", text );
	set_environment( "DUALBVH_SEED", text );
}

static void read_part( const char *text, test_command_line *out ) {
	char *end;
	out->part = number_of( text, 10, &end );
	out->parts = *end == '/' ? number_of( end + 1, 10, &end ) : 0;
	if ( *end != '\0' || out->part < 1 || out->part > out->parts )
		refuse( "a part is K/N with 1 <= K <= N, not", text );
}

test_command_line test_command_line_read( int argc, char **argv, test_usage usage, const char *const *names,
                                          size_t count, size_t stride ) {
	static const char *operands[64];
	test_command_line line = { .operands = operands, .part = 1, .parts = 1 };
	const char *const slash = argc > 0 ? strrchr( argv[0], '/' ) : NULL;
	program = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "test";
	takes = usage;
	bool list = false;
	for ( int i = 1; i < argc; ++i ) {
		const char *const argument = argv[i];
		if ( strcmp( argument, "--help" ) == 0 || strcmp( argument, "-h" ) == 0 ) {
			print_help();
			exit( EXIT_SUCCESS );
		} else if ( strcmp( argument, "--list" ) == 0 ) {
			list = true;
		} else if ( is_option( argument, "--filter" ) ) {
			read_filter( value_of( argv, &i, "--filter" ) );
		} else if ( is_option( argument, "--seed" ) ) {
			read_seed( value_of( argv, &i, "--seed" ) );
		} else if ( usage.parts && is_option( argument, "--part" ) ) {
			read_part( value_of( argv, &i, "--part" ), &line );
		} else if ( argument[0] == '-' ) {
			refuse( "there is no option", argument );
		} else if ( usage.operands == NULL || line.operand_count == sizeof operands / sizeof operands[0] ) {
			refuse( "there is no place for", argument );
		} else {
			operands[line.operand_count++] = argument;
		}
	}
	size_t chosen = 0;
	for ( size_t k = 0; k < count; ++k ) {
		const char *const name = *(const char *const *)( (const char *)names + k * stride );
		chosen += test_is_chosen( name );
		if ( list && test_is_chosen( name ) )
			printf( "%s\n", name );
	}
	if ( list )
		exit( EXIT_SUCCESS );
	if ( chosen == 0 )
		refuse( "no test has a name like", filter != NULL ? filter : "" );
	return line;
}

uint64_t test_operand( const test_command_line *line, size_t i, uint64_t fallback ) {
	if ( i >= line->operand_count )
		return fallback;
	char *end = NULL;
	const double value = strtod( line->operands[i], &end );
	if ( end == line->operands[i] || *end != '\0' || !( value >= 1.0 && value <= 0x1p63 ) )
		refuse( "a positive whole number is wanted in place of", line->operands[i] );
	return (uint64_t)value;
}
