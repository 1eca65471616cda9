// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A file that is read in pieces, or bytes in memory, which are one piece. Readers take what is at hand and ask for
// more; what they have not taken yet stays, in one row, though it may move to another place.
//
// The size is known from the beginning. What has none that can be asked for, such as a pipe, is therefore held as a
// whole.

#pragma once

#include "base/assert.h"
#include "dualbvh/base.h"

#include <stdio.h>

// How many bytes of a file are read at a time. So much, and twice the longest word, is what reading it holds of it.
#define DBVHI_PIECE_SIZE ( (size_t)1 << 16 )

typedef struct dbvhi_stream {
	const char *at, *end; // at hand, and not yet taken
	const char *begin;    // bytes from here to `at` have been taken, but are still in memory
	uint64_t end_offset;  // offset of `end` in the file
	uint64_t size;        // size of the file; UINT64_MAX while unknown
	uint64_t origin;      // bytes before the first one that counts, such as a byte order mark
	size_t piece;
	FILE *file;        // source, or
	const char *bytes; // source in memory that comes in pieces; both NULL if all bytes are at hand
	char *buffer;
	size_t capacity;
	dbvh_allocator allocator;
	dbvh_error failure; // failure to read; reported before a reader's complaint about missing content
	bool watches_zeros;
	uint64_t zero_offset; // offset of the first zero byte; UINT64_MAX: none found so far
	bool has_zero_inside;
} dbvhi_stream;

// Bytes in memory, all at hand, or so many at a time where piece is not 0, which tests ask for.
dbvhi_stream dbvhi_stream_of_bytes( const void *bytes, size_t count, size_t piece, const dbvh_allocator *allocator );

// A file; piece 0 stands for DBVHI_PIECE_SIZE. Errors: IO with a sentence, LIMIT, OUT_OF_MEMORY. On success
// dbvhi_stream_close() takes it back, as that of bytes.
dbvh_status dbvhi_stream_open( const char *path, size_t piece, const dbvh_allocator *allocator, dbvhi_stream *stream,
                               dbvh_error *error );
void dbvhi_stream_close( dbvhi_stream *stream );

// DBVH_OK, or the failure to read so far, which *error then describes.
dbvh_status dbvhi_stream_check( const dbvhi_stream *stream, dbvh_error *error );

// Reads more behind `end`. False where nothing follows or reading fails. What is at hand may move.
bool dbvhi_stream_more( dbvhi_stream *stream );

// The slow half of the next one.
bool dbvhi_stream_gather( dbvhi_stream *stream, size_t count );

// Are there so many bytes? Then they are at hand, in one row.
static inline bool dbvhi_stream_has( dbvhi_stream *stream, size_t count ) {
	DBVHI_ASSERT( stream->at <= stream->end );
	return (size_t)( stream->end - stream->at ) >= count || dbvhi_stream_gather( stream, count );
}

// Takes so many bytes; NULL where fewer are left, and none is taken then.
static inline const uint8_t *dbvhi_stream_take( dbvhi_stream *stream, size_t count ) {
	if ( !dbvhi_stream_has( stream, count ) )
		return NULL;
	const char *taken = stream->at;
	stream->at += count;
	return (const uint8_t *)taken;
}

// How many bytes have been taken.
static inline uint64_t dbvhi_stream_offset( const dbvhi_stream *stream ) {
	return stream->end_offset - (uint64_t)( stream->end - stream->at );
}

// How many are left.
static inline uint64_t dbvhi_stream_rest( const dbvhi_stream *stream ) {
	return stream->size - dbvhi_stream_offset( stream );
}

// Goes to an offset within the file.
void dbvhi_stream_seek( dbvhi_stream *stream, uint64_t offset );

// Passes so many bytes, which must be there.
static inline void dbvhi_stream_skip( dbvhi_stream *stream, uint64_t count ) {
	if ( (uint64_t)( stream->end - stream->at ) >= count )
		stream->at += count;
	else
		dbvhi_stream_seek( stream, dbvhi_stream_offset( stream ) + count );
}

// From here on the next byte counts as byte 0 of the file.
void dbvhi_stream_begin_here( dbvhi_stream *stream );

// Passes what stands behind the promised content of a file if it is padding: zero bytes and ASCII white space. False
// where something else follows; then that is where the stream is.
bool dbvhi_stream_pass_padding( dbvhi_stream *stream );

// From here on has_zero_inside tells whether a zero byte that is no padding has been at hand, zero_offset where.
void dbvhi_stream_watch_zeros( dbvhi_stream *stream );

// A whole file in memory.
typedef struct dbvhi_file {
	uint8_t *bytes;
	size_t count, capacity;
} dbvhi_file;

// Errors: IO with a sentence, LIMIT, OUT_OF_MEMORY. On success dbvhi_file_free() takes it back.
dbvh_status dbvhi_file_read( const char *path, const dbvh_allocator *allocator, dbvhi_file *file, dbvh_error *error );
void dbvhi_file_free( dbvhi_file *file, const dbvh_allocator *allocator );
