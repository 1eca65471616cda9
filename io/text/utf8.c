// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/utf8.h"

int utf8_sequence( const char *text, uint32_t *code_out ) {
	static const uint32_t lowest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	*code_out = s[0];
	if ( s[0] < 0x80 )
		return 1;
	const int n = s[0] >= 0xF0 && s[0] < 0xF8   ? 4
	              : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
	              : s[0] >= 0xC0 && s[0] < 0xE0 ? 2
	                                            : 0;
	if ( n == 0 )
		return 0;
	uint32_t code = s[0] & ( 0xFFu >> ( n + 1 ) );
	for ( int i = 1; i < n; ++i ) {
		if ( ( s[i] & 0xC0 ) != 0x80 )
			return 0;
		code = code << 6 | ( s[i] & 0x3Fu );
	}
	*code_out = code;
	return code < lowest[n] || code > 0x10FFFF || ( code >= 0xD800 && code < 0xE000 ) ? 0 : n;
}

bool utf8_is_control( uint32_t code ) {
	return code < 0x20 || ( code >= 0x7F && code < 0xA0 ) || code == 0x061C || ( code >= 0x200E && code <= 0x200F ) ||
	       ( code >= 0x2028 && code <= 0x202E ) || ( code >= 0x2066 && code <= 0x2069 );
}

void utf8_print( FILE *file, const char *text ) {
	while ( *text != '\0' ) {
		uint32_t code;
		const int n = utf8_sequence( text, &code );
		if ( n == 0 || utf8_is_control( code ) )
			fputc( '?', file );
		else
			fwrite( text, 1, (size_t)n, file );
		text += n > 0 ? n : 1;
	}
}
