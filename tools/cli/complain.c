// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/complain.h"

#include "cli/progress.h"
#include "os/os.h"
#include "text/grow.h"
#include "text/reason.h"
#include "text/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int complain( const char *format, ... ) {
	va_list arguments;
	progress_end(); // the sentence must not be written behind a progress line
	fflush( stdout );
	fputs( "dualbvh: ", stderr );
	va_start( arguments, format );
	char *text = scene_print( format, arguments );
	va_end( arguments );
	// Sentences quote names out of files.
	utf8_print( stderr, text != NULL ? text : "there is no memory for a sentence" );
	fputc( '\n', stderr );
	free( text );
	return EXIT_ERROR;
}

int complain_memory( void ) {
	return complain( "%s", dbvh_status_text( DBVH_OUT_OF_MEMORY ) );
}

int complain_of( const char *file, const dbvh_error *error ) {
	const char *text = error->text[0] != '\0' ? error->text : dbvh_status_text( error->status );
	if ( error->line > 0 )
		return complain( "%s:%" PRId64 ": %s", file, error->line, text );
	if ( error->byte >= 0 )
		return complain( "%s: at byte %" PRId64 ": %s", file, error->byte, text );
	return complain( "%s: %s", file, text );
}

int finish_output( int status ) {
	errno = ferror( stdout ) ? errno : 0;
	if ( fflush( stdout ) == 0 && !ferror( stdout ) )
		return status;
	// The reader has closed the pipe, and SIGPIPE is ignored; elsewhere the signal ends the process, without a word,
	// too.
	if ( os_is_closed_pipe( errno ) )
		return EXIT_ERROR;
	return complain( "cannot write to standard output: %s", reason_of( errno ) );
}

const char *plural( size_t n ) {
	return n == 1 ? "" : "s";
}
