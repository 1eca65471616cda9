// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/text.h"

#include "base/assert.h"
#include "mesh/io/bytes.h"

#include <string.h>

dbvhi_text dbvhi_text_make( dbvhi_stream *stream, char comment ) {
	return ( dbvhi_text ){ .stream = stream, .line = 1, .comment = comment };
}

static bool is_line_end( char c ) {
	return c == '\n' || c == '\r';
}

static bool is_blank( char c ) {
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static void pass_line_end( dbvhi_text *text ) {
	dbvhi_stream *s = text->stream;
	DBVHI_ASSERT( s->at < s->end && is_line_end( *s->at ) );
	const bool is_return = *s->at == '\r', is_double = is_return && dbvhi_stream_has( s, 2 ) && s->at[1] == '\n';
	s->at += is_double ? 2 : 1;
	text->line += 1;
	text->lone_return = is_return && !is_double;
}

// Does the backslash `ahead` of the stream join this line with the next?
static bool joins( const dbvhi_text *text, size_t ahead ) {
	return text->continued && dbvhi_stream_has( text->stream, ahead + 2 ) && is_line_end( text->stream->at[ahead + 1] );
}

static void skip_line( dbvhi_stream *s ) {
	do {
		const char *at = s->at, *const end = s->end;
		while ( at < end && !is_line_end( *at ) )
			at += 1;
		s->at = at;
	} while ( s->at == s->end && dbvhi_stream_more( s ) );
}

// Blanks, and ends of lines that are joined. False where the line or the text ends.
static inline bool skip_blanks( dbvhi_text *text ) {
	dbvhi_stream *s = text->stream;
	for ( ;; ) {
		const char *at = s->at, *const end = s->end;
		while ( at < end && is_blank( *at ) )
			at += 1;
		s->at = at;
		if ( at == end ) {
			if ( !dbvhi_stream_more( s ) )
				return false;
		} else if ( is_line_end( *at ) ) {
			return false;
		} else if ( *at != '\\' || !joins( text, 0 ) ) {
			return true;
		} else {
			s->at += 1;
			pass_line_end( text );
		}
	}
}

// The first byte from `at` on that may end a word: none above a space but a backslash. Eight at a time (Mycroft's test
// for a byte below a bound; what it flags beyond the first one may be wrong).
static inline const char *skip_letters( const char *at, const char *end ) {
	const uint64_t ones = UINT64_C( 0x0101010101010101 );
	for ( ; end - at >= 8; at += 8 ) {
		const uint64_t bytes = dbvhi_bytes_get( (const uint8_t *)at, 8, false ), slashes = bytes ^ ( '\\' * ones );
		const uint64_t found =
		    ( ( ( bytes - ( ' ' + 1 ) * ones ) & ~bytes ) | ( ( slashes - ones ) & ~slashes ) ) & ( 0x80 * ones );
		if ( found != 0 )
			return at + __builtin_ctzll( found ) / 8;
	}
	while ( at < end && (uint8_t)*at > ' ' && *at != '\\' )
		at += 1;
	return at;
}

// How many characters the word has that begins where the stream is. All of it is at hand then.
static inline size_t word_length( dbvhi_text *text ) {
	dbvhi_stream *s = text->stream;
	size_t length = 0;
	for ( ;; ) {
		const char *at = skip_letters( s->at + length, s->end );
		length = (size_t)( at - s->at );
		if ( at == s->end ) {
			if ( !dbvhi_stream_more( s ) )
				return length;
			continue;
		}
		if ( is_blank( *at ) || is_line_end( *at ) || ( *at == '\\' && joins( text, length ) ) )
			return length;
		length += 1;
	}
}

bool dbvhi_text_word( dbvhi_text *text, dbvhi_word *word ) {
	dbvhi_stream *s = text->stream;
	if ( !skip_blanks( text ) )
		return false;
	if ( text->comment != '\0' && *s->at == text->comment ) {
		skip_line( s );
		return false;
	}
	const size_t length = word_length( text );
	*word = ( dbvhi_word ){ .begin = s->at, .length = length };
	s->at += length;
	return true;
}

bool dbvhi_text_next_line( dbvhi_text *text ) {
	dbvhi_stream *s = text->stream;
	if ( text->continued ) {
		// The rest may be joined with further lines; only words know.
		dbvhi_word rest;
		while ( dbvhi_text_word( text, &rest ) )
			continue;
	} else {
		skip_line( s );
	}
	if ( s->at == s->end )
		return false;
	pass_line_end( text );
	return dbvhi_stream_has( s, 1 );
}

void dbvhi_text_back( dbvhi_text *text, dbvhi_word word, size_t length ) {
	DBVHI_ASSERT( word.begin + word.length <= text->stream->at && length <= word.length );
	text->stream->at = word.begin + length;
}

void dbvhi_text_hold_line( dbvhi_text *text ) {
	dbvhi_stream *s = text->stream;
	for ( size_t ahead = 0;; ++ahead ) {
		if ( !dbvhi_stream_has( s, ahead + 1 ) || is_line_end( s->at[ahead] ) )
			return;
	}
}

bool dbvhi_text_word_anywhere( dbvhi_text *text, dbvhi_word *word ) {
	while ( !dbvhi_text_word( text, word ) )
		if ( !dbvhi_text_next_line( text ) )
			return false;
	return true;
}

bool dbvhi_word_is( dbvhi_word word, const char *lower_case ) {
	DBVHI_ASSERT( lower_case != NULL );
	if ( word.length != strlen( lower_case ) )
		return false;
	for ( size_t i = 0; i < word.length; ++i ) {
		const char c = word.begin[i];
		if ( ( c >= 'A' && c <= 'Z' ? (char)( c - 'A' + 'a' ) : c ) != lower_case[i] )
			return false;
	}
	return true;
}

const char *dbvhi_word_show( dbvhi_word word, char room[DBVHI_WORD_ROOM] ) {
	const size_t shown = word.length < 40 ? word.length : 40;
	for ( size_t i = 0; i < shown; ++i )
		room[i] = word.begin[i] >= ' ' && word.begin[i] <= '~' ? word.begin[i] : '?';
	strcpy( room + shown, shown < word.length ? "..." : "" );
	return room;
}
