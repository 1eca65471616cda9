// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define _DEFAULT_SOURCE // realpath(), fchmod() and the rest of POSIX

#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// MOST_NAMES bounds the temporary names tried: killed processes with the same number may have left as many behind.
#define MOST_NAMES 1000

// MOST_KEPT bounds the part of the target's name in its temporary name: file systems take 255 bytes.
#define MOST_KEPT 200

// MOST_AT_A_TIME: write() takes less than 2 GiB at a time.
#define MOST_AT_A_TIME ( (size_t)1 << 30 )

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
	const bool good = r->stream != NULL ? fclose( r->stream ) == 0 : close( r->descriptor ) == 0;
	r->stream = NULL;
	return good;
}

// Removes what has been begun.
static bool discard( dbvhi_replacement *r ) {
	const int why = errno;
	if ( r->beside != NULL )
		unlink( r->beside );
	errno = why;
	return forget( r );
}

// ------------------------------------------------------------------------------------------------
// Begin

// Creates a file under an unused name, kept in r->beside.
static int create_beside( dbvhi_replacement *r, mode_t mode ) {
	const char *slash = strrchr( r->path, '/' );
	const size_t folder = slash != NULL ? (size_t)( slash - r->path ) + 1 : 0, name = strlen( r->path ) - folder;
	const int kept = (int)( folder + ( name < MOST_KEPT ? name : MOST_KEPT ) );
	const size_t room = (size_t)kept + 64;
	r->beside = malloc( room );
	for ( int i = 0; r->beside != NULL && i < MOST_NAMES; ++i ) {
		snprintf( r->beside, room, "%.*s.%ld-%d.tmp", kept, r->path, (long)getpid(), i );
		const int descriptor = open( r->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode );
		if ( descriptor >= 0 || errno != EEXIST )
			return descriptor;
	}
	return -1;
}

// Returns the permissions of the replaced file, adjusted to the group of the new one: if the old group cannot be set,
// the group gets no more than others have.
static mode_t mode_for_group( int descriptor, const struct stat *now, const struct stat *old ) {
	const mode_t mode = old->st_mode;
	if ( now->st_gid == old->st_gid || fchown( descriptor, (uid_t)-1, old->st_gid ) == 0 )
		return mode;
	return ( mode & ~(mode_t)070 ) | ( mode & 07 ) << 3;
}

// Creates the temporary file. `old` is the user's own regular file, or NULL; permissions are limited to `most`.
static bool begin_beside( dbvhi_replacement *r, const struct stat *old, mode_t most ) {
	struct stat now;
	// note: creating a file is the only thread-safe way to apply the umask.
	r->descriptor = create_beside( r, old != NULL ? PRIVATE : 0666 );
	if ( r->descriptor < 0 ) {
		free( r->beside );
		r->beside = NULL;
		return forget( r );
	}
	if ( fstat( r->descriptor, &now ) != 0 ) {
		close_file( r );
		return discard( r );
	}
	r->mode = most & ( old != NULL ? mode_for_group( r->descriptor, &now, old ) : now.st_mode );
	// note: a file system without permissions refuses; its files have those of the whole file system anyway.
	(void)fchmod( r->descriptor, PRIVATE );
	return true;
}

// Opens a device or pipe. If it has become a regular file meanwhile, refuses: that file must not be truncated or
// overwritten.
static bool begin_in_place( dbvhi_replacement *r, const char *path ) {
	struct stat now;
	r->descriptor = open( path, O_WRONLY | O_NOCTTY | O_CLOEXEC );
	if ( r->descriptor < 0 )
		return forget( r );
	if ( fstat( r->descriptor, &now ) == 0 && !S_ISREG( now.st_mode ) )
		return true;
	close( r->descriptor );
	errno = EBUSY;
	return forget( r );
}

bool dbvhi_replacement_begin( dbvhi_replacement *r, const char *path, dbvhi_replaced kind, const char **what_out ) {
	*r = ( dbvhi_replacement ){ .descriptor = -1 };
	struct stat old;
	const bool follows = kind == DBVHI_REPLACE_TARGET;
	const bool exists = ( follows ? stat( path, &old ) : lstat( path, &old ) ) == 0;
	if ( follows && exists && !S_ISREG( old.st_mode ) ) {
		*what_out = "opened for writing";
		return begin_in_place( r, path );
	}
	*what_out = "created";
	r->path = follows && exists ? realpath( path, NULL ) : strdup( path );
	if ( r->path == NULL )
		return forget( r );
	const bool is_own = exists && S_ISREG( old.st_mode ) && old.st_uid == geteuid();
	return begin_beside( r, is_own ? &old : NULL, follows ? PERMISSIONS : PERMISSIONS & ~OTHERS_WRITE );
}

void dbvhi_replacement_through( dbvhi_replacement *r, int descriptor ) {
	*r = ( dbvhi_replacement ){ .descriptor = descriptor };
}

// ------------------------------------------------------------------------------------------------
// Write

bool dbvhi_replacement_open_stream( dbvhi_replacement *r ) {
	r->stream = fdopen( r->descriptor, "w" );
	if ( r->stream == NULL ) {
		const int why = errno;
		close( r->descriptor );
		errno = why;
		return discard( r );
	}
	errno = 0;
	return true;
}

bool dbvhi_replacement_append( void *replacement, const void *bytes, size_t count ) {
	const dbvhi_replacement *r = replacement;
	for ( const char *at = bytes; count > 0; ) {
		const ssize_t taken = write( r->descriptor, at, count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME );
		if ( taken < 0 && errno == EINTR )
			continue;
		if ( taken == 0 )
			errno = ENOSPC; // write() gives no reason for taking nothing
		if ( taken <= 0 )
			return false;
		at += taken;
		count -= (size_t)taken;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// End

// Flushes the stream. A write that failed earlier has left its errno, if nothing has changed it since.
static bool flush( const dbvhi_replacement *r ) {
	return r->stream == NULL || ( !ferror( r->stream ) && fflush( r->stream ) == 0 );
}

// Sets the final permissions.
static bool publish( const dbvhi_replacement *r ) {
	struct stat now;
	return r->beside == NULL || ( fstat( r->descriptor, &now ) == 0 && ( now.st_mode & PERMISSIONS ) == r->mode ) ||
	       fchmod( r->descriptor, (mode_t)r->mode ) == 0;
}

// note: fsync() on a pipe and the like fails with EINVAL, which is no error here.
static bool has_reached_disk( int descriptor ) {
	return fsync( descriptor ) == 0 || errno == EINVAL || errno == ENOTSUP;
}

// Synchronises the folder, so that the new name survives a power failure. Errors are ignored: not every system can.
static void sync_folder( const char *path ) {
	char *folder = malloc( strlen( path ) + 2 );
	if ( folder == NULL )
		return;
	strcpy( folder, path );
	char *slash = strrchr( folder, '/' );
	if ( slash == NULL )
		strcpy( folder, "." );
	else
		slash[slash == folder] = '\0';
	const int descriptor = open( folder, O_RDONLY | O_CLOEXEC );
	if ( descriptor >= 0 ) {
		(void)fsync( descriptor );
		close( descriptor );
	}
	free( folder );
}

bool dbvhi_replacement_end( dbvhi_replacement *r, bool is_whole, bool to_disk, const char **what_out ) {
	*what_out = "written";
	bool good = is_whole && flush( r );
	if ( good && !publish( r ) ) {
		*what_out = "given its permissions";
		good = false;
	}
	good = good && ( !to_disk || has_reached_disk( r->descriptor ) );
	const int why = errno;
	const bool closed = close_file( r );
	if ( !good )
		errno = why;
	good = good && closed;
	if ( good && r->beside != NULL && rename( r->beside, r->path ) != 0 ) {
		*what_out = "put in its place";
		good = false;
	}
	if ( !good )
		return discard( r );
	if ( to_disk && r->beside != NULL )
		sync_folder( r->path );
	forget( r );
	return true;
}
