// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define _DEFAULT_SOURCE // POSIX, and what maps at once
#define _POSIX_C_SOURCE 200809L

#include "bvh/file/disk.h"

#include "base/alloc.h"
#include "base/status.h"
#include "bvh/file/load.h"
#include "mesh/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Names beside a file that are tried before it is given up: as many may have been left behind by processes of the same
// number that were killed.
#define MOST_NAMES 1000

// The system takes less than 2 GiB at a time.
#define MOST_AT_A_TIME ( (size_t)1 << 30 )

static dbvh_status refuse( dbvh_error *error, const char *what ) {
	return dbvhi_file_refuse( error, errno, what );
}

// ------------------------------------------------------------------------------------------------
// Writing

static dbvh_status out_of_memory( dbvhi_disk_file *file, dbvh_error *error ) {
	free( file->path );
	free( file->beside );
	*file = ( dbvhi_disk_file ){ .descriptor = -1 };
	return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
}

// A name that nobody has, as `beside` with `mode`. What it will replace is seen by nobody whom that keeps out.
static int create_beside( dbvhi_disk_file *file, size_t room, mode_t mode ) {
	for ( int i = 0; i < MOST_NAMES; ++i ) {
		snprintf( file->beside, room, "%s.%ld-%d.tmp", file->path, (long)getpid(), i );
		const int descriptor = open( file->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode );
		if ( descriptor >= 0 || errno != EEXIST )
			return descriptor;
	}
	return -1;
}

dbvh_status dbvhi_disk_create( const char *path, dbvhi_disk_file *file, dbvh_error *error ) {
	*file = ( dbvhi_disk_file ){ .descriptor = -1 };
	struct stat facts;
	const bool exists = stat( path, &facts ) == 0;
	if ( exists && !S_ISREG( facts.st_mode ) ) {
		file->descriptor = open( path, O_WRONLY | O_CLOEXEC );
		return file->descriptor >= 0 ? DBVH_OK : refuse( error, "opened for writing" );
	}
	// The file that a link leads to, so that the link stays.
	file->path = exists ? realpath( path, NULL ) : strdup( path );
	if ( file->path == NULL )
		return errno == ENOMEM ? out_of_memory( file, error ) : refuse( error, "created" );
	const size_t room = strlen( file->path ) + 64;
	file->beside = malloc( room );
	if ( file->beside == NULL )
		return out_of_memory( file, error );
	file->descriptor = create_beside( file, room, exists ? 0600 : 0666 );
	dbvh_status status = file->descriptor >= 0 ? DBVH_OK : refuse( error, "created" );
	if ( status == DBVH_OK && exists && fchmod( file->descriptor, facts.st_mode & 07777 ) != 0 ) {
		status = refuse( error, "given the permissions of the one it replaces" );
		close( file->descriptor );
		unlink( file->beside );
	}
	if ( status == DBVH_OK )
		return DBVH_OK;
	free( file->path );
	free( file->beside );
	*file = ( dbvhi_disk_file ){ .descriptor = -1 };
	return status;
}

bool dbvhi_disk_append( void *user, const void *bytes, size_t count ) {
	const dbvhi_disk_file *file = user;
	for ( const char *at = bytes; count > 0; ) {
		const ssize_t taken = write( file->descriptor, at, count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME );
		if ( taken < 0 && errno == EINTR )
			continue;
		if ( taken == 0 )
			errno = ENOSPC; // which says no more than that there was no room
		if ( taken <= 0 )
			return false;
		at += taken;
		count -= (size_t)taken;
	}
	return true;
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

dbvh_status dbvhi_disk_finish( dbvhi_disk_file *file, bool is_whole, dbvh_error *error ) {
	dbvh_status status = is_whole ? DBVH_OK : refuse( error, "written" );
	// What cannot be synchronised, such as a pipe, says EINVAL.
	if ( status == DBVH_OK && fsync( file->descriptor ) != 0 && errno != EINVAL && errno != ENOTSUP )
		status = refuse( error, "written" );
	if ( close( file->descriptor ) != 0 && status == DBVH_OK )
		status = refuse( error, "written" );
	if ( file->beside != NULL ) {
		if ( status == DBVH_OK && rename( file->beside, file->path ) != 0 )
			status = refuse( error, "put in its place" );
		if ( status == DBVH_OK )
			sync_folder( file->path );
		else
			unlink( file->beside );
	}
	free( file->path );
	free( file->beside );
	*file = ( dbvhi_disk_file ){ .descriptor = -1 };
	return status;
}

bool dbvhi_disk_has( const char *path ) {
	struct stat facts;
	return lstat( path, &facts ) == 0 || errno != ENOENT;
}

// ------------------------------------------------------------------------------------------------
// Reading

void dbvhi_release_memory( const dbvh_allocator *allocator, char *bytes, size_t size ) {
	dbvhi_free( allocator, bytes, size, 1 );
}

static void release_map( const dbvh_allocator *allocator, char *bytes, size_t size ) {
	(void)allocator;
	munmap( bytes, size );
}

// So that a large file which is no tree costs no more than a small one.
static dbvh_status look_at_head( int descriptor, size_t size, dbvh_error *error ) {
	uint8_t head[DBVHI_HEAD_LENGTH];
	size_t count = 0;
	while ( count < sizeof head ) {
		const ssize_t taken = pread( descriptor, head + count, sizeof head - count, (off_t)count );
		if ( taken < 0 && errno == EINTR )
			continue;
		if ( taken < 0 )
			return refuse( error, "read" );
		if ( taken == 0 )
			break;
		count += (size_t)taken;
	}
	return dbvhi_file_head( head, count, size, error );
}

// A regular file that begins like a tree.
static dbvh_status open_regular( const char *path, int *descriptor_out, size_t *size_out, dbvh_error *error ) {
	struct stat facts;
	*descriptor_out = open( path, O_RDONLY | O_CLOEXEC );
	if ( *descriptor_out < 0 )
		return refuse( error, "opened" );
	dbvh_status status = DBVH_OK;
	if ( fstat( *descriptor_out, &facts ) != 0 )
		status = refuse( error, "read" );
	else if ( !S_ISREG( facts.st_mode ) )
		status = dbvhi_error_set( error, DBVH_IO, "a tree is read from a regular file, which this is not" );
	else if ( facts.st_size == 0 )
		status = dbvhi_error_set( error, DBVH_TRUNCATED, "the file is empty" );
	else if ( (uintmax_t)facts.st_size > SIZE_MAX )
		status = dbvhi_error_set( error, DBVH_LIMIT, "the file has %jd bytes, more than this machine addresses",
		                          (intmax_t)facts.st_size );
	else
		status = look_at_head( *descriptor_out, (size_t)facts.st_size, error );
	*size_out = (size_t)facts.st_size;
	if ( status != DBVH_OK )
		close( *descriptor_out );
	return status;
}

dbvh_status dbvhi_disk_open( const char *path, dbvhi_disk_source *source_out, dbvh_error *error ) {
	atomic_init( &source_out->why, 0 );
	return open_regular( path, &source_out->descriptor, &source_out->size, error );
}

bool dbvhi_disk_take( void *user, uint64_t at, void *bytes, size_t count ) {
	dbvhi_disk_source *source = user;
	char *to = bytes;
	while ( count > 0 ) {
		const ssize_t taken =
		    pread( source->descriptor, to, count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME, (off_t)at );
		if ( taken < 0 && errno == EINTR )
			continue;
		if ( taken <= 0 ) {
			atomic_store( &source->why, taken < 0 ? errno : ENODATA );
			return false;
		}
		to += taken;
		at += (uint64_t)taken;
		count -= (size_t)taken;
	}
	return true;
}

dbvh_status dbvhi_disk_close( dbvhi_disk_source *source, dbvh_status status, dbvh_error *error ) {
	const int why = atomic_load( &source->why );
	close( source->descriptor );
	if ( status != DBVH_IO )
		return status;
	return why == ENODATA ? dbvhi_error_set( error, DBVH_TRUNCATED, "the file has become shorter while it was read" )
	                      : dbvhi_file_refuse( error, why, "read" );
}

dbvh_status dbvhi_disk_map( const char *path, bool all_at_once, dbvhi_backing *backing_out, dbvh_error *error ) {
	int descriptor;
	size_t size = 0;
	dbvh_status status = open_regular( path, &descriptor, &size, error );
	if ( status != DBVH_OK )
		return status;
	void *bytes = mmap( NULL, size, PROT_READ, MAP_SHARED, descriptor, 0 );
	if ( bytes == MAP_FAILED )
		status = refuse( error, "mapped" );
	else
		*backing_out = ( dbvhi_backing ){ .bytes = bytes, .size = size, .release = release_map };
	if ( status == DBVH_OK && all_at_once )
		(void)posix_madvise( bytes, size, POSIX_MADV_WILLNEED );
	close( descriptor );
	return status;
}
