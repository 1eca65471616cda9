// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_real( const char *text, double *out ) {
	// strtod also takes blanks and hexadecimal, which are mistakes here.
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

const char *real_text( double x, char text[REAL_ROOM] ) {
	for ( int digits = 15; digits <= 17; ++digits ) {
		snprintf( text, REAL_ROOM, "%.*g", digits, x );
		if ( strtod( text, NULL ) == x )
			break;
	}
	return text;
}
