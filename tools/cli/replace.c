// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/replace.h"

#include "base/os.h"
#include "cli/complain.h"
#include "os/os.h"
#include "text/reason.h"

#include <errno.h>
#include <string.h>

static bool cannot( const replacement *r, int why ) {
	complain( "%s: %s cannot be written: %s", r->path, r->what, reason_of( why ) );
	return false;
}

bool is_same_file( const char *a, const char *b ) {
	dbvhi_os_facts x, y;
	return dbvhi_os_facts_of( a, true, &x ) && dbvhi_os_facts_of( b, true, &y ) && x.kind == DBVHI_OS_REGULAR &&
	       dbvhi_os_is_same( &x, &y );
}

bool is_standard_output( const char *path ) {
	dbvhi_os_facts x, y;
	if ( strcmp( path, "-" ) == 0 )
		return true;
	return dbvhi_os_facts_of( path, true, &x ) && dbvhi_os_facts_of_open( os_file_of( stdout ), &y ) &&
	       dbvhi_os_is_same( &x, &y );
}

bool is_written_as_it_is( const char *path ) {
	dbvhi_os_facts now;
	return ( dbvhi_os_facts_of( path, true, &now ) && now.kind != DBVHI_OS_REGULAR ) || is_standard_output( path );
}

// A regular file that standard output goes to is not opened again, or each would write over the other.
static bool begin( replacement *r ) {
	const char *what;
	if ( !is_standard_output( r->path ) )
		return dbvhi_replacement_begin( &r->file, r->path, DBVHI_REPLACE_TARGET, &what );
	fflush( stdout );
	const int descriptor = os_duplicate_standard_output();
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
