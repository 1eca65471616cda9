// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Loading and parsing: what is the same for every format, before and after its reader.

#include "mesh/io/format.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "mesh/io/readers.h"
#include "mesh/io/stream.h"
#include "mesh/io/text.h"
#include "mesh/mesh.h"

#include <string.h>

// The formats, by number: the ending of their files' names, and their reader.
static const struct {
	const char *ending;
	dbvh_status ( *read )( dbvhi_builder *builder, dbvhi_stream *stream );
} formats[DBVH_MESH_FORMAT_COUNT] = {
    [DBVH_MESH_FORMAT_STL] = { "stl", dbvhi_read_stl },       [DBVH_MESH_FORMAT_STL_ASCII] = { "stl", dbvhi_read_stl },
    [DBVH_MESH_FORMAT_OBJ] = { "obj", dbvhi_read_obj },       [DBVH_MESH_FORMAT_PLY] = { "ply", dbvhi_read_ply },
    [DBVH_MESH_FORMAT_PLY_ASCII] = { "ply", dbvhi_read_ply }, [DBVH_MESH_FORMAT_OFF] = { "off", dbvhi_read_off },
};

const char *dbvh_mesh_format_ending( dbvh_mesh_format format ) {
	return (unsigned)format < DBVH_MESH_FORMAT_COUNT ? formats[format].ending : NULL;
}

dbvh_mesh_format dbvhi_format_of_ending( const char *path ) {
	const char *point = strrchr( path, '.' );
	if ( point == NULL )
		return DBVH_MESH_FORMAT_AUTO;
	const dbvhi_word ending = { .begin = point + 1, .length = strlen( point + 1 ) };
	for ( int format = 1; format < DBVH_MESH_FORMAT_COUNT; ++format ) {
		if ( dbvhi_word_is( ending, formats[format].ending ) )
			return (dbvh_mesh_format)format;
	}
	return DBVH_MESH_FORMAT_AUTO;
}

dbvh_status dbvhi_check_mesh_format( dbvh_mesh_format format, dbvh_error *error ) {
	if ( (unsigned)format < DBVH_MESH_FORMAT_COUNT )
		return DBVH_OK;
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "format is %d, which is no dbvh_mesh_format", (int)format );
}

static bool is_obj_keyword( dbvhi_word word ) {
	static const char *const keywords[] = { "v", "vn", "vt", "vp", "f", "o", "g", "s", "l", "p", "mtllib", "usemtl" };
	for ( size_t i = 0; i < sizeof keywords / sizeof *keywords; ++i )
		if ( word.length == strlen( keywords[i] ) && memcmp( word.begin, keywords[i], word.length ) == 0 )
			return true;
	return false;
}

// Recognise a format by the first bytes of the file; AUTO if they tell nothing. The stream is at its beginning, before
// and after.
static dbvh_mesh_format format_of_content( dbvhi_stream *stream ) {
	if ( dbvhi_stl_size_fits( stream ) )
		return DBVH_MESH_FORMAT_STL;
	dbvhi_text text = dbvhi_text_make( stream, '#' );
	dbvhi_word word;
	dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO;
	if ( dbvhi_text_word_anywhere( &text, &word ) ) {
		const bool is_first = dbvhi_stream_offset( stream ) == word.length;
		if ( is_first && dbvhi_word_is( word, "ply" ) )
			format = DBVH_MESH_FORMAT_PLY;
		else if ( dbvhi_off_keyword( word.begin, word.length ) )
			format = DBVH_MESH_FORMAT_OFF;
		else if ( dbvhi_word_is( word, "solid" ) )
			format = DBVH_MESH_FORMAT_STL;
		else if ( is_obj_keyword( word ) )
			format = DBVH_MESH_FORMAT_OBJ;
	}
	dbvhi_stream_seek( stream, 0 );
	return format;
}

// UTF-16 and UTF-32 begin with a byte order mark, or have a zero byte beside each of the first letters.
static bool is_wide_text( dbvhi_stream *stream ) {
	dbvhi_stream_has( stream, 8 );
	const uint8_t *bytes = (const uint8_t *)stream->at;
	const size_t count = (size_t)( stream->end - stream->at );
	if ( count >= 2 && ( ( bytes[0] == 0xff && bytes[1] == 0xfe ) || ( bytes[0] == 0xfe && bytes[1] == 0xff ) ) )
		return true;
	if ( count < 8 )
		return false;
	for ( size_t parity = 0; parity < 2; ++parity ) {
		size_t letters = 0;
		for ( size_t i = 0; i < 8; i += 2 )
			letters += bytes[i + parity] == 0 && bytes[i + 1 - parity] >= '\t' && bytes[i + 1 - parity] <= '~';
		if ( letters == 4 )
			return true;
	}
	return false;
}

static dbvh_status choose_format( dbvhi_stream *stream, dbvh_mesh_format ending, dbvh_mesh_format *format,
                                  dbvh_error *error ) {
	DBVHI_ASSERT( format != NULL );
	if ( stream->size == 0 )
		return dbvhi_error_set( error, DBVH_EMPTY, "the file is empty" );
	// The comment of a binary STL may be anything, even UTF-16.
	if ( !dbvhi_stl_size_fits( stream ) && is_wide_text( stream ) )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT,
		                        "the file is text in UTF-16 or UTF-32, of which none of the formats is" );
	if ( *format == DBVH_MESH_FORMAT_AUTO )
		*format = format_of_content( stream );
	if ( *format == DBVH_MESH_FORMAT_AUTO )
		*format = ending;
	if ( *format == DBVH_MESH_FORMAT_AUTO )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT, "the file is neither STL, OBJ, PLY nor OFF" );
	return DBVH_OK;
}

static bool has_mark( dbvhi_stream *stream ) {
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };
	return dbvhi_stream_has( stream, sizeof mark ) && memcmp( stream->at, mark, sizeof mark ) == 0 &&
	       !dbvhi_stl_size_fits( stream );
}

static dbvh_status parse( dbvhi_stream *stream, dbvh_mesh_format format, dbvh_mesh_format ending,
                          dbvhi_builder *builder ) {
	dbvh_error *error = builder->error;
	if ( has_mark( stream ) ) {
		stream->at += 3;
		dbvhi_stream_begin_here( stream );
	}
	dbvh_status status = choose_format( stream, ending, &format, error );
	if ( status != DBVH_OK )
		return status;
	DBVHI_ASSERT( format > DBVH_MESH_FORMAT_AUTO && format < DBVH_MESH_FORMAT_COUNT );
	status = formats[format].read( builder, stream );
	if ( status == DBVH_OK )
		dbvhi_error_clear( error );
	else if ( error->byte >= 0 )
		error->byte += (int64_t)stream->origin;
	return status;
}

// Ends the stream, too.
static dbvh_status read_stream( dbvhi_stream *stream, dbvh_mesh_format format, dbvh_mesh_format ending,
                                const dbvh_mesh_read_options *options, dbvh_mesh **mesh_out, dbvh_error *error ) {
	const dbvh_mesh_read_options by_default = dbvh_mesh_read_options_default();
	dbvhi_builder builder = dbvhi_builder_make( stream->allocator, options != NULL ? options : &by_default, error );
	dbvh_status status = parse( stream, format, ending, &builder );
	// A failure to read comes first: the parser's complaint about missing content only follows from it.
	const dbvh_status failure = dbvhi_stream_check( stream, error );
	status = failure != DBVH_OK ? failure : status;
	dbvhi_stream_close( stream );
	if ( status == DBVH_OK )
		return dbvhi_mesh_finish( &builder, mesh_out );
	dbvhi_builder_free( &builder );
	return status;
}

static dbvh_status check_arguments( const void *input, const char *name, dbvh_mesh_format format, dbvh_mesh **mesh_out,
                                    dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( mesh_out == NULL )
		return dbvhi_error_null( error, "mesh_out" );
	*mesh_out = NULL;
	if ( input == NULL )
		return dbvhi_error_null( error, name );
	return dbvhi_check_mesh_format( format, error );
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_load( const char *path, dbvh_mesh_format format, size_t piece,
                                                   const dbvh_mesh_read_options *options,
                                                   const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                                   dbvh_error *error ) {
	dbvh_error unseen;
	error = error != NULL ? error : &unseen;
	dbvh_status status = check_arguments( path, "path", format, mesh_out, error );
	if ( status != DBVH_OK )
		return status;
	dbvh_allocator own;
	status = dbvhi_allocator_take( allocator, &own, error );
	if ( status != DBVH_OK )
		return status;
	dbvhi_stream stream;
	status = dbvhi_stream_open( path, piece, &own, &stream, error );
	return status != DBVH_OK ? status
	                         : read_stream( &stream, format, dbvhi_format_of_ending( path ), options, mesh_out, error );
}

dbvh_status dbvhi_mesh_load_in_pieces( const char *path, dbvh_mesh_format format, size_t piece,
                                       const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error ) {
	return do_mesh_load( path, format, piece, NULL, allocator, mesh_out, error );
}

dbvh_status dbvh_mesh_load( const char *path, dbvh_mesh_format format, const dbvh_allocator *allocator,
                            dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_load( path, format, 0, NULL, allocator, mesh_out, error ) );
}

dbvh_status dbvh_mesh_load_with( const char *path, dbvh_mesh_format format, const dbvh_mesh_read_options *options,
                                 const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_load( path, format, 0, options, allocator, mesh_out, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_parse( const void *bytes, size_t byte_count, dbvh_mesh_format format,
                                                    size_t piece, const dbvh_mesh_read_options *options,
                                                    const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                                    dbvh_error *error ) {
	dbvh_error unseen;
	error = error != NULL ? error : &unseen;
	dbvh_status status = check_arguments( byte_count == 0 ? "" : bytes, "bytes", format, mesh_out, error );
	if ( status != DBVH_OK )
		return status;
	dbvh_allocator own;
	status = dbvhi_allocator_take( allocator, &own, error );
	if ( status != DBVH_OK )
		return status;
	dbvhi_stream stream = dbvhi_stream_of_bytes( bytes, byte_count, piece, &own );
	return read_stream( &stream, format, DBVH_MESH_FORMAT_AUTO, options, mesh_out, error );
}

dbvh_status dbvhi_mesh_parse_in_pieces( const void *bytes, size_t byte_count, dbvh_mesh_format format, size_t piece,
                                        const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error ) {
	return do_mesh_parse( bytes, byte_count, format, piece, NULL, allocator, mesh_out, error );
}

dbvh_status dbvh_mesh_parse( const void *bytes, size_t byte_count, dbvh_mesh_format format,
                             const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_mesh_parse( bytes, byte_count, format, 0, NULL, allocator, mesh_out, error ) );
}

dbvh_status dbvh_mesh_parse_with( const void *bytes, size_t byte_count, dbvh_mesh_format format,
                                  const dbvh_mesh_read_options *options, const dbvh_allocator *allocator,
                                  dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_mesh_parse( bytes, byte_count, format, 0, options, allocator, mesh_out, error ) );
}

dbvh_mesh_read_options dbvh_mesh_read_options_default( void ) {
	return ( dbvh_mesh_read_options ){ .skip_bad_faces = false };
}
