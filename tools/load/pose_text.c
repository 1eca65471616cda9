// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses in text: tables of numbers, a line each, or a matrix in four lines.

#include "load/pose_intake.h"
#include "text/number.h"
#include "text/reason.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 16384, TIME = 7, COLUMNS = 8 };

typedef struct reader {
	pose_intake *in;
	FILE *file;
	int column[COLUMNS]; // place of each column's number, if a heading gives it
	int column_count;    // 0: none did
	bool has_heading;
	double number[POSE_MOST_NUMBERS]; // numbers of the current pose
	char text[LINE_ROOM];
} reader;

typedef enum { LINE_READ, LINE_NONE, LINE_BAD } line_state;

static line_state next_line( reader *r ) {
	size_t n = 0;
	int c = getc( r->file );
	if ( c == EOF )
		return LINE_NONE;
	++r->in->line;
	for ( ; c != EOF && c != '\n'; c = getc( r->file ) ) {
		if ( c == '\0' ) {
			pose_refuse( r->in, "there is a zero byte here: this is not a text file" );
			return LINE_BAD;
		}
		if ( n + 1 == LINE_ROOM ) {
			pose_refuse( r->in, "the line is too long to be a pose" );
			return LINE_BAD;
		}
		r->text[n++] = (char)c;
	}
	r->text[n] = '\0';
	return LINE_READ;
}

// ------------------------------------------------------------------------------------------------
// A line of a table

static const char blanks[] = " \t\r\v\f";

// The next word of the line, terminated and without quotes. *at is NULL behind the last one. False after a complaint:
// there is nothing between two separators.
static bool next_word( const reader *r, char **at, char separator, char **word ) {
	char *c = *at + strspn( *at, blanks );
	*word = NULL;
	if ( *c == '\0' ) {
		*at = NULL;
		return true;
	}
	if ( *c == separator )
		return pose_refuse( r->in, "there is no number before a '%c'", separator );
	*word = c;
	while ( *c != '\0' && *c != separator && strchr( blanks, *c ) == NULL )
		++c;
	char *end = c;
	c += strspn( c, blanks );
	if ( *c == separator )
		++c;
	*at = c;
	*end = '\0';
	if ( end - *word >= 2 && **word == '"' && end[-1] == '"' ) {
		end[-1] = '\0';
		++*word;
	}
	return true;
}

// The place of a named column in tx ty tz qx qy qz qw time; -1: unknown.
static int place_of( const char *name ) {
	static const char *const names[COLUMNS][4] = { { "tx", "x", "px", "tx" },  { "ty", "y", "py", "ty" },
	                                               { "tz", "z", "pz", "tz" },  { "qx", "qx", "rx", "qx" },
	                                               { "qy", "qy", "ry", "qy" }, { "qz", "qz", "rz", "qz" },
	                                               { "qw", "w", "rw", "qw" },  { "time", "t", "stamp", "timestamp" } };
	char lower[10] = "";
	for ( size_t i = 0; name[i] != '\0'; ++i ) {
		if ( i + 1 == sizeof lower )
			return -1;
		lower[i] = (char)tolower( (unsigned char)name[i] );
	}
	for ( int i = 0; i < COLUMNS; ++i )
		for ( int k = 0; k < 4; ++k )
			if ( strcmp( lower, names[i][k] ) == 0 )
				return i;
	return -1;
}

// A heading, from its first word on. One that names the seven columns, with or without a time, says their order; any
// other says nothing.
static bool read_heading( reader *r, char *word, char *at, char separator ) {
	unsigned seen = 0;
	int count = 0;
	bool known = true;
	for ( ;; ) {
		const int place = place_of( word );
		known = known && place >= 0 && count < COLUMNS && ( seen >> place & 1 ) == 0;
		if ( known ) {
			seen |= 1u << place;
			r->column[count] = place;
		}
		++count;
		if ( !next_word( r, &at, separator, &word ) )
			return false;
		if ( word == NULL )
			break;
	}
	const bool has_time = ( seen >> TIME & 1 ) != 0;
	r->column_count = known && count == TIME + has_time ? count : 0;
	r->has_heading = true;
	// Names go before --pose-format.
	if ( r->column_count > 0 && r->in->format == POSES_T_WXYZ )
		r->in->format = POSES_T_XYZW;
	return true;
}

// Is there no number in the rest of the line, but two names at least? One number among them, and something is mistyped.
static bool is_heading( const reader *r, const char *at, char separator ) {
	static char rest[LINE_ROOM];
	if ( at == NULL || r->in->line == 0 || r->has_heading || r->in->list->count > 0 )
		return false;
	strcpy( rest, at );
	size_t names = 1;
	for ( char *look = rest, *word; look != NULL; ++names ) {
		double x;
		look += strspn( look, blanks );
		if ( *look == separator || !next_word( r, &look, separator, &word ) || word == NULL )
			break;
		if ( parse_real( word, &x ) )
			return false;
	}
	return names > 1;
}

// The numbers of the line behind the `before` that r->number has already. *found is how many; false after a complaint.
static bool split_line( reader *r, int before, int *found ) {
	char *at = r->text;
	char *comment = strchr( at, '#' );
	if ( comment != NULL )
		*comment = '\0';
	if ( r->in->line == 1 && strncmp( at, "\xEF\xBB\xBF", 3 ) == 0 )
		at += 3; // a byte order mark, as some editors write
	// With a semicolon between numbers, a comma would be a decimal one.
	const char separator = strchr( at, ';' ) != NULL ? ';' : ',';
	*found = 0;
	for ( ;; ) {
		char *word;
		if ( !next_word( r, &at, separator, &word ) )
			return false;
		if ( word == NULL )
			return true;
		double number;
		if ( !parse_real( word, &number ) ) {
			if ( *found == 0 && before == 0 && is_heading( r, at, separator ) )
				return read_heading( r, word, at, separator );
			return pose_refuse( r->in, "'%.60s' is not a number%s", word,
			                    separator == ';' && strchr( word, ',' ) != NULL ? "; decimals have a point" : "" );
		}
		if ( !isfinite( number ) )
			return pose_refuse( r->in, "number %d, '%.60s', is not finite", *found + 1, word );
		if ( before + *found < POSE_MOST_NUMBERS )
			r->number[before + *found] = number;
		++*found;
	}
}

// ------------------------------------------------------------------------------------------------
// A pose

// The numbers of one line, in the order of the format: that in which the heading named them.
static void reorder( reader *r ) {
	double named[COLUMNS];
	const int shift = r->column_count == COLUMNS; // the time goes first
	for ( int i = 0; i < r->column_count; ++i )
		named[r->column[i] == TIME ? 0 : r->column[i] + shift] = r->number[i];
	memcpy( r->number, named, (size_t)r->column_count * sizeof *named );
}

// The rows 1 to 3 of a matrix in four lines.
static bool read_rows( reader *r ) {
	for ( int row = 1; row < 4; ++row ) {
		int more = 0;
		while ( more == 0 ) {
			const line_state state = next_line( r );
			if ( state == LINE_BAD )
				return false;
			if ( state == LINE_NONE )
				return pose_refuse( r->in, "the file ends in row %d of a 4 x 4 matrix", row );
			if ( !split_line( r, 4 * row, &more ) )
				return false;
		}
		if ( more != 4 )
			return pose_refuse( r->in, "row %d of a 4 x 4 matrix has 4 numbers; there %s %d here", row,
			                    more == 1 ? "is" : "are", more );
	}
	return true;
}

// Takes the pose that begins in the line, if there is one. False after a complaint.
static bool read_pose( reader *r ) {
	pose_intake *in = r->in;
	int found;
	if ( !split_line( r, 0, &found ) )
		return false;
	if ( found == 0 )
		return true;
	if ( in->format == POSES_AUTO && !pose_find_format( in, (size_t)found ) )
		return false;
	const bool is_matrix = in->format == POSES_ROWS16 || in->format == POSES_COLUMNS16;
	if ( in->line > 0 && found == 4 && is_matrix ? !read_rows( r ) : !pose_check_count( in, (size_t)found ) )
		return false;
	if ( r->column_count == found )
		reorder( r );
	return pose_take( in, r->number );
}

bool pose_read_text( pose_intake *in, FILE *file ) {
	static reader r; // large, and there is only one at a time
	r.in = in;
	r.file = file;
	r.column_count = 0;
	r.has_heading = false;
	for ( ;; ) {
		const line_state state = next_line( &r );
		if ( state == LINE_BAD )
			return false;
		if ( state == LINE_NONE )
			break;
		if ( !read_pose( &r ) )
			return false;
	}
	if ( ferror( file ) )
		complain( "%s: cannot be read: %s", in->name, reason_of( errno ) );
	return !ferror( file );
}

bool pose_read_argument( pose_intake *in, const char *text ) {
	static reader r;
	r.in = in;
	if ( strlen( text ) >= LINE_ROOM )
		return pose_refuse( in, "this is too long to be a pose" );
	strcpy( r.text, text );
	for ( char *c = r.text; *c != '\0'; ++c )
		*c = *c == '\n' ? ' ' : *c;
	return read_pose( &r );
}
