// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/file.h"

#include "base/alloc.h"
#include "base/status.h"
#include "mesh/io/stream.h"

#include <errno.h>

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
	case EFBIG:
		why = ": it would be larger than this process may write";
		break;
	case ELOOP:
		why = ": it is a symbolic link";
		break;
	case 0:
		why = ": an earlier write failed";
		break;
	default:
		return dbvhi_error_set( error, DBVH_IO, "the file cannot be %s (error number %d)", what, number );
	}
	return dbvhi_error_set( error, DBVH_IO, "the file cannot be %s%s", what, why );
}

dbvh_status dbvhi_file_read( const char *path, const dbvh_allocator *allocator, dbvhi_file *file, dbvh_error *error ) {
	*file = ( dbvhi_file ){ .bytes = NULL };
	dbvhi_stream stream;
	DBVHI_TRY( dbvhi_stream_open( path, 0, allocator, &stream, error ) );
	while ( dbvhi_stream_more( &stream ) )
		continue;
	dbvh_status status = dbvhi_stream_check( &stream, error );
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

// The system's reason, in words.
static dbvh_status worded( bool done, const char *what, dbvh_error *error ) {
	if ( done )
		return DBVH_OK;
	return errno == ENOMEM ? dbvhi_error_status( error, DBVH_OUT_OF_MEMORY ) : dbvhi_file_refuse( error, errno, what );
}

dbvh_status dbvhi_file_create( const char *path, dbvhi_replaced kind, dbvhi_replacement *file, dbvh_error *error ) {
	const char *what;
	const bool done = dbvhi_replacement_begin( file, path, kind, &what );
	return worded( done, what, error );
}

dbvh_status dbvhi_file_finish( dbvhi_replacement *file, bool is_whole, dbvh_error *error ) {
	const char *what;
	const bool done = dbvhi_replacement_end( file, is_whole, true, &what );
	return worded( done, what, error );
}

dbvh_status dbvhi_file_write( const char *path, const void *bytes, size_t count, dbvh_error *error ) {
	dbvhi_replacement file;
	DBVHI_TRY( dbvhi_file_create( path, DBVHI_REPLACE_TARGET, &file, error ) );
	const bool is_whole = dbvhi_replacement_append( &file, bytes, count );
	return dbvhi_file_finish( &file, is_whole, error );
}
