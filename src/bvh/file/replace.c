// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define _DEFAULT_SOURCE // realpath(), fchmod() and the rest of POSIX

#include "bvh/file/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Names beside a file that are tried before it is given up: as many may have been left behind by processes of the same
// number that were killed.
#define MOST_NAMES 1000

static bool forget( dbvhi_replacement *r ) {
	const int why = errno;
	free( r->path );
	free( r->beside );
	*r = ( dbvhi_replacement ){ .descriptor = -1 };
	errno = why;
	return false;
}

// Gives up what has been begun.
static void discard( const dbvhi_replacement *r ) {
	const int why = errno;
	close( r->descriptor );
	if ( r->beside != NULL )
		unlink( r->beside );
	errno = why;
}

// A name that nobody has, as `beside` with `mode`. What it will replace is seen by nobody whom that keeps out.
static int create_beside( dbvhi_replacement *r, size_t room, mode_t mode ) {
	for ( int i = 0; i < MOST_NAMES; ++i ) {
		snprintf( r->beside, room, "%s.%ld-%d.tmp", r->path, (long)getpid(), i );
		const int descriptor = open( r->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode );
		if ( descriptor >= 0 || errno != EEXIST )
			return descriptor;
	}
	return -1;
}

bool dbvhi_replacement_begin( dbvhi_replacement *r, const char *path, const char **what_out ) {
	*r = ( dbvhi_replacement ){ .descriptor = -1 };
	struct stat facts;
	const bool exists = stat( path, &facts ) == 0;
	if ( exists && !S_ISREG( facts.st_mode ) ) {
		*what_out = "opened for writing";
		r->descriptor = open( path, O_WRONLY | O_CLOEXEC );
		return r->descriptor >= 0;
	}
	*what_out = "created";
	r->path = exists ? realpath( path, NULL ) : strdup( path );
	if ( r->path == NULL )
		return false;
	const size_t room = strlen( r->path ) + 64;
	r->beside = malloc( room );
	if ( r->beside == NULL )
		return forget( r );
	r->descriptor = create_beside( r, room, exists ? 0600 : 0666 );
	if ( r->descriptor < 0 )
		return forget( r );
	if ( !exists || fchmod( r->descriptor, facts.st_mode & 07777 ) == 0 )
		return true;
	*what_out = "given the permissions of the one it replaces";
	discard( r );
	return forget( r );
}

// So that the new name, too, is there after the power has failed. Where the system has no such thing, it is not.
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

// What cannot be synchronised, such as a pipe, says EINVAL.
static bool has_reached_disk( int descriptor ) {
	return fsync( descriptor ) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool dbvhi_replacement_end( dbvhi_replacement *r, bool is_whole, bool to_disk, const char **what_out ) {
	*what_out = "written";
	if ( !is_whole || ( to_disk && !has_reached_disk( r->descriptor ) ) ) {
		discard( r );
		return forget( r );
	}
	bool done = close( r->descriptor ) == 0;
	if ( done && r->beside != NULL && rename( r->beside, r->path ) != 0 ) {
		*what_out = "put in its place";
		done = false;
	}
	if ( !done ) {
		const int why = errno;
		if ( r->beside != NULL )
			unlink( r->beside );
		errno = why;
		return forget( r );
	}
	if ( to_disk && r->beside != NULL )
		sync_folder( r->path );
	forget( r );
	return true;
}
