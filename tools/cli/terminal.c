// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/terminal.h"

#include "os/os.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool terminal_is( FILE *stream ) {
	return os_is_terminal( stream );
}

size_t terminal_width( FILE *stream ) {
	if ( !terminal_is( stream ) )
		return 0;
	const char *said = getenv( "COLUMNS" );
	const long columns = said != NULL ? strtol( said, NULL, 10 ) : 0;
	if ( columns > 0 && columns < UINT16_MAX )
		return (size_t)columns;
	const size_t known = os_terminal_columns( stream );
	return known > 0 ? known : 80;
}

// Is it set, and to something that is not "0"?
static bool is_on( const char *name ) {
	const char *value = getenv( name );
	return value != NULL && *value != '\0' && strcmp( value, "0" ) != 0;
}

static bool has_colour( FILE *stream ) {
	const char *none = getenv( "NO_COLOR" ), *wanted = getenv( "CLICOLOR" ), *kind = os_terminal_kind( stream );
	if ( none != NULL && *none != '\0' )
		return false;
	if ( is_on( "CLICOLOR_FORCE" ) )
		return true;
	return terminal_is( stream ) && ( wanted == NULL || is_on( "CLICOLOR" ) ) && kind != NULL &&
	       strcmp( kind, "dumb" ) != 0;
}

const char *terminal_begin( FILE *stream, terminal_style style ) {
	static const char *const codes[] = { "\033[31m", "\033[32m", "\033[33m", "\033[1m", "\033[2m" };
	return has_colour( stream ) ? codes[style] : "";
}

const char *terminal_end( FILE *stream ) {
	return has_colour( stream ) ? "\033[0m" : "";
}
