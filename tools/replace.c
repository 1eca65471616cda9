// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "replace.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot( const replacement *r, int why ) {
	complain( "%s: %s cannot be written: %s", r->path, r->what,
	          why != 0 ? strerror( why ) : "an earlier write failed" );
	return false;
}

bool is_same_file( const char *a, const char *b ) {
	struct stat x, y;
	return stat( a, &x ) == 0 && stat( b, &y ) == 0 && S_ISREG( x.st_mode ) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

bool is_standard_output( const char *path ) {
	struct stat x, y;
	if ( strcmp( path, "-" ) == 0 )
		return true;
	return stat( path, &x ) == 0 && fstat( STDOUT_FILENO, &y ) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool is_written_as_it_is( const char *path ) {
	struct stat now;
	return ( stat( path, &now ) == 0 && !S_ISREG( now.st_mode ) ) || is_standard_output( path );
}

// A regular file that standard output goes to is not opened again, or each would write over the other.
static FILE *open_special( const char *path ) {
	if ( !is_standard_output( path ) )
		return fopen( path, "w" );
	fflush( stdout );
	const int descriptor = dup( STDOUT_FILENO );
	FILE *stream = descriptor >= 0 ? fdopen( descriptor, "w" ) : NULL;
	if ( stream == NULL && descriptor >= 0 )
		close( descriptor );
	return stream;
}

bool replacement_open( replacement *r, const char *path, const char *what ) {
	*r = ( replacement ){ .path = path, .what = what };
	if ( is_written_as_it_is( path ) ) {
		r->stream = open_special( path );
		if ( r->stream == NULL )
			return cannot( r, errno );
		errno = 0;
		return true;
	}
	const size_t size = strlen( path ) + 32;
	r->other = malloc( size );
	if ( r->other == NULL )
		return cannot( r, ENOMEM );
	snprintf( r->other, size, "%s.%ld.tmp", path, (long)getpid() );
	const int descriptor = open( r->other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666 );
	r->stream = descriptor >= 0 ? fdopen( descriptor, "w" ) : NULL;
	if ( r->stream != NULL ) {
		errno = 0;
		return true;
	}
	const int why = errno;
	if ( descriptor >= 0 ) {
		close( descriptor );
		unlink( r->other );
	}
	free( r->other );
	return cannot( r, why );
}

bool replacement_close( replacement *r ) {
	const bool failed = ferror( r->stream ) != 0 || errno == ENOMEM;
	const int why = errno;
	bool ok = fclose( r->stream ) == 0 ? !failed || cannot( r, why ) : cannot( r, errno );
	if ( ok && r->other != NULL && rename( r->other, r->path ) != 0 )
		ok = cannot( r, errno );
	if ( !ok && r->other != NULL )
		unlink( r->other );
	free( r->other );
	return ok;
}

void replacement_abandon( replacement *r ) {
	fclose( r->stream );
	if ( r->other != NULL )
		unlink( r->other );
	free( r->other );
}
