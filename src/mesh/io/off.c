// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// OFF and its variants: ST, C and N before the keyword say which attributes follow each position. Numbers may be spread
// over lines as the writer liked; only optional colours end with their line, because nothing else tells their number.

#include "base/status.h"
#include "mesh/io/number.h"
#include "mesh/io/readers.h"
#include "mesh/io/text.h"

#include <string.h>

typedef struct off {
	dbvhi_builder *mesh;
	dbvhi_text text;
	bool normals;   // N: three numbers after the position
	bool four, any; // 4 and n: another dimension than three
} off;

// How long the keyword at the beginning of a word is, or 0. The counts may follow it without a space.
static size_t keyword_length( const char *word, size_t length, off *variant ) {
	static const char *const prefixes[] = { "ST", "C", "N", "4", "n" };
	bool given[5] = { false };
	size_t at = 0;
	for ( size_t i = 0; i < 5; ++i ) {
		const size_t size = strlen( prefixes[i] );
		given[i] = length - at >= size && memcmp( word + at, prefixes[i], size ) == 0;
		at += given[i] ? size : 0;
	}
	if ( length - at < 3 || memcmp( word + at, "OFF", 3 ) != 0 )
		return 0;
	at += 3;
	if ( at < length && ( word[at] < '0' || word[at] > '9' ) )
		return 0;
	*variant = ( off ){ .normals = given[2], .four = given[3], .any = given[4] };
	return at;
}

bool dbvhi_off_keyword( const char *word, size_t length ) {
	off variant;
	return keyword_length( word, length, &variant ) != 0;
}

static dbvh_error *off_here( off *o ) {
	o->mesh->error->line = o->text.line;
	return o->mesh->error;
}

static dbvh_status need_off_word( off *o, const char *what, size_t index, dbvhi_word *word ) {
	if ( dbvhi_text_word_anywhere( &o->text, word ) )
		return DBVH_OK;
	return dbvhi_error_set( off_here( o ), DBVH_TRUNCATED, "the file ends in %s %zu", what, index );
}

static dbvh_status read_integer( off *o, const char *what, size_t index, int64_t *out ) {
	dbvhi_word word;
	const dbvh_status status = need_off_word( o, what, index, &word );
	if ( status != DBVH_OK || dbvhi_integer_read( word.begin, word.length, out ) )
		return status;
	char room[DBVHI_WORD_ROOM];
	return dbvhi_error_set( off_here( o ), DBVH_MALFORMED, "\"%s\" in %s %zu is no whole number",
	                        dbvhi_word_show( word, room ), what, index );
}

static dbvh_status read_keyword( off *o ) {
	dbvhi_word word;
	if ( !dbvhi_text_word_anywhere( &o->text, &word ) )
		return dbvhi_error_set( off_here( o ), DBVH_TRUNCATED, "the file ends before the keyword OFF" );
	off variant;
	const size_t length = keyword_length( word.begin, word.length, &variant );
	if ( length == 0 )
		return dbvhi_error_set( off_here( o ), DBVH_MALFORMED, "the file does not begin with the keyword OFF" );
	if ( variant.four )
		return dbvhi_error_set( off_here( o ), DBVH_UNKNOWN_FORMAT,
		                        "an OFF with four coordinates a vertex is not read" );
	o->normals = variant.normals;
	dbvhi_text_back( &o->text, word, length );
	if ( dbvhi_text_word( &o->text, &word ) ) {
		if ( dbvhi_word_is( word, "binary" ) )
			return dbvhi_error_set( off_here( o ), DBVH_UNKNOWN_FORMAT, "a binary OFF is not read" );
		dbvhi_text_back( &o->text, word, 0 );
	}
	if ( variant.any ) {
		int64_t dimension;
		DBVHI_TRY( read_integer( o, "the dimension, number", 0, &dimension ) );
		if ( dimension != 3 )
			return dbvhi_error_set( off_here( o ), DBVH_UNKNOWN_FORMAT,
			                        "an OFF with %lld coordinates a vertex is not read", (long long)dimension );
	}
	return DBVH_OK;
}

static dbvh_status read_counts( off *o, int64_t counts[2] ) {
	for ( size_t i = 0; i < 2; ++i ) {
		DBVHI_TRY( read_integer( o, "the counts, number", i, &counts[i] ) );
		if ( counts[i] < 0 )
			return dbvhi_error_set( off_here( o ), DBVH_MALFORMED, "the number of %s is %lld",
			                        i == 0 ? "vertices" : "faces", (long long)counts[i] );
	}
	// The number of edges means nothing and may be missing. It is the rest of this line, or a line of one whole number,
	// which is no vertex.
	dbvhi_word word;
	if ( dbvhi_text_word( &o->text, &word ) ) {
		dbvhi_text_next_line( &o->text );
		return DBVH_OK;
	}
	if ( !dbvhi_text_word_anywhere( &o->text, &word ) )
		return DBVH_OK;
	dbvhi_text_back( &o->text, word, 0 );
	dbvhi_text_hold_line( &o->text );
	dbvhi_word next;
	int64_t edges;
	dbvhi_text_word( &o->text, &word );
	if ( !dbvhi_integer_read( word.begin, word.length, &edges ) || dbvhi_text_word( &o->text, &next ) )
		dbvhi_text_back( &o->text, word, 0 );
	return DBVH_OK;
}

static dbvh_status read_off_vertex( off *o ) {
	const size_t index = o->mesh->vertex_count;
	double p[6] = { 0.0 };
	for ( int k = 0; k < ( o->normals ? 6 : 3 ); ++k ) {
		dbvhi_word word;
		char room[DBVHI_WORD_ROOM];
		DBVHI_TRY( need_off_word( o, "vertex", index, &word ) );
		const dbvhi_number_kind kind = dbvhi_number_read( word.begin, word.length, &p[k] );
		if ( kind == DBVHI_NUMBER_BAD )
			return dbvhi_error_set( off_here( o ), DBVH_MALFORMED, "\"%s\" in vertex %zu is no number",
			                        dbvhi_word_show( word, room ), index );
		if ( kind == DBVHI_NUMBER_NOT_FINITE )
			p[k] = (double)NAN;
	}
	off_here( o );
	const dbvh_status status = dbvhi_builder_vertex( o->mesh, p );
	dbvhi_text_next_line( &o->text );
	return status;
}

// Two corners or fewer leave no triangle: they are a line or a point.
static dbvh_status read_off_face( off *o ) {
	const size_t index = o->mesh->face_count;
	int64_t corner_count = 0, vertex;
	dbvh_status status = read_integer( o, "face", index, &corner_count );
	if ( status == DBVH_OK && corner_count < 0 )
		status = dbvhi_error_set( off_here( o ), DBVH_MALFORMED, "face %zu has %lld corners", index,
		                          (long long)corner_count );
	dbvhi_builder_face( o->mesh );
	for ( ; corner_count > 0 && status == DBVH_OK; --corner_count ) {
		status = read_integer( o, "face", index, &vertex );
		if ( status != DBVH_OK )
			break;
		off_here( o );
		if ( vertex >= 0 ) {
			status = dbvhi_builder_corner( o->mesh, (uint64_t)vertex );
			continue;
		}
		o->mesh->error->element = (int64_t)index;
		status = dbvhi_error_set( o->mesh->error, DBVH_INDEX_RANGE, "face %zu names vertex %lld, which cannot be",
		                          index, (long long)vertex );
	}
	if ( status == DBVH_OK )
		status = dbvhi_builder_face_end( o->mesh );
	dbvhi_text_next_line( &o->text );
	return status;
}

// How many of what the header promises the rest of the file can hold.
static size_t bound( const dbvhi_stream *stream, int64_t promised, size_t least_bytes ) {
	const uint64_t room = dbvhi_stream_rest( stream ) / least_bytes + 1, count = (uint64_t)promised;
	const uint64_t most = room < DBVH_MAX_ELEMENTS ? room : DBVH_MAX_ELEMENTS;
	return (size_t)( count < most ? count : most );
}

dbvh_status dbvhi_read_off( dbvhi_builder *mesh, dbvhi_stream *stream ) {
	off o = { .mesh = mesh, .text = dbvhi_text_make( stream, '#' ) };
	int64_t counts[2] = { 0, 0 };
	dbvh_status status = read_keyword( &o );
	if ( status == DBVH_OK )
		status = read_counts( &o, counts );
	if ( status == DBVH_OK )
		status = dbvhi_builder_reserve( mesh, bound( stream, counts[0], sizeof "0 0 0" ), 0 );
	for ( ; counts[0] > 0 && status == DBVH_OK; --counts[0] )
		status = read_off_vertex( &o );
	if ( status == DBVH_OK )
		status = dbvhi_builder_reserve( mesh, 0, bound( stream, counts[1], sizeof "3 0 0 0" ) );
	for ( ; counts[1] > 0 && status == DBVH_OK; --counts[1] )
		status = read_off_face( &o );
	dbvhi_word word;
	if ( status == DBVH_OK && dbvhi_text_word_anywhere( &o.text, &word ) )
		status = dbvhi_error_set( off_here( &o ), DBVH_MALFORMED,
		                          "more follows after the last face that the header promises" );
	return status == DBVH_OK ? dbvhi_builder_check_indices( mesh ) : status;
}
