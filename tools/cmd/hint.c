// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cmd/hint.h"

#include "cli/terminal.h"
#include "text/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 4096 };

static struct {
	bool is_wanted;
	size_t length;
	char text[ROOM];
} line;

static void put( const char *text, size_t length ) {
	line.is_wanted = line.is_wanted && line.length + length < ROOM;
	if ( !line.is_wanted )
		return;
	memcpy( line.text + line.length, text, length );
	line.length += length;
	line.text[line.length] = '\0';
}

void hint_begin( const char *command ) {
	line.is_wanted = terminal_is( stdout );
	line.length = 0;
	put( "see it: dualbvh ", 16 );
	put( command, strlen( command ) );
}

static bool is_safe( const char *text ) {
	uint32_t code;
	for ( int length; *text != '\0'; text += length ) {
		length = utf8_sequence( text, &code );
		if ( length == 0 || utf8_is_control( code ) )
			return false;
	}
	return true;
}

static void put_quoted( const char *text ) {
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
	line.is_wanted = line.is_wanted && is_safe( text );
	if ( *text != '\0' && text[strspn( text, plain )] == '\0' ) {
		put( text, strlen( text ) );
		return;
	}
	put( "'", 1 );
	for ( ; *text != '\0'; ++text )
		if ( *text == '\'' )
			put( "'\\''", 4 );
		else
			put( text, 1 );
	put( "'", 1 );
}

void hint_add( const char *option, const char *value ) {
	if ( option != NULL ) {
		put( " --", 3 );
		put( option, strlen( option ) );
	}
	if ( value == NULL )
		return;
	// A file whose name begins like an option.
	put( option == NULL && *value == '-' ? " ./" : " ", option == NULL && *value == '-' ? 3 : 1 );
	put_quoted( value );
}

void hint_end( void ) {
	if ( line.is_wanted )
		printf( "%s%s%s\n", terminal_begin( stdout, TERMINAL_FAINT ), line.text, terminal_end( stdout ) );
}
