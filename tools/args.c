// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "args.h"

#include "command.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int args_refuse( const char *command, const char *format, ... ) {
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	return complain( "%s%s%s\nTry 'dualbvh %s%s--help'.", command, command[0] != '\0' ? ": " : "", text, command,
	                 command[0] != '\0' ? " " : "" );
}

static int find_name( const args *a, const char *name, size_t length ) {
	for ( size_t i = 0; i < a->option_count; ++i )
		if ( strlen( a->options[i].name ) == length && memcmp( a->options[i].name, name, length ) == 0 )
			return (int)i;
	return ARG_BAD;
}

static int long_option( args *a, const char *text, const char **value ) {
	const char *equals = strchr( text, '=' );
	const size_t length = equals != NULL ? (size_t)( equals - text ) : strlen( text );
	const int found = find_name( a, text, length );
	if ( found < 0 ) {
		args_refuse( a->command, "there is no option '--%.*s'", (int)length, text );
		return ARG_BAD;
	}
	const arg_option *option = &a->options[found];
	if ( option->value == NULL ) {
		if ( equals == NULL )
			return found;
		args_refuse( a->command, "option '--%s' takes no value", option->name );
		return ARG_BAD;
	}
	*value = equals != NULL ? equals + 1 : a->at < a->argc ? a->argv[a->at++] : NULL;
	if ( *value != NULL )
		return found;
	args_refuse( a->command, "option '--%s' needs a value: %s", option->name, option->value );
	return ARG_BAD;
}

static int short_option( args *a, const char *text, const char **value ) {
	for ( size_t i = 0; i < a->option_count; ++i ) {
		const arg_option *option = &a->options[i];
		if ( option->letter != text[0] || option->letter == 0 )
			continue;
		if ( option->value == NULL && text[1] == '\0' )
			return (int)i;
		if ( option->value == NULL )
			break;
		*value = text[1] != '\0' ? text + 1 : a->at < a->argc ? a->argv[a->at++] : NULL;
		if ( *value != NULL )
			return (int)i;
		args_refuse( a->command, "option '-%c' needs a value: %s", option->letter, option->value );
		return ARG_BAD;
	}
	args_refuse( a->command, "there is no option '-%s'", text );
	return ARG_BAD;
}

int args_next( args *a, const char **value ) {
	*value = NULL;
	if ( a->at >= a->argc )
		return ARG_END;
	const char *text = a->argv[a->at++];
	if ( a->operands_only || text[0] != '-' || text[1] == '\0' ) {
		*value = text;
		return ARG_OPERAND;
	}
	if ( text[1] != '-' )
		return short_option( a, text + 1, value );
	if ( text[2] != '\0' )
		return long_option( a, text + 2, value );
	a->operands_only = true;
	return args_next( a, value );
}

void args_help( const arg_option *options, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		char left[64];
		const char *value = options[i].value;
		snprintf( left, sizeof( left ), "--%s%s%s", options[i].name, value != NULL ? " " : "",
		          value != NULL ? value : "" );
		if ( options[i].letter != 0 )
			printf( "  -%c, %-24s %s\n", options[i].letter, left, options[i].help );
		else
			printf( "      %-24s %s\n", left, options[i].help );
	}
}

bool parse_real( const char *text, double *out ) {
	// strtod also takes blanks and hexadecimal, which are mistakes here. The locale is always "C": nobody sets one.
	char *end;
	if ( text[0] == '\0' || isspace( (unsigned char)text[0] ) || strpbrk( text, "xX" ) != NULL )
		return false;
	*out = strtod( text, &end );
	return end != text && *end == '\0';
}

bool parse_reals( const char *text, double *out, int count ) {
	char copy[256];
	if ( strlen( text ) >= sizeof( copy ) )
		return false;
	strcpy( copy, text );
	char *at = copy;
	for ( int i = 0; i < count; ++i ) {
		char *comma = strchr( at, ',' );
		if ( ( comma == NULL ) != ( i + 1 == count ) )
			return false;
		if ( comma != NULL )
			*comma = '\0';
		if ( !parse_real( at, &out[i] ) || !isfinite( out[i] ) )
			return false;
		if ( comma != NULL )
			at = comma + 1;
	}
	return true;
}

bool parse_count( const char *text, uint32_t lowest, uint32_t highest, uint32_t *out ) {
	uint64_t n = 0;
	if ( text[0] == '\0' )
		return false;
	for ( const char *c = text; *c != '\0'; ++c ) {
		if ( *c < '0' || *c > '9' )
			return false;
		n = 10 * n + (uint64_t)( *c - '0' );
		if ( n > highest )
			return false;
	}
	*out = (uint32_t)n;
	return n >= lowest;
}
