// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// STL, ASCII and binary. A binary file may begin with "solid" too, so that its size and its zero bytes tell. Corners
// are joined as they come: what is held is the different ones and the triangles.

#include "base/status.h"
#include "mesh/io/bytes.h"
#include "mesh/io/number.h"
#include "mesh/io/readers.h"
#include "mesh/io/text.h"
#include "mesh/weld.h"

#define HEADER_SIZE 84   // 80 bytes of comment and the number of triangles
#define TRIANGLE_SIZE 50 // a normal, three corners, two bytes of attributes
#define CORNER_AT 12     // behind the normal
#define CORNER_SIZE 12

bool dbvhi_stl_size_fits( dbvhi_stream *stream ) {
	DBVHI_ASSERT( dbvhi_stream_offset( stream ) == 0 );
	if ( !dbvhi_stream_has( stream, HEADER_SIZE ) || ( stream->size - HEADER_SIZE ) % TRIANGLE_SIZE != 0 )
		return false;
	return ( stream->size - HEADER_SIZE ) / TRIANGLE_SIZE ==
	       dbvhi_bytes_get( (const uint8_t *)stream->at + HEADER_SIZE - 4, 4, false );
}

static bool is_text( dbvhi_stream *stream ) {
	if ( dbvhi_stl_size_fits( stream ) )
		return false;
	dbvhi_text text = dbvhi_text_make( stream, '\0' );
	dbvhi_word word;
	const bool is_solid = dbvhi_text_word_anywhere( &text, &word ) && dbvhi_word_is( word, "solid" );
	dbvhi_stream_seek( stream, 0 );
	// Below 2^24 triangles the header of a binary file has a zero byte, whatever its comment is padded with.
	const size_t count = dbvhi_stream_has( stream, HEADER_SIZE ) ? HEADER_SIZE : (size_t)( stream->end - stream->at );
	return is_solid && memchr( stream->at, 0, count ) == NULL;
}

typedef struct stl {
	dbvhi_builder *mesh;
	dbvhi_stream *stream;
	dbvhi_text text; // ASCII
	dbvhi_welder welder;
	size_t corner_count;
	uint32_t triangle[3], before[3]; // the one at hand and the one before
	bool has_before;
} stl;

static inline dbvh_status end_corner( stl *s, uint32_t vertex ) {
	s->triangle[s->corner_count++ % 3] = vertex;
	if ( s->corner_count % 3 != 0 )
		return DBVH_OK;
	memcpy( s->before, s->triangle, sizeof s->before );
	s->has_before = true;
	return dbvhi_builder_triangle( s->mesh, s->triangle );
}

// Different points are numbered in the order in which they first appear.
static dbvh_status add_corner( stl *s, const double p[3] ) {
	dbvhi_builder *mesh = s->mesh;
	if ( !isfinite( p[0] ) || !isfinite( p[1] ) || !isfinite( p[2] ) ) {
		const size_t triangle = s->corner_count / 3;
		mesh->error->element = (int64_t)triangle;
		return dbvhi_error_set( mesh->error, DBVH_NOT_FINITE, "triangle %zu has a coordinate that is NaN or infinite",
		                        triangle );
	}
	// Usually two of them are corners of the triangle before.
	for ( int i = 0; i < 3 && s->has_before; ++i ) {
		const double *q = mesh->positions + 3 * (size_t)s->before[i];
		if ( p[0] == q[0] && p[1] == q[1] && p[2] == q[2] )
			return end_corner( s, s->before[i] );
	}
	uint32_t number = 0;
	const dbvh_status status = dbvhi_builder_weld( mesh, &s->welder, p, &number );
	return status == DBVH_OK ? end_corner( s, number ) : status;
}

// Is a binary file as long as its header says? The stream is behind the header afterwards.
static dbvh_status check_size( stl *s, uint64_t *triangle_count ) {
	dbvh_error *error = s->mesh->error;
	const uint64_t size = s->stream->size;
	error->byte = (int64_t)size;
	const uint8_t *header = dbvhi_stream_take( s->stream, HEADER_SIZE );
	if ( header == NULL )
		return dbvhi_error_set( error, DBVH_TRUNCATED,
		                        "%llu bytes that do not begin with the word solid are too few for a binary STL",
		                        (unsigned long long)size );
	*triangle_count = dbvhi_bytes_get( header + HEADER_SIZE - 4, 4, false );
	const uint64_t promised = HEADER_SIZE + TRIANGLE_SIZE * *triangle_count;
	if ( size < promised )
		return dbvhi_error_set(
		    error, DBVH_TRUNCATED, "a binary STL of %llu triangles has %llu bytes, but the file has %llu",
		    (unsigned long long)*triangle_count, (unsigned long long)promised, (unsigned long long)size );
	if ( size == promised )
		return DBVH_OK;
	dbvhi_stream_seek( s->stream, promised );
	if ( !dbvhi_stream_pass_padding( s->stream ) ) {
		error->byte = (int64_t)dbvhi_stream_offset( s->stream );
		return dbvhi_error_set( error, DBVH_MALFORMED,
		                        "the header promises %llu triangles, but more follows after the last of them",
		                        (unsigned long long)*triangle_count );
	}
	dbvhi_stream_seek( s->stream, HEADER_SIZE );
	return DBVH_OK;
}

#define BLOCK ( DBVHI_WELDER_AHEAD / 3 ) // triangles of which the vertices are prefetched

// Add `count` triangles, the records of which are at an offset in the file.
static dbvh_status read_records( stl *s, const uint8_t *records, size_t count, uint64_t offset ) {
	double points[3 * BLOCK][3];
	dbvhi_builder *mesh = s->mesh;
	DBVHI_ASSERT( count <= BLOCK );
	for ( size_t i = 0; i < 3 * count; ++i )
		for ( size_t k = 0; k < 3; ++k )
			points[i][k] = (double)dbvhi_bytes_get_float(
			    records + TRIANGLE_SIZE * ( i / 3 ) + CORNER_AT + CORNER_SIZE * ( i % 3 ) + 4 * k, false );
	const dbvh_mesh_view view = { .positions = mesh->positions, .vertex_count = mesh->vertex_count };
	dbvhi_welder_prefetch( &s->welder, &view, (const double( * )[3])points, 3 * count );
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < 3 * count && status == DBVH_OK; ++i ) {
		mesh->error->byte = (int64_t)( offset + TRIANGLE_SIZE * ( i / 3 ) + CORNER_AT + CORNER_SIZE * ( i % 3 ) );
		status = add_corner( s, points[i] );
	}
	return status;
}

static dbvh_status read_binary( stl *s ) {
	uint64_t triangle_count = 0;
	DBVHI_TRY( check_size( s, &triangle_count ) );
	s->mesh->error->byte = HEADER_SIZE - 4;
	DBVHI_TRY( dbvhi_builder_reserve( s->mesh, 0, (size_t)triangle_count ) );
	// note: a closed mesh has half as many vertices as triangles.
	DBVHI_TRY( dbvhi_builder_expect( s->mesh, &s->welder, (size_t)triangle_count / 2 ) );
	for ( uint64_t i = 0; i < triangle_count; ) {
		const uint64_t rest = triangle_count - i,
		               at_hand = (uint64_t)( s->stream->end - s->stream->at ) / TRIANGLE_SIZE;
		const uint64_t wanted = at_hand < 1 ? 1 : at_hand < BLOCK ? at_hand : BLOCK;
		const size_t count = (size_t)( wanted < rest ? wanted : rest );
		const uint8_t *records = dbvhi_stream_take( s->stream, count * TRIANGLE_SIZE );
		if ( records == NULL )
			return dbvhi_stream_check( s->stream, s->mesh->error );
		DBVHI_TRY( read_records( s, records, count, HEADER_SIZE + TRIANGLE_SIZE * i ) );
		i += count;
	}
	return DBVH_OK;
}

// The next word wherever it is, for the message too.
static dbvh_status next_word( stl *s, const char *expected, dbvhi_word *word ) {
	const bool found = dbvhi_text_word_anywhere( &s->text, word );
	s->mesh->error->line = s->text.line;
	if ( found )
		return DBVH_OK;
	return dbvhi_error_set( s->mesh->error, DBVH_TRUNCATED, "the file ends where %s should follow", expected );
}

static dbvh_status refuse_word( stl *s, dbvhi_word word, const char *expected ) {
	char room[DBVHI_WORD_ROOM];
	return dbvhi_error_set( s->mesh->error, DBVH_MALFORMED, "\"%s\" stands where %s should",
	                        dbvhi_word_show( word, room ), expected );
}

static dbvh_status expect( stl *s, const char *keyword ) {
	dbvhi_word word;
	DBVHI_TRY( next_word( s, keyword, &word ) );
	return dbvhi_word_is( word, keyword ) ? DBVH_OK : refuse_word( s, word, keyword );
}

static dbvh_status read_vertex( stl *s ) {
	dbvh_status status = expect( s, "vertex" );
	double p[3] = { 0.0, 0.0, 0.0 };
	for ( int k = 0; k < 3 && status == DBVH_OK; ++k ) {
		dbvhi_word word;
		status = next_word( s, "a coordinate", &word );
		if ( status != DBVH_OK )
			break;
		switch ( dbvhi_number_read( word.begin, word.length, &p[k] ) ) {
		case DBVHI_NUMBER_BAD:
			status = refuse_word( s, word, "a coordinate" );
			break;
		case DBVHI_NUMBER_NOT_FINITE:
			p[k] = (double)NAN;
			break;
		case DBVHI_NUMBER_FINITE:
			break;
		}
	}
	return status == DBVH_OK ? add_corner( s, p ) : status;
}

// After the word "facet". The normal is whatever stands before "outer": it may be missing, or be no number.
static dbvh_status read_facet( stl *s ) {
	dbvhi_word word;
	dbvh_status status;
	int skipped = 0;
	do {
		status = next_word( s, "outer loop", &word );
		if ( status != DBVH_OK )
			return status;
		if ( skipped++ == 0 && !dbvhi_word_is( word, "normal" ) && !dbvhi_word_is( word, "outer" ) )
			return refuse_word( s, word, "normal or outer loop" );
	} while ( !dbvhi_word_is( word, "outer" ) && skipped < 5 );
	if ( !dbvhi_word_is( word, "outer" ) )
		return refuse_word( s, word, "outer loop" );
	status = expect( s, "loop" );
	for ( int corner = 0; corner < 3 && status == DBVH_OK; ++corner )
		status = read_vertex( s );
	if ( status == DBVH_OK )
		status = expect( s, "endloop" );
	return status == DBVH_OK ? expect( s, "endfacet" ) : status;
}

static dbvh_status read_text( stl *s ) {
	s->text = dbvhi_text_make( s->stream, '\0' );
	dbvhi_word word;
	while ( dbvhi_text_word_anywhere( &s->text, &word ) ) {
		s->mesh->error->line = s->text.line;
		if ( !dbvhi_word_is( word, "solid" ) )
			return refuse_word( s, word, "solid" );
		// The rest of the line is the name, which may be any words.
		dbvhi_text_next_line( &s->text );
		for ( ;; ) {
			DBVHI_TRY( next_word( s, "facet or endsolid", &word ) );
			if ( dbvhi_word_is( word, "endsolid" ) )
				break;
			if ( !dbvhi_word_is( word, "facet" ) )
				return refuse_word( s, word, "facet or endsolid" );
			DBVHI_TRY( read_facet( s ) );
		}
		dbvhi_text_next_line( &s->text );
	}
	return DBVH_OK;
}

dbvh_status dbvhi_read_stl( dbvhi_builder *mesh, dbvhi_stream *stream ) {
	stl s = { .mesh = mesh, .stream = stream };
	const dbvh_status status = is_text( stream ) ? read_text( &s ) : read_binary( &s );
	dbvhi_welder_free( &s.welder, &mesh->allocator );
	return status;
}
