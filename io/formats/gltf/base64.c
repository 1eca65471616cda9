// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/gltf/base64.h"

#include <stdint.h>

static int value_of( char c ) {
	if ( c >= 'A' && c <= 'Z' )
		return c - 'A';
	if ( c >= 'a' && c <= 'z' )
		return c - 'a' + 26;
	if ( c >= '0' && c <= '9' )
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool scene_base64_decode( const char *text, unsigned char *out, size_t *count_out ) {
	uint32_t bits = 0;
	size_t characters = 0, count = 0;
	for ( ; *text != '\0' && *text != '='; ++text, ++characters ) {
		const int value = value_of( *text );
		if ( value < 0 )
			return false;
		bits = bits << 6 | (uint32_t)value;
		if ( characters % 4 != 0 )
			out[count++] = (unsigned char)( bits >> ( 6 - 2 * ( characters % 4 ) ) & 0xff );
	}
	*count_out = count;
	size_t padding = 0;
	while ( text[padding] == '=' && padding < 2 )
		++padding;
	// One character more than a multiple of four says nothing.
	return text[padding] == '\0' && characters % 4 != 1 && ( padding == 0 || ( characters + padding ) % 4 == 0 );
}
