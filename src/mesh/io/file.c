// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/file.h"

#include "base/alloc.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>

// Enough for a binary STL of 2^30 triangles, and an end for what never ends, such as a device.
#define FILE_LIMIT ( UINT64_C( 1 ) << 36 )

dbvh_status dbvhi_file_refuse( dbvh_error *error, int number, const char *what ) {
	const char *why = "";
	// strerror() is not safe from any thread.
	switch ( number ) {
	case ENOENT:
		why = ": there is no such file or folder";
		break;
	case EACCES:
		why = ": permission denied";
		break;
	case EISDIR:
		why = ": it is a folder";
		break;
	case ENOSPC:
		why = ": the disk is full";
		break;
	default:
		return dbvhi_error_set( error, DBVH_IO, "the file cannot be %s (error number %d)", what, number );
	}
	return dbvhi_error_set( error, DBVH_IO, "the file cannot be %s%s", what, why );
}

static dbvh_status read_all( FILE *stream, const dbvh_allocator *allocator, dbvhi_file *file, dbvh_error *error ) {
	size_t wanted = (size_t)1 << 16;
	for ( ;; ) {
		void *memory = file->bytes;
		if ( !dbvhi_grow( allocator, &memory, &file->capacity, wanted, 1 ) )
			return dbvhi_error_set( error, DBVH_OUT_OF_MEMORY, "no memory for a file of %zu bytes or more",
			                        file->count );
		file->bytes = memory;
		errno = 0;
		file->count += fread( file->bytes + file->count, 1, file->capacity - file->count, stream );
		if ( ferror( stream ) )
			return dbvhi_file_refuse( error, errno, "read" );
		if ( file->count < file->capacity )
			return DBVH_OK;
#if SIZE_MAX > UINT32_MAX
		if ( file->count >= FILE_LIMIT )
			return dbvhi_error_set( error, DBVH_LIMIT, "the file has more than 2^36 bytes" );
#endif
		wanted = file->capacity + 1;
	}
}

dbvh_status dbvhi_file_read( const char *path, const dbvh_allocator *allocator, dbvhi_file *file, dbvh_error *error ) {
	*file = ( dbvhi_file ){ .bytes = NULL };
	errno = 0;
	FILE *stream = fopen( path, "rb" );
	if ( stream == NULL )
		return dbvhi_file_refuse( error, errno, "opened" );
	const dbvh_status status = read_all( stream, allocator, file, error );
	fclose( stream );
	if ( status != DBVH_OK )
		dbvhi_file_free( file, allocator );
	return status;
}

void dbvhi_file_free( dbvhi_file *file, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, file->bytes, file->capacity, 1 );
	*file = ( dbvhi_file ){ .bytes = NULL };
}

dbvh_status dbvhi_file_write( const char *path, const void *bytes, size_t count, dbvh_error *error ) {
	errno = 0;
	FILE *stream = fopen( path, "wb" );
	if ( stream == NULL )
		return dbvhi_file_refuse( error, errno, "opened for writing" );
	bool failed = fwrite( bytes, 1, count, stream ) < count;
	const int number = errno;
	failed = fclose( stream ) != 0 || failed;
	return failed ? dbvhi_file_refuse( error, errno != 0 ? errno : number, "written" ) : DBVH_OK;
}
