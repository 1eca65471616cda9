// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/joints.h"

#include "model/links.h"
#include "model/refuse.h"
#include "text/grow.h"
#include "text/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scene_rows_free( scene_rows *rows ) {
	free( rows->values );
	*rows = ( scene_rows ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Columns

// Sort links by the place of their joints in the file, without memory (Shell 1959).
static void sort_links( const scene_model *model, uint32_t *links, size_t count ) {
	for ( size_t gap = count / 2; gap > 0; gap = gap > 2 ? gap * 5 / 11 : gap / 2 ) {
		for ( size_t i = gap; i < count; ++i ) {
			const uint32_t link = links[i];
			size_t at = i;
			for ( ; at >= gap && model->links[links[at - gap]].joint_number > model->links[link].joint_number;
			      at -= gap )
				links[at] = links[at - gap];
			links[at] = link;
		}
	}
}

size_t scene_joint_columns( const scene_model *model, uint32_t *links_out ) {
	size_t count = 0, first = 0; // first link of the robot; its links are consecutive
	for ( uint32_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		if ( link->parent == SCENE_NONE ) {
			sort_links( model, links_out + first, count - first );
			first = count;
		}
		if ( scene_joint_moves( link ) )
			links_out[count++] = i;
	}
	sort_links( model, links_out + first, count - first );
	return count;
}

typedef struct reader {
	scene_model *model;
	const double *start;
	scene_rows *out;
	dbvh_error *error;
	uint32_t *columns; // links
	size_t column_count;
	size_t capacity; // in rows
	size_t beyond;   // how many numbers are beyond the limits of their joints
	uint32_t beyond_link;
	bool has_heading;
	int64_t line;
} reader;

// "a, b, c", cut where it is long.
static void list_columns( const reader *r, char *text, size_t room ) {
	text[0] = '\0';
	for ( size_t i = 0; i < r->column_count; ++i ) {
		const char *name = r->model->links[r->columns[i]].joint;
		const size_t length = strlen( text );
		if ( length + strlen( name ) + 8 > room ) {
			strcpy( text + length, ", ..." );
			return;
		}
		snprintf( text + length, room - length, "%s%s", i > 0 ? ", " : "", name );
	}
}

static dbvh_status refuse_count( reader *r, size_t found ) {
	char names[150];
	if ( r->has_heading )
		return scene_refuse_at(
		    r->error, DBVH_MALFORMED, r->line, "the heading names %zu joint%s; there %s %zu number%s here",
		    r->column_count, SCENE_PLURAL( r->column_count ), found == 1 ? "is" : "are", found, SCENE_PLURAL( found ) );
	list_columns( r, names, sizeof names );
	return scene_refuse_at( r->error, DBVH_MALFORMED, r->line,
	                        "a row has a number for each joint that moves, %zu (%s); there %s %zu here",
	                        r->column_count, names, found == 1 ? "is" : "are", found );
}

// Append a row with the values of the start state. NULL: no memory.
static double *add_row( reader *r ) {
	const size_t width = r->model->link_count;
	if ( !scene_grow( &r->out->values, &r->capacity, r->out->count, width * sizeof( double ) ) ) {
		scene_refuse_memory( r->error );
		return NULL;
	}
	double *row = r->out->values + width * r->out->count++;
	if ( r->start != NULL )
		memcpy( row, r->start, width * sizeof *row );
	else
		memset( row, 0, width * sizeof *row );
	return row;
}

static void put( reader *r, double *row, size_t column, double value ) {
	const uint32_t number = r->columns[column];
	const scene_link *link = &r->model->links[number];
	if ( value < link->lower || value > link->upper ) {
		if ( r->beyond++ == 0 )
			r->beyond_link = number;
	}
	row[number] = value;
}

// ------------------------------------------------------------------------------------------------
// Text

typedef struct words {
	const char *at, *end; // the rest of the line
	char separator;       // ',' or ';', or ' ' where there is neither
} words;

static bool is_blank( char c ) {
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// The next word, without quotes. False behind the last one. A word may be empty: between two separators.
static bool next_word( words *w, const char **word, size_t *length ) {
	while ( w->at < w->end && is_blank( *w->at ) )
		++w->at;
	if ( w->at == w->end )
		return false;
	const char *from = w->at;
	while ( w->at < w->end && *w->at != w->separator && !( w->separator == ' ' && is_blank( *w->at ) ) )
		++w->at;
	const char *to = w->at;
	w->at += w->at < w->end;
	while ( to > from && is_blank( to[-1] ) )
		--to;
	if ( to - from >= 2 && *from == '"' && to[-1] == '"' ) {
		++from;
		--to;
	}
	*word = from;
	*length = (size_t)( to - from );
	return true;
}

static bool parse_number( const char *word, size_t length, double *out ) {
	char text[64], *end;
	if ( length == 0 || length >= sizeof text || memchr( word, 'x', length ) != NULL ||
	     memchr( word, 'X', length ) != NULL )
		return false;
	memcpy( text, word, length );
	text[length] = '\0';
	*out = strtod( text, &end );
	return *end == '\0';
}

static words words_of( const char *at, const char *end ) {
	const size_t length = (size_t)( end - at );
	const char separator = memchr( at, ';', length ) != NULL ? ';' : memchr( at, ',', length ) != NULL ? ',' : ' ';
	return ( words ){ at, end, separator };
}

// A first line in which no word is a number is a heading.
static bool is_heading( words w ) {
	const char *word;
	size_t length, count = 0;
	double number;
	while ( next_word( &w, &word, &length ) ) {
		if ( parse_number( word, length, &number ) )
			return false;
		++count;
	}
	return count > 0;
}

static dbvh_status name_column( reader *r, const scene_link_names *names, bool *seen, const char *name ) {
	char more[150];
	const uint32_t link = scene_names_find( &names->joints, name );
	if ( link == SCENE_NONE ) {
		scene_suggest( r->model, SCENE_KIN_JOINT, name, more, sizeof more );
		return scene_refuse_at( r->error, DBVH_MALFORMED, r->line, "the robot has no joint '%.60s'%s", name, more );
	}
	const scene_link *named = &r->model->links[link];
	if ( named->mimic != SCENE_NONE )
		return scene_refuse_at( r->error, DBVH_MALFORMED, r->line,
		                        "joint '%.80s' follows joint '%.80s'; it has no number of its own", name,
		                        r->model->links[named->mimic].joint );
	if ( !scene_joint_moves( named ) )
		return scene_refuse_at( r->error, DBVH_MALFORMED, r->line, "joint '%.80s' does not move", name );
	if ( seen[link] )
		return scene_refuse_at( r->error, DBVH_MALFORMED, r->line, "joint '%.80s' has two columns", name );
	seen[link] = true;
	r->columns[r->column_count++] = link;
	return DBVH_OK;
}

static dbvh_status read_heading( reader *r, words w ) {
	scene_link_names names;
	bool *seen = calloc( r->model->link_count + 1, sizeof *seen );
	if ( seen == NULL || !scene_link_names_make( r->model, &names ) ) {
		free( seen );
		return scene_refuse_memory( r->error );
	}
	dbvh_status status = DBVH_OK;
	const char *word;
	size_t length;
	r->column_count = 0;
	r->has_heading = true;
	while ( status == DBVH_OK && next_word( &w, &word, &length ) ) {
		char *name = malloc( length + 1 );
		if ( name == NULL ) {
			status = scene_refuse_memory( r->error );
			break;
		}
		memcpy( name, word, length );
		name[length] = '\0';
		status = name_column( r, &names, seen, name );
		free( name );
	}
	free( seen );
	scene_link_names_free( &names );
	return status;
}

static dbvh_status refuse_word( reader *r, const words *w, const char *word, size_t length ) {
	if ( length == 0 )
		return scene_refuse_at( r->error, DBVH_MALFORMED, r->line, "there is no number before a '%c'", w->separator );
	return scene_refuse_at(
	    r->error, DBVH_MALFORMED, r->line, "'%.*s' is not a number%s", (int)( length < 60 ? length : 60 ), word,
	    w->separator == ';' && memchr( word, ',', length ) != NULL ? "; decimals have a point" : "" );
}

static dbvh_status read_row( reader *r, words w ) {
	const char *word;
	size_t length, found = 0;
	double *row = NULL;
	while ( next_word( &w, &word, &length ) ) {
		double value;
		if ( !parse_number( word, length, &value ) )
			return refuse_word( r, &w, word, length );
		if ( !isfinite( value ) )
			return scene_refuse_at( r->error, DBVH_NOT_FINITE, r->line, "'%.*s' is not finite", (int)length, word );
		if ( row == NULL && ( row = add_row( r ) ) == NULL )
			return DBVH_OUT_OF_MEMORY;
		if ( found < r->column_count )
			put( r, row, found, value );
		++found;
	}
	return found == r->column_count || found == 0 ? DBVH_OK : refuse_count( r, found );
}

static dbvh_status read_text( reader *r, const char *at, const char *end ) {
	if ( end - at >= 3 && memcmp( at, "\xEF\xBB\xBF", 3 ) == 0 )
		at += 3; // a byte order mark, as some editors write
	bool is_first = true;
	while ( at < end ) {
		const char *stop = memchr( at, '\n', (size_t)( end - at ) );
		stop = stop != NULL ? stop : end;
		const char *comment = memchr( at, '#', (size_t)( stop - at ) );
		const words w = words_of( at, comment != NULL ? comment : stop );
		++r->line;
		const bool heading = is_first && is_heading( w );
		const dbvh_status status = heading ? read_heading( r, w ) : read_row( r, w );
		if ( status != DBVH_OK )
			return status;
		is_first = is_first && !heading && r->out->count == 0;
		at = stop + ( stop < end );
	}
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Arrays

static dbvh_status read_array( reader *r, const unsigned char *bytes, size_t count ) {
	npy_array array;
	if ( !npy_read( bytes, count, &array, r->error ) )
		return r->error->status;
	if ( array.rank != 2 )
		return scene_refuse( r->error, DBVH_MALFORMED,
		                     "the array has %d dimension%s; rows of joints have two: configurations, then joints",
		                     array.rank, SCENE_PLURAL( array.rank ) );
	if ( array.shape[0] > 0 && array.shape[1] != r->column_count )
		return refuse_count( r, array.shape[1] );
	for ( size_t i = 0; i < array.shape[0]; ++i ) {
		double *row = add_row( r );
		if ( row == NULL )
			return DBVH_OUT_OF_MEMORY;
		for ( size_t k = 0; k < r->column_count; ++k ) {
			const double value = npy_at( &array, i, k, 0 );
			if ( !isfinite( value ) ) {
				scene_refuse( r->error, DBVH_NOT_FINITE, "number [%zu, %zu] is not finite", i, k );
				r->error->element = (int64_t)i;
				return DBVH_NOT_FINITE;
			}
			put( r, row, k, value );
		}
	}
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------

static dbvh_status read( reader *r, const unsigned char *bytes, size_t count ) {
	r->column_count = scene_joint_columns( r->model, r->columns );
	if ( r->column_count == 0 )
		return scene_refuse( r->error, DBVH_INVALID_ARGUMENT,
		                     "no joint moves: there is nothing that rows could be of" );
	dbvh_status status = npy_is( bytes, count ) ? read_array( r, bytes, count )
	                                            : read_text( r, (const char *)bytes, (const char *)bytes + count );
	if ( status == DBVH_OK && r->out->count == 0 )
		status = scene_refuse( r->error, DBVH_EMPTY, "there is no row of joints" );
	if ( status == DBVH_OK && r->beyond > 0 &&
	     !scene_add_note( r->model, "%zu number%s of joints %s beyond the limits, the first of joint '%s'", r->beyond,
	                      SCENE_PLURAL( r->beyond ), r->beyond == 1 ? "is" : "are",
	                      r->model->links[r->beyond_link].joint ) )
		status = scene_refuse_memory( r->error );
	return status;
}

dbvh_status scene_read_joints( const unsigned char *bytes, size_t count, scene_model *model, const double *start,
                               scene_rows *out, dbvh_error *error ) {
	dbvh_error local;
	error = error != NULL ? error : &local;
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	*out = ( scene_rows ){ 0 };
	reader r = { .model = model, .start = start, .out = out, .error = error };
	r.columns = malloc( ( model->link_count + 1 ) * sizeof *r.columns );
	const dbvh_status status = r.columns != NULL ? read( &r, bytes, count ) : scene_refuse_memory( error );
	free( r.columns );
	if ( status != DBVH_OK )
		scene_rows_free( out );
	return status;
}
