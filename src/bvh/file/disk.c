// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define _DEFAULT_SOURCE // POSIX and read-ahead for maps
#define _POSIX_C_SOURCE 200809L

#include "bvh/file/disk.h"

#include "base/alloc.h"
#include "base/status.h"
#include "bvh/file/format.h"
#include "mesh/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// MOST_AT_A_TIME: pread() takes less than 2 GiB at a time.
#define MOST_AT_A_TIME ( (size_t)1 << 30 )

static dbvh_status refuse( dbvh_error *error, const char *what ) {
	return dbvhi_file_refuse( error, errno, what );
}

// ------------------------------------------------------------------------------------------------
// Names

bool dbvhi_disk_has( const char *path ) {
	struct stat facts;
	return lstat( path, &facts ) == 0 || errno != ENOENT;
}

// True for owners that a process trusts with its files: its user, and root.
static bool is_trusted( uid_t owner ) {
	return owner == geteuid() || owner == 0;
}

dbvh_status dbvhi_disk_check_folder( const char *folder, dbvh_error *error ) {
	struct stat facts;
	if ( stat( folder, &facts ) != 0 )
		return refuse( error, "found" );
	if ( !S_ISDIR( facts.st_mode ) )
		return dbvhi_error_set( error, DBVH_IO, "it is no folder" );
	if ( !is_trusted( facts.st_uid ) )
		return dbvhi_error_set( error, DBVH_IO, "the folder is not used: it belongs to another user" );
	// note: in a sticky folder only owners remove or rename files.
	if ( ( facts.st_mode & ( S_IWGRP | S_IWOTH ) ) != 0 && ( facts.st_mode & S_ISVTX ) == 0 )
		return dbvhi_error_set( error, DBVH_IO, "the folder is not used: others can write to it (chmod go-w)" );
	return DBVH_OK;
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

// Checks the head first, so that a large file that is no tree is refused as quickly as a small one.
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

// Opens a regular file with the head of a tree. O_NONBLOCK: opening a pipe must not wait for a writer before it is
// refused.
static dbvh_status open_regular( const char *path, dbvhi_disk_owner owner, int *descriptor_out, size_t *size_out,
                                 dbvh_error *error ) {
	struct stat facts;
	*descriptor_out =
	    open( path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | ( owner == DBVHI_DISK_OWN ? O_NOFOLLOW : 0 ) );
	if ( *descriptor_out < 0 )
		return refuse( error, "opened" );
	dbvh_status status = DBVH_OK;
	if ( fstat( *descriptor_out, &facts ) != 0 )
		status = refuse( error, "read" );
	else if ( !S_ISREG( facts.st_mode ) )
		status = dbvhi_error_set( error, DBVH_IO, "a tree is read from a regular file, which this is not" );
	else if ( owner == DBVHI_DISK_OWN && !is_trusted( facts.st_uid ) )
		status = dbvhi_error_set( error, DBVH_IO, "the file belongs to another user" );
	else if ( owner == DBVHI_DISK_OWN && ( facts.st_mode & ( S_IWGRP | S_IWOTH ) ) != 0 )
		status = dbvhi_error_set( error, DBVH_IO, "others can write to the file" );
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

dbvh_status dbvhi_disk_open( const char *path, dbvhi_disk_owner owner, dbvhi_disk_source *source_out,
                             dbvh_error *error ) {
	atomic_init( &source_out->why, 0 );
	return open_regular( path, owner, &source_out->descriptor, &source_out->size, error );
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

dbvh_status dbvhi_disk_map( const char *path, dbvhi_disk_owner owner, bool all_at_once, dbvhi_backing *backing_out,
                            dbvh_error *error ) {
	int descriptor;
	size_t size = 0;
	dbvh_status status = open_regular( path, owner, &descriptor, &size, error );
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
