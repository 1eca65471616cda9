// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/file.h"

#include "base/alloc.h"
#include "base/status.h"
#include "mesh/io/stream.h"

#include <errno.h>
#include <stdio.h>

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

dbvh_status dbvhi_file_read( const char *path, const dbvh_allocator *allocator, dbvhi_file *file, dbvh_error *error ) {
	*file = ( dbvhi_file ){ .bytes = NULL };
	dbvhi_stream stream;
	dbvh_status status = dbvhi_stream_open( path, 0, allocator, &stream, error );
	if ( status != DBVH_OK )
		return status;
	while ( dbvhi_stream_more( &stream ) )
		continue;
	status = dbvhi_stream_check( &stream, error );
	if ( status == DBVH_OK ) {
		*file = ( dbvhi_file ){ .bytes = (uint8_t *)stream.buffer,
		                        .count = (size_t)( stream.end - stream.buffer ),
		                        .capacity = stream.capacity };
		stream.buffer = NULL;
	}
	dbvhi_stream_close( &stream );
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
