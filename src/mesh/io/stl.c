// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// STL, ASCII and binary. A binary file may begin with "solid" too, so that its size and its zero bytes tell.

#include "base/alloc.h"
#include "base/status.h"
#include "mesh/io/bytes.h"
#include "mesh/io/number.h"
#include "mesh/io/readers.h"
#include "mesh/io/text.h"
#include "mesh/weld.h"

#define HEADER_SIZE 84   // 80 bytes of comment and the number of triangles
#define TRIANGLE_SIZE 50 // a normal, three vertices, two bytes of attributes

bool dbvhi_stl_size_fits( const uint8_t *bytes, size_t count ) {
	if ( count < HEADER_SIZE || ( count - HEADER_SIZE ) % TRIANGLE_SIZE != 0 )
		return false;
	return ( count - HEADER_SIZE ) / TRIANGLE_SIZE == dbvhi_bytes_get( bytes + HEADER_SIZE - 4, 4, false );
}

static bool is_text( const uint8_t *bytes, size_t count ) {
	if ( dbvhi_stl_size_fits( bytes, count ) )
		return false;
	dbvhi_text text = dbvhi_text_make( bytes, count, '\0' );
	dbvhi_word word;
	if ( !dbvhi_text_word_anywhere( &text, &word ) || !dbvhi_word_is( word, "solid" ) )
		return false;
	// Below 2^24 triangles the header of a binary file has a zero byte, whatever its comment is padded with.
	return memchr( bytes, 0, count < HEADER_SIZE ? count : HEADER_SIZE ) == NULL;
}

// Corner by corner; equal ones are joined at the end.
static dbvh_status add_corner( dbvhi_builder *mesh, const double p[3] ) {
	if ( isfinite( p[0] ) && isfinite( p[1] ) && isfinite( p[2] ) )
		return dbvhi_builder_vertex( mesh, p );
	const size_t triangle = mesh->vertex_count / 3;
	mesh->error->element = (int64_t)triangle;
	return dbvhi_error_set( mesh->error, DBVH_NOT_FINITE, "triangle %zu has a coordinate that is NaN or infinite",
	                        triangle );
}

// Numbers the different points in the order in which they first appear, and makes triangles of the corners.
static dbvh_status join_corners( dbvhi_builder *mesh ) {
	const size_t corner_count = mesh->vertex_count;
	if ( corner_count == 0 )
		return DBVH_OK;
	const dbvh_status status = dbvhi_builder_reserve( mesh, 0, corner_count / 3 );
	if ( status != DBVH_OK )
		return status;
	const dbvh_mesh_view corners = {
	    .positions = mesh->positions, .vertex_count = corner_count, .index_type = DBVH_INDEX_TYPE_NONE };
	if ( dbvhi_weld( &corners, &mesh->allocator, mesh->indices ) == 0 )
		return dbvhi_error_set( mesh->error, DBVH_OUT_OF_MEMORY, "no memory to join %zu corners", corner_count );
	size_t vertex_count = 0;
	for ( size_t i = 0; i < corner_count; ++i ) {
		const uint32_t first = mesh->indices[i];
		if ( first < i ) {
			mesh->indices[i] = mesh->indices[first];
			continue;
		}
		memmove( mesh->positions + 3 * vertex_count, mesh->positions + 3 * i, 3 * sizeof( double ) );
		mesh->indices[i] = (uint32_t)vertex_count++;
	}
	mesh->vertex_count = vertex_count;
	mesh->triangle_count = corner_count / 3;
	return DBVH_OK;
}

static dbvh_status read_binary( dbvhi_builder *mesh, const uint8_t *bytes, size_t count ) {
	mesh->error->byte = (int64_t)count;
	if ( count < HEADER_SIZE )
		return dbvhi_error_set( mesh->error, DBVH_TRUNCATED,
		                        "%zu bytes that do not begin with the word solid are too few for a binary STL", count );
	const uint64_t triangle_count = dbvhi_bytes_get( bytes + HEADER_SIZE - 4, 4, false );
	const uint64_t promised = HEADER_SIZE + TRIANGLE_SIZE * triangle_count;
	if ( count < promised )
		return dbvhi_error_set( mesh->error, DBVH_TRUNCATED,
		                        "a binary STL of %llu triangles has %llu bytes, but the file has %zu",
		                        (unsigned long long)triangle_count, (unsigned long long)promised, count );
	const uint8_t *rest = dbvhi_bytes_skip_padding( bytes + promised, bytes + count );
	if ( rest < bytes + count ) {
		mesh->error->byte = (int64_t)( rest - bytes );
		return dbvhi_error_set( mesh->error, DBVH_MALFORMED,
		                        "the header promises %llu triangles, but more follows after the last of them",
		                        (unsigned long long)triangle_count );
	}
	mesh->error->byte = HEADER_SIZE - 4;
	dbvh_status status = dbvhi_builder_reserve( mesh, 3 * (size_t)triangle_count, 0 );
	for ( size_t i = 0; i < triangle_count && status == DBVH_OK; ++i ) {
		const size_t begin = HEADER_SIZE + TRIANGLE_SIZE * i + 12;
		for ( size_t corner = 0; corner < 3 && status == DBVH_OK; ++corner ) {
			const size_t at = begin + 12 * corner;
			double p[3];
			for ( size_t k = 0; k < 3; ++k )
				p[k] = (double)dbvhi_bytes_get_float( bytes + at + 4 * k, false );
			mesh->error->byte = (int64_t)at;
			status = add_corner( mesh, p );
		}
	}
	return status == DBVH_OK ? join_corners( mesh ) : status;
}

typedef struct stl_text {
	dbvhi_builder *mesh;
	dbvhi_text text;
} stl_text;

// The next word wherever it is, for the message too.
static dbvh_status next_word( stl_text *stl, const char *expected, dbvhi_word *word ) {
	const bool found = dbvhi_text_word_anywhere( &stl->text, word );
	stl->mesh->error->line = stl->text.line;
	if ( found )
		return DBVH_OK;
	return dbvhi_error_set( stl->mesh->error, DBVH_TRUNCATED, "the file ends where %s should follow", expected );
}

static dbvh_status refuse_word( stl_text *stl, dbvhi_word word, const char *expected ) {
	char room[DBVHI_WORD_ROOM];
	return dbvhi_error_set( stl->mesh->error, DBVH_MALFORMED, "\"%s\" stands where %s should",
	                        dbvhi_word_show( word, room ), expected );
}

static dbvh_status expect( stl_text *stl, const char *keyword ) {
	dbvhi_word word;
	const dbvh_status status = next_word( stl, keyword, &word );
	if ( status != DBVH_OK )
		return status;
	return dbvhi_word_is( word, keyword ) ? DBVH_OK : refuse_word( stl, word, keyword );
}

static dbvh_status read_vertex( stl_text *stl ) {
	dbvh_status status = expect( stl, "vertex" );
	double p[3] = { 0.0, 0.0, 0.0 };
	for ( int k = 0; k < 3 && status == DBVH_OK; ++k ) {
		dbvhi_word word;
		status = next_word( stl, "a coordinate", &word );
		if ( status != DBVH_OK )
			break;
		switch ( dbvhi_number_read( word.begin, word.length, &p[k] ) ) {
		case DBVHI_NUMBER_BAD:
			status = refuse_word( stl, word, "a coordinate" );
			break;
		case DBVHI_NUMBER_NOT_FINITE:
			p[k] = (double)NAN;
			break;
		case DBVHI_NUMBER_FINITE:
			break;
		}
	}
	return status == DBVH_OK ? add_corner( stl->mesh, p ) : status;
}

// After the word "facet". The normal is whatever stands before "outer": it may be missing, or be no number.
static dbvh_status read_facet( stl_text *stl ) {
	dbvhi_word word;
	dbvh_status status;
	int skipped = 0;
	do {
		status = next_word( stl, "outer loop", &word );
		if ( status != DBVH_OK )
			return status;
		if ( skipped++ == 0 && !dbvhi_word_is( word, "normal" ) && !dbvhi_word_is( word, "outer" ) )
			return refuse_word( stl, word, "normal or outer loop" );
	} while ( !dbvhi_word_is( word, "outer" ) && skipped < 5 );
	if ( !dbvhi_word_is( word, "outer" ) )
		return refuse_word( stl, word, "outer loop" );
	status = expect( stl, "loop" );
	for ( int corner = 0; corner < 3 && status == DBVH_OK; ++corner )
		status = read_vertex( stl );
	if ( status == DBVH_OK )
		status = expect( stl, "endloop" );
	return status == DBVH_OK ? expect( stl, "endfacet" ) : status;
}

static dbvh_status read_text( dbvhi_builder *mesh, const uint8_t *bytes, size_t count ) {
	stl_text stl = { .mesh = mesh, .text = dbvhi_text_make( bytes, count, '\0' ) };
	dbvhi_word word;
	while ( dbvhi_text_word_anywhere( &stl.text, &word ) ) {
		mesh->error->line = stl.text.line;
		if ( !dbvhi_word_is( word, "solid" ) )
			return refuse_word( &stl, word, "solid" );
		// The rest of the line is the name, which may be any words.
		dbvhi_text_next_line( &stl.text );
		for ( ;; ) {
			dbvh_status status = next_word( &stl, "facet or endsolid", &word );
			if ( status != DBVH_OK )
				return status;
			if ( dbvhi_word_is( word, "endsolid" ) )
				break;
			if ( !dbvhi_word_is( word, "facet" ) )
				return refuse_word( &stl, word, "facet or endsolid" );
			status = read_facet( &stl );
			if ( status != DBVH_OK )
				return status;
		}
		dbvhi_text_next_line( &stl.text );
	}
	mesh->error->line = 0;
	return join_corners( mesh );
}

dbvh_status dbvhi_read_stl( dbvhi_builder *mesh, const uint8_t *bytes, size_t count ) {
	return is_text( bytes, count ) ? read_text( mesh, bytes, count ) : read_binary( mesh, bytes, count );
}
