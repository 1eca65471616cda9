// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Wavefront OBJ: its vertices and faces. Every other statement is skipped, known or not.

#include "base/status.h"
#include "mesh/io/number.h"
#include "mesh/io/readers.h"
#include "mesh/io/text.h"

typedef struct obj {
	dbvhi_builder *mesh;
	dbvhi_text text;
} obj;

static dbvh_error *obj_here( obj *o ) {
	o->mesh->error->line = o->text.line;
	return o->mesh->error;
}

// "v x y z", with a weight or a colour after it, which are not read.
static dbvh_status read_obj_vertex( obj *o ) {
	double p[3];
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_word word;
		char room[DBVHI_WORD_ROOM];
		if ( !dbvhi_text_word( &o->text, &word ) )
			return dbvhi_error_set( obj_here( o ), DBVH_MALFORMED, "vertex %zu has %d coordinates instead of three",
			                        o->mesh->vertex_count, k );
		switch ( dbvhi_number_read( word.begin, word.length, &p[k] ) ) {
		case DBVHI_NUMBER_BAD:
			return dbvhi_error_set( obj_here( o ), DBVH_MALFORMED, "\"%s\" is no coordinate",
			                        dbvhi_word_show( word, room ) );
		case DBVHI_NUMBER_NOT_FINITE:
			p[k] = (double)NAN;
			break;
		case DBVHI_NUMBER_FINITE:
			break;
		}
	}
	obj_here( o );
	return dbvhi_builder_vertex( o->mesh, p );
}

// The vertex of a corner "v", "v/vt", "v//vn" or "v/vt/vn", counted from 0. What follows the first number is not read.
static dbvh_status read_corner( obj *o, dbvhi_word word ) {
	size_t length = 0;
	while ( length < word.length && word.begin[length] != '/' )
		length += 1;
	int64_t number;
	char room[DBVHI_WORD_ROOM];
	const size_t face = o->mesh->face_count - 1, vertex_count = o->mesh->vertex_count;
	if ( !dbvhi_integer_read( word.begin, length, &number ) )
		return dbvhi_error_set( obj_here( o ), DBVH_MALFORMED, "\"%s\" is no corner of a face",
		                        dbvhi_word_show( word, room ) );
	obj_here( o )->element = (int64_t)face;
	if ( number == 0 )
		return dbvhi_error_set( obj_here( o ), DBVH_INDEX_RANGE, "face %zu names vertex 0, but they are counted from 1",
		                        face );
	if ( number < 0 && (uint64_t)-number > vertex_count )
		return dbvhi_error_set( obj_here( o ), DBVH_INDEX_RANGE,
		                        "face %zu names vertex %lld, but only %zu vertices come before it", face,
		                        (long long)number, vertex_count );
	o->mesh->error->element = -1;
	return dbvhi_builder_corner( o->mesh, number > 0 ? (uint64_t)number - 1 : vertex_count - (uint64_t)-number );
}

static dbvh_status read_obj_face( obj *o ) {
	dbvhi_builder_face( o->mesh );
	dbvhi_word word;
	size_t corners = 0;
	for ( ; dbvhi_text_word( &o->text, &word ); ++corners ) {
		DBVHI_TRY( read_corner( o, word ) );
	}
	obj_here( o );
	if ( corners >= 3 )
		return dbvhi_builder_face_end( o->mesh );
	obj_here( o )->element = (int64_t)o->mesh->face_count - 1;
	return dbvhi_error_set( o->mesh->error, DBVH_MALFORMED, "face %zu has %zu corners, fewer than three",
	                        o->mesh->face_count - 1, corners );
}

static dbvh_status read_lines( obj *o ) {
	do {
		// Only what is read is joined with the line below it: a comment or a name may well end with a backslash.
		o->text.continued = false;
		dbvhi_word word;
		if ( !dbvhi_text_word( &o->text, &word ) )
			continue;
		dbvh_status status = DBVH_OK;
		if ( word.length == 1 && word.begin[0] == 'v' ) {
			o->text.continued = true;
			status = read_obj_vertex( o );
		} else if ( ( word.length == 1 && word.begin[0] == 'f' ) ||
		            ( word.length == 2 && word.begin[0] == 'f' && word.begin[1] == 'o' ) ) {
			o->text.continued = true;
			status = read_obj_face( o );
		}
		if ( status != DBVH_OK )
			return status;
	} while ( dbvhi_text_next_line( &o->text ) && !o->text.stream->has_zero_inside );
	return dbvhi_builder_check_indices( o->mesh );
}

// Nearly anything would do as statements to skip; a zero byte anywhere says that this is no text at all, whatever else
// is wrong with it.
static dbvh_status check_zeros( obj *o, dbvh_status status ) {
	dbvhi_stream *stream = o->text.stream;
	while ( !stream->has_zero_inside ) {
		stream->at = stream->end;
		if ( !dbvhi_stream_more( stream ) )
			return status;
	}
	dbvhi_error_clear( o->mesh->error );
	o->mesh->error->byte = (int64_t)stream->zero_offset;
	return dbvhi_error_set( o->mesh->error, DBVH_MALFORMED, "a zero byte stands in what should be the text of an OBJ" );
}

dbvh_status dbvhi_read_obj( dbvhi_builder *mesh, dbvhi_stream *stream ) {
	mesh->first_number = 1;
	dbvhi_stream_watch_zeros( stream );
	obj o = { .mesh = mesh, .text = dbvhi_text_make( stream, '#' ) };
	return check_zeros( &o, stream->has_zero_inside ? DBVH_OK : read_lines( &o ) );
}
