// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/ply_header.h"

#include "base/alloc.h"
#include "base/status.h"
#include "mesh/io/number.h"
#include "mesh/io/text.h"

static const struct {
	const char *name, *old_name;
	size_t size;
} types[DBVHI_PLY_TYPE_COUNT] = {
    { "int8", "char", 1 }, { "uint8", "uchar", 1 }, { "int16", "short", 2 },   { "uint16", "ushort", 2 },
    { "int32", "int", 4 }, { "uint32", "uint", 4 }, { "float32", "float", 4 }, { "float64", "double", 8 },
};

size_t dbvhi_ply_type_size( dbvhi_ply_type type ) {
	return types[type].size;
}

typedef struct scan {
	dbvhi_builder *mesh;
	dbvhi_ply_header *header;
	dbvhi_text text;
	bool has_format;
} scan;

static dbvh_error *header_here( scan *s ) {
	s->mesh->error->line = s->text.line;
	return s->mesh->error;
}

static dbvh_status need_word( scan *s, const char *what, dbvhi_word *word ) {
	if ( dbvhi_text_word( &s->text, word ) )
		return DBVH_OK;
	if ( !dbvhi_stream_has( s->text.stream, 1 ) )
		return dbvhi_error_set( header_here( s ), DBVH_TRUNCATED, "the file ends in its header, before %s", what );
	return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "a line of the header ends before %s", what );
}

static dbvh_status read_type( scan *s, dbvhi_word word, dbvhi_ply_type *type ) {
	for ( int i = 0; i < DBVHI_PLY_TYPE_COUNT; ++i ) {
		if ( dbvhi_word_is( word, types[i].name ) || dbvhi_word_is( word, types[i].old_name ) ) {
			*type = (dbvhi_ply_type)i;
			return DBVH_OK;
		}
	}
	char room[DBVHI_WORD_ROOM];
	return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "\"%s\" is no type of a property",
	                        dbvhi_word_show( word, room ) );
}

static dbvh_status read_ply_format( scan *s ) {
	dbvhi_word kind, version;
	DBVHI_TRY( need_word( s, "the kind of the format", &kind ) );
	DBVHI_TRY( need_word( s, "the version of the format", &version ) );
	char room[DBVHI_WORD_ROOM];
	if ( s->has_format )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the header names its format twice" );
	s->has_format = true;
	s->header->ascii = dbvhi_word_is( kind, "ascii" );
	s->header->big_endian = dbvhi_word_is( kind, "binary_big_endian" );
	if ( !s->header->ascii && !s->header->big_endian && !dbvhi_word_is( kind, "binary_little_endian" ) )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "\"%s\" is no kind of PLY",
		                        dbvhi_word_show( kind, room ) );
	if ( !dbvhi_word_is( version, "1.0" ) )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "\"%s\" is no version of PLY",
		                        dbvhi_word_show( version, room ) );
	return DBVH_OK;
}

static dbvh_status read_element( scan *s ) {
	dbvhi_ply_header *h = s->header;
	dbvhi_word name, number;
	DBVHI_TRY( need_word( s, "the name of an element", &name ) );
	DBVHI_TRY( need_word( s, "the number of elements", &number ) );
	char room[DBVHI_WORD_ROOM];
	dbvhi_ply_element element = { .kind = DBVHI_PLY_OTHER, .first_property = h->property_count };
	if ( !dbvhi_integer_read( number.begin, number.length, &element.count ) || element.count < 0 )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "\"%s\" is no number of elements",
		                        dbvhi_word_show( number, room ) );
	if ( dbvhi_word_is( name, "vertex" ) )
		element.kind = DBVHI_PLY_VERTEX;
	if ( dbvhi_word_is( name, "face" ) )
		element.kind = DBVHI_PLY_FACE;
	// Skipping these would lose triangles without a word.
	if ( dbvhi_word_is( name, "tristrips" ) && element.count > 0 )
		return dbvhi_error_set( header_here( s ), DBVH_UNKNOWN_FORMAT,
		                        "the file has triangle strips, which are not read" );
	for ( size_t i = 0; i < h->element_count && element.kind != DBVHI_PLY_OTHER; ++i )
		if ( h->elements[i].kind == element.kind )
			return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the header has the element %s twice",
			                        dbvhi_word_show( name, room ) );
	void *memory = h->elements;
	if ( !dbvhi_grow( &s->mesh->allocator, &memory, &h->element_capacity, h->element_count + 1, sizeof *h->elements ) )
		return dbvhi_error_set( header_here( s ), DBVH_OUT_OF_MEMORY, "no memory for the elements of the header" );
	h->elements = memory;
	h->elements[h->element_count++] = element;
	return DBVH_OK;
}

// Find the role of a property. x, y, z and the list of corners may each be there once; x, y, z must be single numbers,
// the corners a list.
static dbvh_status give_role( scan *s, dbvhi_ply_element *element, dbvhi_word name, dbvhi_ply_property *property ) {
	property->role = DBVHI_PLY_SKIPPED;
	if ( element->kind == DBVHI_PLY_VERTEX && name.length == 1 && name.begin[0] >= 'x' && name.begin[0] <= 'z' )
		property->role = (dbvhi_ply_role)( name.begin[0] - 'x' );
	if ( element->kind == DBVHI_PLY_FACE &&
	     ( dbvhi_word_is( name, "vertex_indices" ) || dbvhi_word_is( name, "vertex_index" ) ) )
		property->role = DBVHI_PLY_CORNERS;
	if ( property->role == DBVHI_PLY_SKIPPED )
		return DBVH_OK;
	char room[DBVHI_WORD_ROOM];
	if ( property->is_list != ( property->role == DBVHI_PLY_CORNERS ) )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the property %s must%s be a list",
		                        dbvhi_word_show( name, room ), property->is_list ? " not" : "" );
	if ( element->roles & 1u << property->role )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the header has the property %s twice",
		                        dbvhi_word_show( name, room ) );
	element->roles |= 1u << property->role;
	return DBVH_OK;
}

static dbvh_status read_property( scan *s ) {
	dbvhi_ply_header *h = s->header;
	dbvhi_ply_property property = { .role = DBVHI_PLY_SKIPPED };
	dbvhi_word word, name;
	dbvh_status status = need_word( s, "the type of a property", &word );
	if ( status == DBVH_OK && dbvhi_word_is( word, "list" ) ) {
		property.is_list = true;
		status = need_word( s, "the type of the length of a list", &word );
		if ( status == DBVH_OK )
			status = read_type( s, word, &property.count_type );
		if ( status == DBVH_OK )
			status = need_word( s, "the type of the numbers of a list", &word );
	}
	if ( status == DBVH_OK )
		status = read_type( s, word, &property.type );
	if ( status == DBVH_OK )
		status = need_word( s, "the name of a property", &name );
	if ( status != DBVH_OK )
		return status;
	if ( h->element_count == 0 )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the header has a property before any element" );
	dbvhi_ply_element *element = &h->elements[h->element_count - 1];
	status = give_role( s, element, name, &property );
	if ( status != DBVH_OK )
		return status;
	void *memory = h->properties;
	if ( !dbvhi_grow( &s->mesh->allocator, &memory, &h->property_capacity, h->property_count + 1,
	                  sizeof *h->properties ) )
		return dbvhi_error_set( header_here( s ), DBVH_OUT_OF_MEMORY, "no memory for the properties of the header" );
	h->properties = memory;
	h->properties[h->property_count++] = property;
	element->property_count += 1;
	return DBVH_OK;
}

// Passes the end of the line that ends the header. A file whose lines end with a lone \r may have data that begins with
// the byte \n; in any other file the two belong together.
static void end_header( scan *s, bool lone_returns ) {
	dbvhi_stream *stream = s->text.stream;
	s->header->line_count = s->text.line;
	if ( !dbvhi_stream_has( stream, 1 ) )
		return;
	const bool is_return = *stream->at++ == '\r';
	if ( is_return && !lone_returns && dbvhi_stream_has( stream, 1 ) && *stream->at == '\n' )
		stream->at += 1;
	s->header->line_count += 1;
}

static dbvh_status check_roles( scan *s ) {
	const unsigned position = 1u << DBVHI_PLY_X | 1u << DBVHI_PLY_Y | 1u << DBVHI_PLY_Z;
	if ( !s->has_format )
		return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the header does not name its format" );
	for ( size_t i = 0; i < s->header->element_count; ++i ) {
		const dbvhi_ply_element *element = &s->header->elements[i];
		if ( element->count == 0 )
			continue;
		if ( element->kind == DBVHI_PLY_VERTEX && element->roles != position )
			return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the vertices lack the property x, y or z" );
		if ( element->kind == DBVHI_PLY_FACE && element->roles == 0 )
			return dbvhi_error_set( header_here( s ), DBVH_MALFORMED, "the faces lack the property vertex_indices" );
	}
	return DBVH_OK;
}

dbvh_status dbvhi_ply_header_read( dbvhi_builder *mesh, dbvhi_stream *stream, dbvhi_ply_header *header ) {
	*header = ( dbvhi_ply_header ){ .elements = NULL };
	scan s = { .mesh = mesh, .header = header, .text = dbvhi_text_make( stream, '\0' ) };
	dbvhi_word word;
	if ( !dbvhi_text_word( &s.text, &word ) || !dbvhi_word_is( word, "ply" ) )
		return dbvhi_error_set( header_here( &s ), DBVH_MALFORMED, "the file does not begin with the line ply" );
	bool lone_returns = false;
	while ( dbvhi_text_next_line( &s.text ) ) {
		dbvh_status status = DBVH_OK;
		// The first line's ending decides: \r alone is an ending of this file only if it ends the first line.
		lone_returns = s.text.line == 2 ? s.text.lone_return : lone_returns;
		if ( !dbvhi_text_word( &s.text, &word ) )
			continue;
		if ( dbvhi_word_is( word, "comment" ) || dbvhi_word_is( word, "obj_info" ) )
			continue;
		dbvhi_text_back( &s.text, word, 0 );
		dbvhi_text_hold_line( &s.text );
		dbvhi_text_word( &s.text, &word );
		char room[DBVHI_WORD_ROOM];
		if ( dbvhi_word_is( word, "format" ) )
			status = read_ply_format( &s );
		else if ( dbvhi_word_is( word, "element" ) )
			status = read_element( &s );
		else if ( dbvhi_word_is( word, "property" ) )
			status = read_property( &s );
		else if ( dbvhi_word_is( word, "end_header" ) ) {
			if ( dbvhi_text_word( &s.text, &word ) )
				return dbvhi_error_set( header_here( &s ), DBVH_MALFORMED, "\"%s\" stands behind end_header",
				                        dbvhi_word_show( word, room ) );
			end_header( &s, lone_returns );
			return check_roles( &s );
		} else
			status = dbvhi_error_set( header_here( &s ), DBVH_MALFORMED, "\"%s\" begins no line of a header",
			                          dbvhi_word_show( word, room ) );
		if ( status != DBVH_OK )
			return status;
	}
	return dbvhi_error_set( header_here( &s ), DBVH_TRUNCATED, "the file ends before the line end_header" );
}

void dbvhi_ply_header_free( dbvhi_ply_header *header, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, header->elements, header->element_capacity, sizeof *header->elements );
	dbvhi_free( allocator, header->properties, header->property_capacity, sizeof *header->properties );
}
