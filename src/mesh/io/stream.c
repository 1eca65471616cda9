// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/stream.h"

#include "base/alloc.h"
#include "base/os.h"
#include "base/status.h"
#include "mesh/io/bytes.h"
#include "mesh/io/file.h"

#include <errno.h>

// Enough for a binary STL of 2^30 triangles, and an end for what never ends, such as a device.
#define SIZE_LIMIT ( UINT64_C( 1 ) << 36 )

#define UNKNOWN UINT64_MAX

dbvhi_stream dbvhi_stream_of_bytes( const void *bytes, size_t count, size_t piece, const dbvh_allocator *allocator ) {
	DBVHI_ASSERT( bytes != NULL || count == 0 );
	const char *first = count != 0 ? bytes : "";
	dbvhi_stream stream = { .at = first, .end = first, .begin = first, .size = count, .allocator = *allocator };
	stream.zero_offset = UNKNOWN;
	dbvhi_error_clear( &stream.failure );
	if ( piece != 0 ) {
		stream.bytes = first;
		stream.piece = piece;
	} else {
		stream.end += count;
		stream.end_offset = count;
	}
	return stream;
}

void dbvhi_stream_close( dbvhi_stream *stream ) {
	if ( stream->file != NULL )
		fclose( stream->file );
	dbvhi_free( &stream->allocator, stream->buffer, stream->capacity, 1 );
	stream->file = NULL;
	stream->buffer = NULL;
}

dbvh_status dbvhi_stream_check( const dbvhi_stream *stream, dbvh_error *error ) {
	if ( stream->failure.status != DBVH_OK )
		*error = stream->failure;
	return stream->failure.status;
}

// ------------------------------------------------------------------------------------------------
// Pieces

static void look_for_zeros( dbvhi_stream *stream, const char *from ) {
	const uint8_t *at = (const uint8_t *)from, *const end = (const uint8_t *)stream->end;
	if ( stream->has_zero_inside )
		return;
	if ( stream->zero_offset == UNKNOWN ) {
		at = memchr( at, 0, (size_t)( end - at ) );
		if ( at == NULL )
			return;
		stream->zero_offset = stream->end_offset - (uint64_t)( end - at );
	}
	stream->has_zero_inside = dbvhi_bytes_skip_padding( at, end ) < end;
}

// Move the bytes that have not been taken to the beginning of the buffer, and grow it until half of it is free: so no
// byte moves often.
static bool make_room( dbvhi_stream *stream ) {
	const size_t kept = (size_t)( stream->end - stream->at ), capacity = stream->capacity;
	DBVHI_ASSERT( kept == 0 || stream->buffer != NULL );
	if ( kept > 0 && stream->at != stream->buffer )
		memmove( stream->buffer, stream->at, kept );
	const size_t needed = capacity < stream->piece ? stream->piece : kept > capacity / 2 ? 2 * capacity : capacity;
	const bool grown = dbvhi_grow_array( &stream->allocator, &stream->buffer, &stream->capacity, needed, 1 );
	if ( !grown )
		dbvhi_error_set( &stream->failure, DBVH_OUT_OF_MEMORY, "no memory for a file of %llu bytes or more",
		                 (unsigned long long)stream->end_offset );
	if ( stream->buffer == NULL )
		return false;
	stream->begin = stream->at = stream->buffer;
	stream->end = stream->buffer + kept;
	return grown;
}

static size_t read_piece( dbvhi_stream *stream, char *to, size_t wanted ) {
	if ( stream->bytes != NULL ) {
		memcpy( to, stream->bytes + stream->origin + stream->end_offset, wanted );
		return wanted;
	}
	errno = 0;
	const size_t count = fread( to, 1, wanted, stream->file );
	if ( count == wanted )
		return count;
	if ( ferror( stream->file ) )
		dbvhi_file_refuse( &stream->failure, errno, "read" );
	else if ( stream->size == UNKNOWN )
		stream->size = stream->end_offset + count;
	else
		dbvhi_error_set( &stream->failure, DBVH_IO, "the file became shorter while it was read" );
	return count;
}

bool dbvhi_stream_more( dbvhi_stream *stream ) {
	DBVHI_ASSERT( stream->end_offset <= stream->size );
	if ( stream->end_offset == stream->size || stream->failure.status != DBVH_OK || !make_room( stream ) )
		return false;
	const uint64_t rest = stream->size - stream->end_offset;
	size_t wanted = (size_t)( stream->buffer + stream->capacity - stream->end );
	wanted = wanted < stream->piece ? wanted : stream->piece;
	wanted = wanted < rest ? wanted : (size_t)rest;
	char *to = stream->buffer + ( stream->end - stream->buffer );
	const size_t count = read_piece( stream, to, wanted );
	stream->end += count;
	stream->end_offset += count;
	if ( stream->watches_zeros )
		look_for_zeros( stream, to );
	return count > 0;
}

bool dbvhi_stream_gather( dbvhi_stream *stream, size_t count ) {
	while ( (size_t)( stream->end - stream->at ) < count )
		if ( !dbvhi_stream_more( stream ) )
			return false;
	return true;
}

void dbvhi_stream_seek( dbvhi_stream *stream, uint64_t offset ) {
	DBVHI_ASSERT( offset <= stream->size );
	const uint64_t first = stream->end_offset - (uint64_t)( stream->end - stream->begin );
	if ( offset >= first && offset <= stream->end_offset ) {
		stream->at = stream->begin + ( offset - first );
		return;
	}
	stream->at = stream->end = stream->begin;
	stream->end_offset = offset;
	errno = 0;
	if ( stream->file != NULL && !dbvhi_os_seek( stream->file, (int64_t)( stream->origin + offset ), SEEK_SET ) )
		dbvhi_file_refuse( &stream->failure, errno, "read" );
}

void dbvhi_stream_begin_here( dbvhi_stream *stream ) {
	DBVHI_ASSERT( stream->origin == 0 && stream->zero_offset == UNKNOWN );
	stream->origin = dbvhi_stream_offset( stream );
	stream->begin = stream->at;
	stream->end_offset -= stream->origin;
	stream->size -= stream->origin;
}

bool dbvhi_stream_pass_padding( dbvhi_stream *stream ) {
	do {
		const uint8_t *end = (const uint8_t *)stream->end;
		stream->at = (const char *)dbvhi_bytes_skip_padding( (const uint8_t *)stream->at, end );
		if ( stream->at < stream->end )
			return false;
	} while ( dbvhi_stream_more( stream ) );
	return true;
}

void dbvhi_stream_watch_zeros( dbvhi_stream *stream ) {
	stream->watches_zeros = true;
	look_for_zeros( stream, stream->at );
}

// ------------------------------------------------------------------------------------------------
// Files

// The size of a file of which the first piece has been read, where the system knows it.
static void find_size( dbvhi_stream *stream ) {
	if ( stream->size != UNKNOWN || !dbvhi_os_seek( stream->file, 0, SEEK_END ) )
		return;
	const int64_t size = dbvhi_os_tell( stream->file );
	const bool is_back = dbvhi_os_seek( stream->file, (int64_t)stream->end_offset, SEEK_SET );
	// Devices and files that the system makes up have sizes that are none.
	if ( is_back && size > 0 && (uint64_t)size >= stream->end_offset )
		stream->size = (uint64_t)size;
}

static void begin( dbvhi_stream *stream ) {
	// The buffer is ours.
	setvbuf( stream->file, NULL, _IONBF, 0 );
	dbvhi_stream_more( stream );
	find_size( stream );
	while ( stream->size == UNKNOWN && stream->end_offset < SIZE_LIMIT && dbvhi_stream_more( stream ) )
		continue;
	if ( stream->failure.status == DBVH_OK && ( stream->size == UNKNOWN || stream->size > SIZE_LIMIT ) )
		dbvhi_error_set( &stream->failure, DBVH_LIMIT, "the file has more than 2^36 bytes" );
}

dbvh_status dbvhi_stream_open( const char *path, size_t piece, const dbvh_allocator *allocator, dbvhi_stream *stream,
                               dbvh_error *error ) {
	*stream = dbvhi_stream_of_bytes( NULL, 0, 0, allocator );
	errno = 0;
	stream->file = dbvhi_os_fopen( path );
	if ( stream->file == NULL )
		return dbvhi_file_refuse( error, errno, "opened" );
	stream->piece = piece != 0 ? piece : DBVHI_PIECE_SIZE;
	stream->size = UNKNOWN;
	begin( stream );
	const dbvh_status status = dbvhi_stream_check( stream, error );
	if ( status != DBVH_OK )
		dbvhi_stream_close( stream );
	return status;
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
