// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/replace.h"

#include "base/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// MOST_NAMES bounds the temporary names tried: killed processes with the same number may have left as many behind.
#define MOST_NAMES 1000

// MOST_KEPT bounds the part of the target's name in its temporary name: file systems take 255 bytes.
#define MOST_KEPT 200

// PRIVATE holds until the file is whole. PERMISSIONS leaves setuid and the like out: those bits do not carry over to
// other content.
#define PRIVATE 0600
#define PERMISSIONS 0777
#define OTHERS_WRITE 0022

static bool forget( dbvhi_replacement *r ) {
	const int why = errno;
	free( r->path );
	free( r->beside );
	*r = ( dbvhi_replacement ){ .descriptor = -1 };
	errno = why;
	return false;
}

// Closes the file; false with errno where the last bytes were refused.
static bool close_file( dbvhi_replacement *r ) {
	const bool good = r->stream != NULL ? fclose( r->stream ) == 0 : dbvhi_os_close( r->descriptor );
	r->stream = NULL;
	return good;
}

// Removes what has been begun.
static bool discard( dbvhi_replacement *r ) {
	const int why = errno;
	if ( r->beside != NULL )
		dbvhi_os_remove( r->beside );
	errno = why;
	return forget( r );
}

// ------------------------------------------------------------------------------------------------
// Begin

// Creates a file under an unused name, kept in r->beside.
static int create_beside( dbvhi_replacement *r, unsigned mode ) {
	const char *slash = dbvhi_os_last_separator( r->path );
	const size_t folder = slash != NULL ? (size_t)( slash - r->path ) + 1 : 0, name = strlen( r->path ) - folder;
	const int kept = (int)( folder + ( name < MOST_KEPT ? name : MOST_KEPT ) );
	const size_t room = (size_t)kept + 64;
	r->beside = malloc( room );
	for ( int i = 0; r->beside != NULL && i < MOST_NAMES; ++i ) {
		snprintf( r->beside, room, "%.*s.%d-%d.tmp", kept, r->path, dbvhi_os_process_number(), i );
		const int descriptor = dbvhi_os_open( r->beside, DBVHI_OS_WRITE | DBVHI_OS_NEW | DBVHI_OS_NO_LINK, mode );
		if ( descriptor >= 0 || errno != EEXIST )
			return descriptor;
	}
	return -1;
}

// Returns the permissions of the replaced file, adjusted to the group of the new one: if the old group cannot be set,
// the group gets no more than others have.
static unsigned mode_for_group( int descriptor, const dbvhi_os_facts *now, const dbvhi_os_facts *old ) {
	const unsigned mode = old->mode;
	if ( now->group == old->group || dbvhi_os_set_group( descriptor, old->group ) )
		return mode;
	return ( mode & ~070u ) | ( mode & 07 ) << 3;
}

// Creates the temporary file. `old` is the user's own regular file, or NULL; permissions are limited to `most`.
static bool begin_beside( dbvhi_replacement *r, const dbvhi_os_facts *old, unsigned most ) {
	dbvhi_os_facts now;
	// note: creating a file is the only thread-safe way to apply the umask.
	r->descriptor = create_beside( r, old != NULL ? PRIVATE : 0666 );
	if ( r->descriptor < 0 ) {
		free( r->beside );
		r->beside = NULL;
		return forget( r );
	}
	if ( !dbvhi_os_facts_of_open( r->descriptor, &now ) ) {
		close_file( r );
		return discard( r );
	}
	r->mode = most & ( old != NULL ? mode_for_group( r->descriptor, &now, old ) : now.mode );
	// note: a file system without permissions refuses; its files have those of the whole file system anyway.
	(void)dbvhi_os_set_mode( r->descriptor, PRIVATE );
	return true;
}

// Opens a device or pipe. If it has become a regular file meanwhile, refuses: that file must not be truncated or
// overwritten.
static bool begin_in_place( dbvhi_replacement *r, const char *path ) {
	dbvhi_os_facts now;
	r->descriptor = dbvhi_os_open( path, DBVHI_OS_WRITE, 0 );
	if ( r->descriptor < 0 )
		return forget( r );
	if ( dbvhi_os_facts_of_open( r->descriptor, &now ) && now.kind != DBVHI_OS_REGULAR )
		return true;
	dbvhi_os_close( r->descriptor );
	errno = EBUSY;
	return forget( r );
}

static char *copy_text( const char *text ) {
	const size_t count = strlen( text ) + 1;
	char *copy = malloc( count );
	return copy != NULL ? memcpy( copy, text, count ) : NULL;
}

bool dbvhi_replacement_begin( dbvhi_replacement *r, const char *path, dbvhi_replaced kind, const char **what_out ) {
	*r = ( dbvhi_replacement ){ .descriptor = -1 };
	dbvhi_os_facts old;
	const bool follows = kind == DBVHI_REPLACE_TARGET;
	const bool exists = dbvhi_os_facts_of( path, follows, &old );
	if ( follows && exists && old.kind != DBVHI_OS_REGULAR ) {
		*what_out = "opened for writing";
		return begin_in_place( r, path );
	}
	*what_out = "created";
	r->path = follows && exists ? dbvhi_os_real_path( path ) : copy_text( path );
	if ( r->path == NULL )
		return forget( r );
	const bool is_own = exists && old.kind == DBVHI_OS_REGULAR && old.is_own;
	return begin_beside( r, is_own ? &old : NULL, follows ? PERMISSIONS : PERMISSIONS & ~OTHERS_WRITE );
}

void dbvhi_replacement_through( dbvhi_replacement *r, int descriptor ) {
	*r = ( dbvhi_replacement ){ .descriptor = descriptor };
}

// ------------------------------------------------------------------------------------------------
// Write

bool dbvhi_replacement_open_stream( dbvhi_replacement *r ) {
	r->stream = dbvhi_os_stream_of( r->descriptor, "wb" );
	if ( r->stream == NULL ) {
		const int why = errno;
		dbvhi_os_close( r->descriptor );
		errno = why;
		return discard( r );
	}
	errno = 0;
	return true;
}

bool dbvhi_replacement_append( void *replacement, const void *bytes, size_t count ) {
	const dbvhi_replacement *r = replacement;
	return dbvhi_os_write( r->descriptor, bytes, count );
}

// ------------------------------------------------------------------------------------------------
// End

// Flushes the stream. A write that failed earlier has left its errno, if nothing has changed it since.
static bool flush( const dbvhi_replacement *r ) {
	return r->stream == NULL || ( !ferror( r->stream ) && fflush( r->stream ) == 0 );
}

// Sets the final permissions.
static bool publish( const dbvhi_replacement *r ) {
	dbvhi_os_facts now;
	return r->beside == NULL ||
	       ( dbvhi_os_facts_of_open( r->descriptor, &now ) && ( now.mode & PERMISSIONS ) == r->mode ) ||
	       dbvhi_os_set_mode( r->descriptor, r->mode );
}

bool dbvhi_replacement_end( dbvhi_replacement *r, bool is_whole, bool to_disk, const char **what_out ) {
	*what_out = "written";
	bool good = is_whole && flush( r );
	if ( good && !publish( r ) ) {
		*what_out = "given its permissions";
		good = false;
	}
	good = good && ( !to_disk || dbvhi_os_sync( r->descriptor ) );
	const int why = errno;
	const bool closed = close_file( r );
	if ( !good )
		errno = why;
	good = good && closed;
	if ( good && r->beside != NULL && !dbvhi_os_rename( r->beside, r->path ) ) {
		*what_out = "put in its place";
		good = false;
	}
	if ( !good )
		return discard( r );
	if ( to_disk && r->beside != NULL )
		dbvhi_os_sync_folder_of( r->path );
	forget( r );
	return true;
}
