// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/text.h"

#include "base/assert.h"

#include <string.h>

dbvhi_text dbvhi_text_make( const void *bytes, size_t count, char comment ) {
	return ( dbvhi_text ){ .at = bytes, .end = (const char *)bytes + count, .line = 1, .comment = comment };
}

static bool is_line_end( char c ) {
	return c == '\n' || c == '\r';
}

static bool is_blank( char c ) {
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static const char *after_line_end( const char *at, const char *end ) {
	DBVHI_ASSERT( at < end );
	return at[0] == '\r' && end - at > 1 && at[1] == '\n' ? at + 2 : at + 1;
}

// Whether a line is joined with the next one here.
static bool joins( const dbvhi_text *text, const char *at ) {
	return text->continued && *at == '\\' && text->end - at > 1 && is_line_end( at[1] );
}

static void skip_line( dbvhi_text *text ) {
	while ( text->at < text->end && !is_line_end( *text->at ) )
		text->at += 1;
}

bool dbvhi_text_word( dbvhi_text *text, dbvhi_word *word ) {
	DBVHI_ASSERT( text->at <= text->end );
	for ( ;; ) {
		while ( text->at < text->end && is_blank( *text->at ) )
			text->at += 1;
		if ( text->at == text->end || is_line_end( *text->at ) )
			return false;
		if ( !joins( text, text->at ) )
			break;
		text->at = after_line_end( text->at + 1, text->end );
		text->line += 1;
	}
	if ( text->comment != '\0' && *text->at == text->comment ) {
		skip_line( text );
		return false;
	}
	const char *at = text->at;
	while ( at < text->end && !is_blank( *at ) && !is_line_end( *at ) && !joins( text, at ) )
		at += 1;
	*word = ( dbvhi_word ){ .begin = text->at, .length = (size_t)( at - text->at ) };
	text->at = at;
	return true;
}

bool dbvhi_text_next_line( dbvhi_text *text ) {
	DBVHI_ASSERT( text->at <= text->end );
	if ( text->continued ) {
		// The rest may be joined with further lines; only words know.
		dbvhi_word rest;
		while ( dbvhi_text_word( text, &rest ) )
			continue;
	} else {
		skip_line( text );
	}
	if ( text->at == text->end )
		return false;
	text->at = after_line_end( text->at, text->end );
	text->line += 1;
	return text->at < text->end;
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
