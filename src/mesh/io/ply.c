// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The data of a PLY file, after its header. All three kinds are read through one function that yields the next number.

#include "base/assert.h"
#include "base/status.h"
#include "mesh/io/bytes.h"
#include "mesh/io/number.h"
#include "mesh/io/ply_header.h"
#include "mesh/io/readers.h"
#include "mesh/io/text.h"

typedef struct ply {
	dbvhi_builder *mesh;
	dbvhi_ply_header header;
	dbvhi_stream *stream;
	dbvhi_text text; // ASCII
	const dbvhi_ply_element *element;
	int64_t index; // number of the element that is being read
} ply;

static const char *element_name( const ply *p ) {
	static const char *const names[] = { "vertex", "face", "element" };
	return names[p->element->kind];
}

// Store the line or byte that is being read in the error, for messages.
static dbvh_error *here( ply *p ) {
	if ( p->header.ascii )
		p->mesh->error->line = p->text.line;
	else
		p->mesh->error->byte = (int64_t)dbvhi_stream_offset( p->stream );
	return p->mesh->error;
}

static dbvh_status ended( ply *p ) {
	if ( !p->header.ascii )
		dbvhi_stream_seek( p->stream, p->stream->size );
	return dbvhi_error_set( here( p ), DBVH_TRUNCATED, "the file ends in %s %lld of %lld", element_name( p ),
	                        (long long)p->index, (long long)p->element->count );
}

static dbvh_status read_ascii( ply *p, double *out ) {
	dbvhi_word word;
	char room[DBVHI_WORD_ROOM];
	if ( !dbvhi_text_word_anywhere( &p->text, &word ) )
		return ended( p );
	switch ( dbvhi_number_read( word.begin, word.length, out ) ) {
	case DBVHI_NUMBER_BAD:
		return dbvhi_error_set( here( p ), DBVH_MALFORMED, "\"%s\" in %s %lld is no number",
		                        dbvhi_word_show( word, room ), element_name( p ), (long long)p->index );
	case DBVHI_NUMBER_NOT_FINITE:
		*out = (double)NAN;
		break;
	case DBVHI_NUMBER_FINITE:
		break;
	}
	return DBVH_OK;
}

// The next number. All whole numbers of PLY are doubles, too. One that is not finite may come back as NaN.
static dbvh_status read_number( ply *p, dbvhi_ply_type type, double *out ) {
	DBVHI_ASSERT( out != NULL );
	if ( p->header.ascii )
		return read_ascii( p, out );
	const size_t size = dbvhi_ply_type_size( type );
	const uint8_t *at = dbvhi_stream_take( p->stream, size );
	if ( at == NULL )
		return ended( p );
	const bool big_endian = p->header.big_endian;
	const uint64_t bits = dbvhi_bytes_get( at, size, big_endian );
	switch ( type ) {
	case DBVHI_PLY_INT8:
		*out = (double)bits - ( bits >> 7 ? 0x1p8 : 0.0 );
		break;
	case DBVHI_PLY_INT16:
		*out = (double)bits - ( bits >> 15 ? 0x1p16 : 0.0 );
		break;
	case DBVHI_PLY_INT32:
		*out = (double)bits - ( bits >> 31 ? 0x1p32 : 0.0 );
		break;
	case DBVHI_PLY_FLOAT32:
		*out = (double)dbvhi_bytes_get_float( at, big_endian );
		break;
	case DBVHI_PLY_FLOAT64:
		*out = dbvhi_bytes_get_double( at, big_endian );
		break;
	default:
		*out = (double)bits;
	}
	return DBVH_OK;
}

static dbvh_status skip_numbers( ply *p, dbvhi_ply_type type, uint64_t count ) {
	DBVHI_ASSERT( (unsigned)type <= DBVHI_PLY_FLOAT64 );
	if ( !p->header.ascii ) {
		const size_t size = dbvhi_ply_type_size( type );
		if ( dbvhi_stream_rest( p->stream ) / size < count )
			return ended( p );
		dbvhi_stream_skip( p->stream, size * count );
		return DBVH_OK;
	}
	dbvhi_word word;
	for ( ; count > 0; --count )
		if ( !dbvhi_text_word_anywhere( &p->text, &word ) )
			return ended( p );
	return DBVH_OK;
}

static dbvh_status read_length( ply *p, const dbvhi_ply_property *property, uint64_t *length ) {
	double value = 0.0;
	DBVHI_TRY( read_number( p, property->count_type, &value ) );
	if ( !( value >= 0.0 && value < 0x1p53 ) || value != floor( value ) )
		return dbvhi_error_set( here( p ), DBVH_MALFORMED, "%s %lld has a list of %g numbers", element_name( p ),
		                        (long long)p->index, value );
	*length = (uint64_t)value;
	return DBVH_OK;
}

// The corners of a face. Two or fewer leave no triangle: they are a line or a point.
static dbvh_status read_corners( ply *p, const dbvhi_ply_property *property ) {
	uint64_t length = 0;
	dbvh_status status = read_length( p, property, &length );
	dbvhi_builder_face( p->mesh );
	for ( ; length > 0 && status == DBVH_OK; --length ) {
		double value = 0.0;
		status = read_number( p, property->type, &value );
		if ( status != DBVH_OK )
			break;
		here( p );
		if ( value >= 0.0 && value < 0x1p53 && value == floor( value ) ) {
			status = dbvhi_builder_corner( p->mesh, (uint64_t)value );
			continue;
		}
		p->mesh->error->element = p->index;
		status = dbvhi_error_set( p->mesh->error, DBVH_INDEX_RANGE, "face %lld names vertex %g, which cannot be",
		                          (long long)p->index, value );
	}
	return status == DBVH_OK ? dbvhi_builder_face_end( p->mesh ) : status;
}

static dbvh_status read_one( ply *p ) {
	double position[3] = { 0.0, 0.0, 0.0 };
	for ( size_t i = 0; i < p->element->property_count; ++i ) {
		const dbvhi_ply_property *property = &p->header.properties[p->element->first_property + i];
		dbvh_status status;
		if ( property->role == DBVHI_PLY_CORNERS ) {
			status = read_corners( p, property );
		} else if ( property->is_list ) {
			uint64_t length = 0;
			status = read_length( p, property, &length );
			if ( status == DBVH_OK )
				status = skip_numbers( p, property->type, length );
		} else if ( property->role == DBVHI_PLY_SKIPPED ) {
			status = skip_numbers( p, property->type, 1 );
		} else {
			here( p );
			status = read_number( p, property->type, &position[property->role] );
		}
		if ( status != DBVH_OK )
			return status;
	}
	// An element ends with its line: some writers put more on a line than their header says.
	if ( p->header.ascii )
		dbvhi_text_next_line( &p->text );
	return p->element->kind == DBVHI_PLY_VERTEX ? dbvhi_builder_vertex( p->mesh, position ) : DBVH_OK;
}

// Room for as many elements as the header promises, but no more than the remaining bytes can hold.
static dbvh_status reserve( ply *p ) {
	size_t least = 0;
	for ( size_t i = 0; i < p->element->property_count; ++i ) {
		const dbvhi_ply_property *property = &p->header.properties[p->element->first_property + i];
		const size_t count = property->role == DBVHI_PLY_CORNERS ? 3 : ( property->is_list ? 0 : 1 );
		if ( p->header.ascii )
			least += 2 * count;
		else
			least += count * dbvhi_ply_type_size( property->type );
	}
	if ( p->element->kind == DBVHI_PLY_OTHER || p->element->count == 0 || least == 0 )
		return DBVH_OK;
	const uint64_t room = dbvhi_stream_rest( p->stream ) / least, promised = (uint64_t)p->element->count;
	const size_t count = (size_t)( room < promised ? room : promised );
	return p->element->kind == DBVHI_PLY_VERTEX ? dbvhi_builder_reserve( p->mesh, count, 0 )
	                                            : dbvhi_builder_reserve( p->mesh, 0, count );
}

static dbvh_status read_elements( ply *p ) {
	for ( size_t i = 0; i < p->header.element_count; ++i ) {
		p->element = &p->header.elements[i];
		p->index = 0;
		if ( p->element->property_count == 0 )
			continue; // nothing in the file, however many there are
		dbvh_status status = reserve( p );
		for ( ; p->index < p->element->count && status == DBVH_OK; ++p->index )
			status = read_one( p );
		if ( status != DBVH_OK )
			return status;
	}
	dbvhi_word word;
	if ( p->header.ascii ? dbvhi_text_word_anywhere( &p->text, &word ) : !dbvhi_stream_pass_padding( p->stream ) )
		return dbvhi_error_set( here( p ), DBVH_MALFORMED, "more follows after the last element of the header" );
	return dbvhi_builder_check_indices( p->mesh );
}

dbvh_status dbvhi_read_ply( dbvhi_builder *mesh, dbvhi_stream *stream ) {
	ply p = { .mesh = mesh, .stream = stream };
	dbvh_status status = dbvhi_ply_header_read( mesh, stream, &p.header );
	if ( status == DBVH_OK ) {
		mesh->error->line = 0;
		p.text = dbvhi_text_make( stream, '\0' );
		p.text.line = p.header.line_count;
		status = read_elements( &p );
	}
	dbvhi_ply_header_free( &p.header, &mesh->allocator );
	return status;
}
