// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "poses.h"

#include "command.h"
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 16384 };

typedef struct reader {
	FILE *file;
	const char *name;
	size_t line; // from 1
	char text[LINE_ROOM];
} reader;

void poses_free( pose_list *list ) {
	free( list->poses );
	*list = ( pose_list ){ 0 };
}

bool poses_append( pose_list *list, const dbvh_pose *pose ) {
	if ( list->count == list->capacity ) {
		const size_t capacity = list->capacity + list->capacity / 2 + 64;
		dbvh_pose *grown = realloc( list->poses, capacity * sizeof( *grown ) );
		if ( grown == NULL ) {
			complain( "no memory for more than %zu poses", list->count );
			return false;
		}
		list->poses = grown;
		list->capacity = capacity;
	}
	list->poses[list->count++] = *pose;
	return true;
}

// Line 0: not from a file.
static bool refuse( const reader *r, const char *text ) {
	if ( r->line > 0 )
		complain( "%s:%zu: %s", r->name, r->line, text );
	else
		complain( "%s: %s", r->name, text );
	return false;
}

typedef enum { LINE_READ, LINE_NONE, LINE_BAD } line_state;

static line_state next_line( reader *r ) {
	size_t n = 0;
	int c = getc( r->file );
	if ( c == EOF )
		return LINE_NONE;
	++r->line;
	for ( ; c != EOF && c != '\n'; c = getc( r->file ) ) {
		if ( c == '\0' ) {
			refuse( r, "there is a zero byte here: this is not a text file" );
			return LINE_BAD;
		}
		if ( n + 1 == LINE_ROOM ) {
			refuse( r, "the line is too long to be a pose" );
			return LINE_BAD;
		}
		r->text[n++] = (char)c;
	}
	r->text[n] = '\0';
	return LINE_READ;
}

// Twelve numbers from the line into `rows`. *found is how many stood there; false after a complaint.
static bool split_line( reader *r, double rows[12], int *found ) {
	static const char blanks[] = " \t\r\v\f";
	char *at = r->text;
	char *comment = strchr( at, '#' );
	if ( comment != NULL )
		*comment = '\0';
	if ( r->line == 1 && strncmp( at, "\xEF\xBB\xBF", 3 ) == 0 )
		at += 3; // a byte order mark, as some editors write
	*found = 0;
	for ( at += strspn( at, blanks ); *at != '\0'; at += strspn( at, blanks ) ) {
		char *word = at;
		char message[160];
		at += strcspn( at, blanks );
		if ( *at != '\0' )
			*at++ = '\0';
		double number;
		if ( !parse_real( word, &number ) ) {
			snprintf( message, sizeof( message ), "'%.60s' is not a number", word );
			return refuse( r, message );
		}
		if ( !isfinite( number ) ) {
			snprintf( message, sizeof( message ), "number %d, '%.60s', is not finite", *found + 1, word );
			return refuse( r, message );
		}
		if ( *found < 12 )
			rows[*found] = number;
		++*found;
	}
	return true;
}

static bool check_pose( const reader *r, const dbvh_pose *pose ) {
	char message[200];
	double deviation = 0.0;
	const dbvh_status status = dbvh_pose_check( pose, &deviation );
	if ( status == DBVH_OK )
		return true;
	if ( status == DBVH_NOT_RIGID && deviation <= DBVH_POSE_TOLERANCE )
		snprintf( message, sizeof( message ), "the 3x3 part is a mirror image, not a rotation" );
	else if ( status == DBVH_NOT_RIGID )
		snprintf( message, sizeof( message ),
		          "the 3x3 part R is not a rotation: R^T R differs from the identity by %.3g; at most %g is accepted",
		          deviation, DBVH_POSE_TOLERANCE );
	else
		snprintf( message, sizeof( message ), "%s", dbvh_status_text( status ) );
	return refuse( r, message );
}

// The pose in the line, if there is one. False after a complaint.
static bool read_pose( reader *r, dbvh_pose *out, bool *there ) {
	double rows[12];
	int found;
	if ( !split_line( r, rows, &found ) )
		return false;
	*there = found != 0;
	if ( found == 0 )
		return true;
	if ( found != 12 ) {
		char message[120];
		snprintf( message, sizeof( message ), "a pose is 12 numbers, the rows of [R|t]; there %s %d here",
		          found == 1 ? "is" : "are", found );
		return refuse( r, message );
	}
	*out = dbvh_pose_from_rows( rows );
	return check_pose( r, out );
}

static bool read_all( reader *r, pose_list *list ) {
	for ( ;; ) {
		const line_state state = next_line( r );
		if ( state == LINE_BAD )
			return false;
		if ( state == LINE_NONE )
			break;
		dbvh_pose pose;
		bool there;
		if ( !read_pose( r, &pose, &there ) )
			return false;
		if ( !there )
			continue;
		if ( !poses_append( list, &pose ) )
			return false;
	}
	if ( ferror( r->file ) ) {
		complain( "%s: cannot be read: %s", r->name, strerror( errno ) );
		return false;
	}
	if ( list->count == 0 )
		complain( "%s: there is no pose in it", r->name );
	return list->count > 0;
}

bool poses_read( const char *file, pose_list *list ) {
	static reader r; // large, and there is only one at a time
	const bool standard_input = strcmp( file, "-" ) == 0;
	*list = ( pose_list ){ 0 };
	r.name = standard_input ? "standard input" : file;
	r.line = 0;
	r.file = standard_input ? stdin : fopen( file, "rb" );
	if ( r.file == NULL ) {
		complain( "%s: cannot be opened: %s", file, strerror( errno ) );
		return false;
	}
	const bool good = read_all( &r, list );
	if ( !standard_input )
		fclose( r.file );
	if ( !good )
		poses_free( list );
	return good;
}

bool pose_argument( const char *option, const char *text, dbvh_pose *out ) {
	static reader r;
	if ( strpbrk( text, " ,\t\n" ) == NULL ) {
		pose_list list;
		if ( !poses_read( text, &list ) )
			return false;
		const bool one = list.count == 1;
		*out = list.poses[0];
		poses_free( &list );
		if ( !one )
			complain( "%s: %s takes one pose, and there are more", text, option );
		return one;
	}
	r.name = option;
	r.line = 0;
	if ( strlen( text ) >= LINE_ROOM )
		return refuse( &r, "this is too long to be a pose" );
	strcpy( r.text, text );
	for ( char *c = r.text; *c != '\0'; ++c )
		*c = *c == ',' || *c == '\n' ? ' ' : *c;
	bool there;
	if ( !read_pose( &r, out, &there ) )
		return false;
	return there || refuse( &r, "there is no pose in it" );
}
