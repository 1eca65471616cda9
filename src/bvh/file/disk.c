// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/file/disk.h"

#include "base/alloc.h"
#include "base/os.h"
#include "base/status.h"
#include "bvh/file/format.h"
#include "mesh/io/file.h"

#include <errno.h>
#include <inttypes.h>

static dbvh_status refuse( dbvh_error *error, const char *what ) {
	return dbvhi_file_refuse( error, errno, what );
}

// ------------------------------------------------------------------------------------------------
// Names

bool dbvhi_disk_has( const char *path ) {
	dbvhi_os_facts facts;
	return dbvhi_os_facts_of( path, false, &facts ) || errno != ENOENT;
}

dbvh_status dbvhi_disk_check_folder( const char *folder, dbvh_error *error ) {
	dbvhi_os_facts facts;
	if ( !dbvhi_os_facts_of( folder, true, &facts ) )
		return refuse( error, "found" );
	if ( facts.kind != DBVHI_OS_FOLDER )
		return dbvhi_error_set( error, DBVH_IO, "it is no folder" );
	if ( !facts.is_trusted )
		return dbvhi_error_set( error, DBVH_IO, "the folder is not used: it belongs to another user" );
	// note: in a sticky folder only owners remove or rename files.
	if ( facts.others_write && !facts.is_sticky )
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
	dbvhi_os_unmap( bytes, size );
}

// Checks the head first, so that a large file that is no tree is refused as quickly as a small one.
static dbvh_status look_at_head( int descriptor, size_t size, dbvh_error *error ) {
	uint8_t head[DBVHI_HEAD_LENGTH];
	size_t count = 0;
	while ( count < sizeof head ) {
		const ptrdiff_t taken = dbvhi_os_read_at( descriptor, count, head + count, sizeof head - count );
		if ( taken < 0 )
			return refuse( error, "read" );
		if ( taken == 0 )
			break;
		count += (size_t)taken;
	}
	return dbvhi_file_head( head, count, size, error );
}

// Opens a regular file with the head of a tree. Opening a pipe must not wait for a writer before it is refused.
static dbvh_status open_regular( const char *path, dbvhi_disk_owner owner, int *descriptor_out, size_t *size_out,
                                 dbvh_error *error ) {
	dbvhi_os_facts facts;
	const unsigned links = owner == DBVHI_DISK_OWN ? DBVHI_OS_NO_LINK : 0;
	*descriptor_out = dbvhi_os_open( path, DBVHI_OS_READ | DBVHI_OS_NO_WAIT | links, 0 );
	if ( *descriptor_out < 0 )
		return refuse( error, "opened" );
	dbvh_status status = DBVH_OK;
	if ( !dbvhi_os_facts_of_open( *descriptor_out, &facts ) )
		status = refuse( error, "read" );
	else if ( facts.kind != DBVHI_OS_REGULAR )
		status = dbvhi_error_set( error, DBVH_IO, "a tree is read from a regular file, which this is not" );
	else if ( owner == DBVHI_DISK_OWN && !facts.is_trusted )
		status = dbvhi_error_set( error, DBVH_IO, "the file belongs to another user" );
	else if ( owner == DBVHI_DISK_OWN && facts.others_write )
		status = dbvhi_error_set( error, DBVH_IO, "others can write to the file" );
	else if ( facts.size == 0 )
		status = dbvhi_error_set( error, DBVH_TRUNCATED, "the file is empty" );
	else if ( facts.size > SIZE_MAX )
		status = dbvhi_error_set( error, DBVH_LIMIT, "the file has %" PRIu64 " bytes, more than this machine addresses",
		                          facts.size );
	else
		status = look_at_head( *descriptor_out, (size_t)facts.size, error );
	*size_out = (size_t)facts.size;
	if ( status != DBVH_OK )
		dbvhi_os_close( *descriptor_out );
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
		const ptrdiff_t taken = dbvhi_os_read_at( source->descriptor, at, to, count );
		if ( taken <= 0 ) {
			atomic_store( &source->why, taken < 0 ? errno : DBVHI_DISK_ENDED );
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
	dbvhi_os_close( source->descriptor );
	if ( status != DBVH_IO )
		return status;
	return why == DBVHI_DISK_ENDED
	           ? dbvhi_error_set( error, DBVH_TRUNCATED, "the file has become shorter while it was read" )
	           : dbvhi_file_refuse( error, why, "read" );
}

dbvh_status dbvhi_disk_map( const char *path, dbvhi_disk_owner owner, bool all_at_once, dbvhi_backing *backing_out,
                            dbvh_error *error ) {
	int descriptor;
	size_t size = 0;
	dbvh_status status = open_regular( path, owner, &descriptor, &size, error );
	if ( status != DBVH_OK )
		return status;
	void *bytes = dbvhi_os_map( descriptor, size, all_at_once );
	if ( bytes == NULL )
		status = refuse( error, "mapped" );
	else
		*backing_out = ( dbvhi_backing ){ .bytes = bytes, .size = size, .release = release_map };
	dbvhi_os_close( descriptor );
	return status;
}
