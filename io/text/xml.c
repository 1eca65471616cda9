// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/xml.h"

#include "text/utf8.h"

#include <stdbool.h>

static bool is_allowed( uint32_t code ) {
	if ( code < 0x20 )
		return code == '\t' || code == '\n' || code == '\r';
	return code != 0x7F && code != 0xFFFE && code != 0xFFFF;
}

void xml_text( FILE *file, const char *text ) {
	while ( *text != '\0' ) {
		uint32_t code;
		const int n = utf8_sequence( text, &code );
		if ( n == 0 || !is_allowed( code ) )
			fputs( "\xEF\xBF\xBD", file );
		else if ( code == '&' )
			fputs( "&amp;", file );
		else if ( code == '<' )
			fputs( "&lt;", file );
		else if ( code == '>' )
			fputs( "&gt;", file );
		else if ( code == '"' || code < 0x20 ) // blanks as they are, where readers would make one of them
			fprintf( file, "&#%u;", (unsigned)code );
		else
			fwrite( text, 1, (size_t)n, file );
		text += n > 0 ? n : 1;
	}
}

void xml_attribute( FILE *file, const char *name, const char *text ) {
	fprintf( file, " %s=\"", name );
	xml_text( file, text );
	fputc( '"', file );
}

void xml_element( FILE *file, const char *name, const char *text ) {
	if ( text == NULL )
		return;
	fprintf( file, "<%s>", name );
	xml_text( file, text );
	fprintf( file, "</%s>\n", name );
}
