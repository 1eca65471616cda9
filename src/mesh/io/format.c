// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Loading and parsing: what is the same for every format, before and after its reader.

#include "mesh/io/format.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "mesh/io/file.h"
#include "mesh/io/readers.h"
#include "mesh/io/text.h"
#include "mesh/mesh.h"

#include <string.h>

dbvh_mesh_format dbvhi_format_of_ending( const char *path ) {
	const char *point = strrchr( path, '.' );
	if ( point == NULL )
		return DBVH_MESH_FORMAT_AUTO;
	const dbvhi_word ending = { .begin = point + 1, .length = strlen( point + 1 ) };
	if ( dbvhi_word_is( ending, "stl" ) )
		return DBVH_MESH_FORMAT_STL;
	if ( dbvhi_word_is( ending, "obj" ) )
		return DBVH_MESH_FORMAT_OBJ;
	if ( dbvhi_word_is( ending, "ply" ) )
		return DBVH_MESH_FORMAT_PLY;
	return dbvhi_word_is( ending, "off" ) ? DBVH_MESH_FORMAT_OFF : DBVH_MESH_FORMAT_AUTO;
}

static bool is_obj_keyword( dbvhi_word word ) {
	static const char *const keywords[] = { "v", "vn", "vt", "vp", "f", "o", "g", "s", "l", "p", "mtllib", "usemtl" };
	for ( size_t i = 0; i < sizeof keywords / sizeof *keywords; ++i )
		if ( word.length == strlen( keywords[i] ) && memcmp( word.begin, keywords[i], word.length ) == 0 )
			return true;
	return false;
}

dbvh_mesh_format dbvhi_format_of_content( const uint8_t *bytes, size_t count ) {
	if ( dbvhi_stl_size_fits( bytes, count ) )
		return DBVH_MESH_FORMAT_STL;
	dbvhi_text text = dbvhi_text_make( bytes, count, '#' );
	dbvhi_word word;
	if ( !dbvhi_text_word_anywhere( &text, &word ) )
		return DBVH_MESH_FORMAT_AUTO;
	if ( word.begin == (const char *)bytes && dbvhi_word_is( word, "ply" ) )
		return DBVH_MESH_FORMAT_PLY;
	if ( dbvhi_off_keyword( word.begin, word.length ) )
		return DBVH_MESH_FORMAT_OFF;
	if ( dbvhi_word_is( word, "solid" ) )
		return DBVH_MESH_FORMAT_STL;
	return is_obj_keyword( word ) ? DBVH_MESH_FORMAT_OBJ : DBVH_MESH_FORMAT_AUTO;
}

// UTF-16 and UTF-32 begin with a byte order mark, or have a zero byte beside each of the first letters.
static bool is_wide_text( const uint8_t *bytes, size_t count ) {
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

static dbvh_status choose_format( const uint8_t *bytes, size_t count, dbvh_mesh_format ending, dbvh_mesh_format *format,
                                  dbvh_error *error ) {
	DBVHI_ASSERT( format != NULL );
	if ( count == 0 )
		return dbvhi_error_set( error, DBVH_EMPTY, "the file is empty" );
	// The comment of a binary STL may be anything, even UTF-16.
	if ( !dbvhi_stl_size_fits( bytes, count ) && is_wide_text( bytes, count ) )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT,
		                        "the file is text in UTF-16 or UTF-32, of which none of the formats is" );
	if ( *format == DBVH_MESH_FORMAT_AUTO )
		*format = dbvhi_format_of_content( bytes, count );
	if ( *format == DBVH_MESH_FORMAT_AUTO )
		*format = ending;
	if ( *format == DBVH_MESH_FORMAT_AUTO )
		return dbvhi_error_set( error, DBVH_UNKNOWN_FORMAT, "the file is neither STL, OBJ, PLY nor OFF" );
	return DBVH_OK;
}

static dbvh_status read_format( dbvhi_builder *builder, const uint8_t *bytes, size_t count, dbvh_mesh_format format ) {
	switch ( format ) {
	case DBVH_MESH_FORMAT_STL:
	case DBVH_MESH_FORMAT_STL_ASCII:
		return dbvhi_read_stl( builder, bytes, count );
	case DBVH_MESH_FORMAT_OBJ:
		return dbvhi_read_obj( builder, bytes, count );
	case DBVH_MESH_FORMAT_PLY:
	case DBVH_MESH_FORMAT_PLY_ASCII:
		return dbvhi_read_ply( builder, bytes, count );
	case DBVH_MESH_FORMAT_OFF:
		return dbvhi_read_off( builder, bytes, count );
	default:
		return dbvhi_error_set( builder->error, DBVH_INVALID_ARGUMENT, "format is %d, which is no dbvh_mesh_format",
		                        (int)format );
	}
}

static dbvh_status parse( const uint8_t *bytes, size_t count, dbvh_mesh_format format, dbvh_mesh_format ending,
                          const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error ) {
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };
	const bool marked =
	    count >= sizeof mark && memcmp( bytes, mark, sizeof mark ) == 0 && !dbvhi_stl_size_fits( bytes, count );
	const size_t skipped = marked ? sizeof mark : 0;
	bytes = skipped != 0 ? bytes + skipped : bytes;
	count -= skipped;
	dbvh_status status = choose_format( bytes, count, ending, &format, error );
	if ( status != DBVH_OK )
		return status;
	dbvhi_builder builder = dbvhi_builder_make( *allocator, error );
	status = read_format( &builder, bytes, count, format );
	if ( status == DBVH_OK ) {
		dbvhi_error_clear( error );
		return dbvhi_mesh_finish( &builder, mesh_out );
	}
	if ( error->byte >= 0 )
		error->byte += (int64_t)skipped;
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
	if ( (unsigned)format > DBVH_MESH_FORMAT_OFF )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "format is %d, which is no dbvh_mesh_format",
		                        (int)format );
	return DBVH_OK;
}

static DBVHI_BEHIND dbvh_status do_mesh_load( const char *path, dbvh_mesh_format format,
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
	dbvhi_file file;
	status = dbvhi_file_read( path, &own, &file, error );
	if ( status != DBVH_OK )
		return status;
	status = parse( file.bytes, file.count, format, dbvhi_format_of_ending( path ), &own, mesh_out, error );
	dbvhi_file_free( &file, &own );
	return status;
}

dbvh_status dbvh_mesh_load( const char *path, dbvh_mesh_format format, const dbvh_allocator *allocator,
                            dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_load( path, format, allocator, mesh_out, error ) );
}

static DBVHI_BEHIND dbvh_status do_mesh_parse( const void *bytes, size_t byte_count, dbvh_mesh_format format,
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
	return parse( bytes, byte_count, format, DBVH_MESH_FORMAT_AUTO, &own, mesh_out, error );
}

dbvh_status dbvh_mesh_parse( const void *bytes, size_t byte_count, dbvh_mesh_format format,
                             const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_parse( bytes, byte_count, format, allocator, mesh_out, error ) );
}
