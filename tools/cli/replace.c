// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/replace.h"

#include "cli/complain.h"

#include <errno.h>
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
static bool begin( replacement *r ) {
	const char *what;
	if ( !is_standard_output( r->path ) )
		return dbvhi_replacement_begin( &r->file, r->path, DBVHI_REPLACE_TARGET, &what );
	fflush( stdout );
	const int descriptor = dup( STDOUT_FILENO );
	dbvhi_replacement_through( &r->file, descriptor );
	return descriptor >= 0;
}

// Output can be produced again, so nothing waits for it to reach the disk.
static bool end( replacement *r, bool is_whole ) {
	const char *what;
	r->stream = NULL;
	return dbvhi_replacement_end( &r->file, is_whole, false, &what );
}

bool replacement_open( replacement *r, const char *path, const char *what ) {
	*r = ( replacement ){ .path = path, .what = what };
	if ( !begin( r ) || !dbvhi_replacement_open_stream( &r->file ) )
		return cannot( r, errno );
	r->stream = r->file.stream;
	return true;
}

bool replacement_close( replacement *r ) {
	return end( r, errno != ENOMEM ) || cannot( r, errno );
}

void replacement_abandon( replacement *r ) {
	end( r, false );
}
