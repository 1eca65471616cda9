// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/review.h"

#include "model/whole_file.h"
#include "text/day.h"
#include "text/grow.h"
#include "text/hash.h"
#include "text/number.h"
#include "text/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_KEY "review"
#define FORMAT "dualbvh 2"
#define OLD_FORMAT "dualbvh 1" // names stand as they are, without escapes

// ------------------------------------------------------------------------------------------------
// Reading

typedef struct reader {
	scene_earlier *e;
	uint32_t body;        // the paragraph is about it; SCENE_NONE: about none
	earlier_clash *clash; // the paragraph is about it; NULL: about none
	bool has_kind, has_ends[2], has_begun, has_rules;
	bool is_old;  // the file is of OLD_FORMAT
	int64_t line; // first line of the paragraph
	dbvh_error *error;
} reader;

#define BAD_ESCAPE "a backslash of a name is not the first of two, and not that of a byte, such as \\x20"

static dbvh_status complain_at( dbvh_error *error, int64_t line, const char *format, const char *what ) {
	*error = ( dbvh_error ){ .status = DBVH_MALFORMED, .line = line, .byte = -1, .element = -1 };
	snprintf( error->text, sizeof error->text, format, what );
	return DBVH_MALFORMED;
}

static dbvh_status out_of_memory( dbvh_error *error ) {
	*error = ( dbvh_error ){ .status = DBVH_OUT_OF_MEMORY, .byte = -1, .element = -1 };
	return DBVH_OUT_OF_MEMORY;
}

// `count` numbers with blanks between them.
static bool parse_row( const char *text, double *out, int count ) {
	for ( int i = 0; i < count; ++i ) {
		char word[64];
		text += strspn( text, " \t" );
		const size_t length = strcspn( text, " \t" );
		if ( length == 0 || length >= sizeof word )
			return false;
		memcpy( word, text, length );
		word[length] = '\0';
		if ( !parse_real( word, &out[i] ) || !isfinite( out[i] ) )
			return false;
		text += length;
	}
	return text[strspn( text, " \t" )] == '\0';
}

typedef enum value_kind {
	VALUE_HASH,
	VALUE_REALS,
	VALUE_NAME, // a name of the model, with escapes
	VALUE_TEXT, // written by people; not empty
	VALUE_DAY,
	VALUE_SEVERITY,
	VALUE_COMMENT,
	VALUE_TIME,
	VALUE_SEEN
} value_kind;

typedef struct key {
	const char *name;
	value_kind kind;
	size_t at;  // offset of the value
	size_t has; // offset of a bool, or 0
	int count;  // how many reals
} key;

#define BODY( member ) offsetof( earlier_body, member )
#define CLASH( member ) offsetof( earlier_clash, member )
static const key body_keys[] = { { "guid", VALUE_NAME, BODY( guid ), 0, 0 },
                                 { "shape", VALUE_HASH, BODY( shape ), BODY( has_shape ), 0 },
                                 { "fingerprint", VALUE_HASH, BODY( fingerprint ), BODY( has_fingerprint ), 0 },
                                 { "pose", VALUE_REALS, BODY( pose ), BODY( has_pose ), 12 } };
static const key clash_keys[] = {
    { "rule", VALUE_NAME, CLASH( rule ), 0, 0 },
    { "severity", VALUE_SEVERITY, CLASH( severity ), CLASH( has_severity ), 0 },
    { "depth", VALUE_REALS, CLASH( depth ), CLASH( has_depth ), 2 },
    { "volume", VALUE_REALS, CLASH( volume ), CLASH( has_volume ), 2 },
    { "distance", VALUE_REALS, CLASH( distance ), CLASH( has_distance ), 1 },
    { "at", VALUE_REALS, CLASH( middle.world ), CLASH( middle.is_known ), 3 },
    { "in-a", VALUE_REALS, CLASH( middle.in_a ), CLASH( middle.is_in_a ), 3 },
    { "in-b", VALUE_REALS, CLASH( middle.in_b ), CLASH( middle.is_in_b ), 3 },
    { "point", VALUE_REALS, CLASH( point.world ), CLASH( point.is_known ), 3 },
    { "point-in-a", VALUE_REALS, CLASH( point.in_a ), CLASH( point.is_in_a ), 3 },
    { "point-in-b", VALUE_REALS, CLASH( point.in_b ), CLASH( point.is_in_b ), 3 },
    { "terms", VALUE_HASH, CLASH( terms ), CLASH( has_terms ), 0 },
    { "found", VALUE_DAY, CLASH( review.found ), 0, 0 },
    { "status", VALUE_TEXT, CLASH( review.status ), 0, 0 },
    { "assignee", VALUE_TEXT, CLASH( review.assignee ), 0, 0 },
    { "edited", VALUE_TIME, CLASH( review.edited ), 0, 0 },
    { "edited-as", VALUE_HASH, CLASH( review.edited_as ), CLASH( review.has_edited_as ), 0 },
    { "accepted", VALUE_TEXT, CLASH( review.accepted ), 0, 0 },
    { "by", VALUE_TEXT, CLASH( review.by ), 0, 0 },
    { "until", VALUE_DAY, CLASH( review.until ), 0, 0 },
    { "lapsed", VALUE_TEXT, CLASH( review.lapsed ), 0, 0 },
    { "unsure", VALUE_DAY, CLASH( review.unsure ), 0, 0 },
    { "resolved", VALUE_DAY, CLASH( review.resolved ), 0, 0 },
    { "gone", VALUE_TEXT, CLASH( review.gone ), 0, 0 },
    { "comment", VALUE_COMMENT, CLASH( review.comments ), 0, 0 },
    { "seen", VALUE_SEEN, CLASH( review.seen ), 0, 0 } };
enum { BODY_KEYS = sizeof body_keys / sizeof body_keys[0], CLASH_KEYS = sizeof clash_keys / sizeof clash_keys[0] };

bool scene_review_comment( earlier_review *review, const char *text ) {
	char *made = scene_copy( text );
	if ( made == NULL || !scene_grow( &review->comments, &review->comment_capacity, review->comment_count,
	                                  sizeof *review->comments ) ) {
		free( made );
		return false;
	}
	review->comments[review->comment_count++] = made;
	return true;
}

bool scene_review_see( earlier_review *review, uint64_t hash ) {
	if ( !scene_grow( &review->seen, &review->seen_capacity, review->seen_count, sizeof *review->seen ) )
		return false;
	review->seen[review->seen_count++] = hash;
	return true;
}

static int digit_of( char c ) {
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Undo the escapes of put_name(), in place. False where one is none.
static bool read_escapes( char *text ) {
	char *to = text;
	for ( const char *at = text; *at != '\0'; ++at ) {
		if ( *at != '\\' ) {
			*to++ = *at;
			continue;
		}
		++at;
		if ( *at == '\\' ) {
			*to++ = *at;
			continue;
		}
		const int high = *at == 'x' ? digit_of( at[1] ) : -1, low = high >= 0 ? digit_of( at[2] ) : -1;
		if ( low < 0 || 16 * high + low == 0 )
			return false;
		*to++ = (char)( 16 * high + low );
		at += 2;
	}
	*to = '\0';
	return true;
}

static dbvh_status set_text( const key *k, char **text, const char *value, int64_t line, dbvh_error *error ) {
	if ( *value == '\0' )
		return complain_at( error, line, "'%s' has no value; a line that is not wanted can be deleted", k->name );
	if ( k->kind == VALUE_DAY && !scene_day_is_valid( value ) )
		return complain_at( error, line, "'%s' takes a day, such as 2026-12-31", k->name );
	int64_t time;
	if ( k->kind == VALUE_TIME && !scene_time_read( value, &time ) )
		return complain_at( error, line, "'%s' takes a time, such as 2026-12-31T12:00:00Z", k->name );
	if ( *text != NULL )
		return complain_at( error, line, "'%s' is there twice", k->name );
	*text = scene_copy( value );
	return *text != NULL ? DBVH_OK : out_of_memory( error );
}

static dbvh_status set_seen( const reader *r, const key *k, earlier_review *review, const char *value, int64_t line ) {
	uint64_t hash;
	if ( !scene_hash_read( value, strlen( value ), &hash ) )
		return complain_at( r->error, line, "'%s' takes sixteen hexadecimal digits", k->name );
	return scene_review_see( review, hash ) ? DBVH_OK : out_of_memory( r->error );
}

static dbvh_status set_value( const reader *r, const key *k, void *object, char *value, int64_t line ) {
	char *at = (char *)object + k->at;
	if ( k->has != 0 ) {
		bool *has = (bool *)( (char *)object + k->has );
		if ( *has )
			return complain_at( r->error, line, "'%s' is there twice", k->name );
		*has = true;
	}
	switch ( k->kind ) {
	case VALUE_HASH:
		return scene_hash_read( value, strlen( value ), (uint64_t *)(void *)at )
		           ? DBVH_OK
		           : complain_at( r->error, line, "'%s' takes sixteen hexadecimal digits", k->name );
	case VALUE_SEVERITY:
		return scene_severity_read( value, (scene_severity *)(void *)at )
		           ? DBVH_OK
		           : complain_at( r->error, line, "'%s' takes " SCENE_SEVERITY_WORDS, k->name );
	case VALUE_REALS:
		if ( !parse_row( value, (double *)(void *)at, k->count ) )
			return complain_at( r->error, line, "the numbers of '%s' are too few, too many, or none", k->name );
		return k->count != 2 || ( (double *)(void *)at )[0] <= ( (double *)(void *)at )[1]
		           ? DBVH_OK
		           : complain_at( r->error, line, "'%s' takes two numbers, the least first", k->name );
	case VALUE_NAME:
		if ( !r->is_old && !read_escapes( value ) )
			return complain_at( r->error, line, "%s", BAD_ESCAPE );
		break;
	case VALUE_SEEN:
		return set_seen( r, k, &( (earlier_clash *)object )->review, value, line );
	case VALUE_COMMENT:
		if ( *value != '\0' )
			return scene_review_comment( &( (earlier_clash *)object )->review, value ) ? DBVH_OK
			                                                                           : out_of_memory( r->error );
		break;
	default:
		break;
	}
	return set_text( k, (char **)(void *)at, value, line, r->error );
}

static dbvh_status set_by_key( const reader *r, const key *keys, int count, void *object, const char *name, char *value,
                               int64_t line ) {
	const char *names[CLASH_KEYS];
	for ( int i = 0; i < count; ++i ) {
		if ( strcmp( keys[i].name, name ) == 0 )
			return set_value( r, &keys[i], object, value, line );
		names[i] = keys[i].name;
	}
	const char *near = suggest( name, strlen( name ), names, (size_t)count );
	char what[160];
	snprintf( what, sizeof what, "'%.60s' is no key here%s%s%s", name, near != NULL ? "; '" : "",
	          near != NULL ? near : "", near != NULL ? "' is one" : "" );
	return complain_at( r->error, line, "%s", what );
}

static void find_frames( earlier_place *p ) {
	p->has_frames = p->is_known && p->is_in_a && p->is_in_b;
}

// Is the paragraph whole?
static dbvh_status end_paragraph( reader *r ) {
	earlier_clash *c = r->clash;
	if ( c != NULL ) {
		find_frames( &c->middle );
		find_frames( &c->point );
	}
	const bool is_short = c != NULL && ( !r->has_kind || !r->has_ends[0] || !r->has_ends[1] );
	const bool has_no_reason =
	    c != NULL && c->review.until != NULL && c->review.accepted == NULL && c->review.lapsed == NULL;
	r->body = SCENE_NONE;
	r->clash = NULL;
	r->has_kind = r->has_ends[0] = r->has_ends[1] = false;
	if ( is_short )
		return complain_at( r->error, r->line, "%s", "the clash lacks one of a, b and kind" );
	return has_no_reason ? complain_at( r->error, r->line, "%s", "'until' needs 'accepted', with a reason" ) : DBVH_OK;
}

static dbvh_status begin_clash( reader *r, const char *id, int64_t line ) {
	uint64_t hash;
	if ( !scene_hash_read( id, strlen( id ), &hash ) )
		return complain_at( r->error, line, "%s", "the id of a clash is not sixteen hexadecimal digits" );
	r->clash = scene_earlier_add( r->e );
	if ( r->clash == NULL )
		return out_of_memory( r->error );
	r->clash->id = hash;
	r->line = line;
	return DBVH_OK;
}

static dbvh_status begin_body( reader *r, char *path, int64_t line ) {
	if ( !r->is_old && !read_escapes( path ) )
		return complain_at( r->error, line, "%s", BAD_ESCAPE );
	const uint32_t number = scene_earlier_body( r->e, path );
	if ( number == SCENE_NONE )
		return out_of_memory( r->error );
	// Two branches may have added the body: the second paragraph holds.
	free( r->e->bodies[number].guid );
	r->e->bodies[number] = ( earlier_body ){ .path = r->e->bodies[number].path, .now = SCENE_NONE };
	r->body = number;
	r->line = line;
	return DBVH_OK;
}

static dbvh_status read_end( reader *r, int which, char *path, int64_t line ) {
	if ( r->has_ends[which] )
		return complain_at( r->error, line, "'%s' is there twice", which == 0 ? "a" : "b" );
	if ( !r->is_old && !read_escapes( path ) )
		return complain_at( r->error, line, "%s", BAD_ESCAPE );
	const uint32_t number = scene_earlier_body( r->e, path );
	r->has_ends[which] = true;
	*( which == 0 ? &r->clash->a : &r->clash->b ) = number;
	return number != SCENE_NONE ? DBVH_OK : out_of_memory( r->error );
}

static dbvh_status read_first( reader *r, const char *name, const char *value, int64_t line ) {
	if ( strcmp( name, "rules" ) == 0 && r->has_begun ) {
		if ( r->has_rules )
			return complain_at( r->error, line, "%s", "'rules' is there twice" );
		r->has_rules = true;
		return scene_hash_read( value, strlen( value ), &r->e->rules )
		           ? DBVH_OK
		           : complain_at( r->error, line, "%s", "'rules' takes sixteen hexadecimal digits" );
	}
	if ( strcmp( name, "metres" ) == 0 && r->has_begun ) {
		if ( r->e->metres > 0.0 )
			return complain_at( r->error, line, "%s", "'metres' is there twice" );
		return parse_row( value, &r->e->metres, 1 ) && r->e->metres > 0.0
		           ? DBVH_OK
		           : complain_at( r->error, line, "%s", "'metres' takes the length of one unit, a number above 0" );
	}
	if ( strcmp( name, FIRST_KEY ) != 0 || r->has_begun )
		return complain_at( r->error, line, "%s", "a paragraph begins with 'body:' or 'clash:'" );
	r->has_begun = true;
	r->is_old = strcmp( value, OLD_FORMAT ) == 0;
	return r->is_old || strcmp( value, FORMAT ) == 0
	           ? DBVH_OK
	           : complain_at( r->error, line, "%s", "the file does not begin with 'review: " FORMAT "'" );
}

static dbvh_status read_field( reader *r, const char *name, char *value, int64_t line ) {
	if ( !r->has_begun && strcmp( name, FIRST_KEY ) != 0 )
		return complain_at( r->error, line, "%s", "the file does not begin with 'review: " FORMAT "'" );
	const bool is_free = r->body == SCENE_NONE && r->clash == NULL;
	if ( is_free && strcmp( name, "clash" ) == 0 )
		return begin_clash( r, value, line );
	if ( is_free && strcmp( name, "body" ) == 0 )
		return begin_body( r, value, line );
	if ( is_free )
		return read_first( r, name, value, line );
	if ( r->body != SCENE_NONE )
		return set_by_key( r, body_keys, BODY_KEYS, &r->e->bodies[r->body], name, value, line );
	if ( strcmp( name, "a" ) == 0 || strcmp( name, "b" ) == 0 )
		return read_end( r, name[0] - 'a', value, line );
	if ( strcmp( name, "kind" ) != 0 )
		return set_by_key( r, clash_keys, CLASH_KEYS, r->clash, name, value, line );
	if ( r->has_kind )
		return complain_at( r->error, line, "%s", "'kind' is there twice" );
	r->has_kind = true;
	return scene_kind_read( value, &r->clash->kind ) ? DBVH_OK
	                                                 : complain_at( r->error, line, "'%.60s' is no kind", value );
}

static void trim( char *text ) {
	size_t length = strlen( text );
	while ( length > 0 && isspace( (unsigned char)text[length - 1] ) )
		text[--length] = '\0';
}

// The end of the line at `at`, which becomes a text.
static char *cut_line( char *at ) {
	char *end = strchr( at, '\n' );
	if ( end != NULL )
		*end++ = '\0';
	trim( at );
	return end;
}

static bool is_blank( const char *line ) {
	return line[strspn( line, " \t\r" )] == '\n' || line[strspn( line, " \t\r" )] == '\0';
}

// Join the lines that begin with a blank to the value before them, without it. " ." is an empty line, and a line of
// more dots has one of them too many. Returns the next line.
static char *join_lines( const reader *r, char *value, char *at, int64_t *line ) {
	char *to = value + strlen( value );
	while ( at != NULL && ( *at == ' ' || *at == '\t' ) && !is_blank( at ) ) {
		char *next = cut_line( at );
		const char *from = at + 1;
		const size_t dots = strspn( from, "." );
		if ( dots > 0 && from[dots] == '\0' && ( dots == 1 || !r->is_old ) )
			++from;
		const size_t length = strlen( from );
		*to++ = '\n';
		memmove( to, from, length );
		to += length;
		*to = '\0';
		at = next;
		++*line;
	}
	return at;
}

static dbvh_status read_lines( reader *r, char *text ) {
	int64_t line = 0;
	dbvh_status status = DBVH_OK;
	for ( char *at = text; at != NULL && status == DBVH_OK; ) {
		char *next = cut_line( at );
		const int64_t first = ++line;
		if ( *at == '\0' )
			status = end_paragraph( r );
		else if ( strncmp( at, "<<<<<<<", 7 ) == 0 || strncmp( at, "=======", 7 ) == 0 ||
		          strncmp( at, ">>>>>>>", 7 ) == 0 )
			status = complain_at( r->error, first, "%s", "a merge conflict is left" );
		else if ( *at != '#' ) {
			char *colon = strchr( at, ':' );
			if ( colon == NULL )
				return complain_at( r->error, first, "%s", "a line is 'key: value'; '#' begins a comment" );
			*colon = '\0';
			char *value = colon + 1 + strspn( colon + 1, " \t" );
			next = join_lines( r, value, next, &line );
			status = read_field( r, at, value, first );
		}
		at = next;
	}
	return status == DBVH_OK ? end_paragraph( r ) : status;
}

static int by_id( const void *a, const void *b ) {
	const earlier_clash *x = *(const earlier_clash *const *)a, *y = *(const earlier_clash *const *)b;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_path( const void *a, const void *b ) {
	const earlier_body *x = *(const earlier_body *const *)a, *y = *(const earlier_body *const *)b;
	return strcmp( x->path, y->path );
}

// The clashes of a review by their ids; to be freed. NULL: no memory.
static const earlier_clash **sort_clashes( const scene_earlier *e ) {
	const earlier_clash **list = malloc( ( e->clash_count + 1 ) * sizeof *list );
	for ( size_t i = 0; list != NULL && i < e->clash_count; ++i )
		list[i] = &e->clashes[i];
	if ( list != NULL && e->clash_count > 1 )
		qsort( list, e->clash_count, sizeof *list, by_id );
	return list;
}

static dbvh_status check_ids( const scene_earlier *e, dbvh_error *error ) {
	const earlier_clash **list = sort_clashes( e );
	char text[SCENE_HASH_ROOM];
	dbvh_status status = list != NULL ? DBVH_OK : out_of_memory( error );
	for ( size_t i = 1; status == DBVH_OK && i < e->clash_count; ++i )
		if ( list[i]->id == list[i - 1]->id )
			status = complain_at( error, 0, "the clash %s is there twice", scene_hash_print( list[i]->id, text ) );
	free( list );
	return status;
}

dbvh_status scene_review_read( scene_earlier *e, const unsigned char *bytes, size_t count, dbvh_error *error ) {
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	char *text = scene_copy_text( bytes, count, error );
	if ( text == NULL )
		return error->status;
	reader r = { .e = e, .body = SCENE_NONE, .error = error };
	e->has_review = true;
	dbvh_status status = read_lines( &r, text );
	if ( status == DBVH_OK && !r.has_begun )
		status = complain_at( error, 0, "%s", "the file does not begin with 'review: " FORMAT "'" );
	free( text );
	return status == DBVH_OK ? check_ids( e, error ) : status;
}

// ------------------------------------------------------------------------------------------------
// Writing

// The length of the first line without the blanks at its end.
static size_t line_length( const char *text ) {
	size_t length = strcspn( text, "\n" );
	while ( length > 0 && isspace( (unsigned char)text[length - 1] ) )
		--length;
	return length;
}

// Put a text of people. Further lines begin with a blank; an empty one is " .", and one of dots has a dot more.
static void put_text( FILE *file, const char *name, const char *text ) {
	if ( text == NULL )
		return;
	fprintf( file, "%s: ", name );
	for ( bool is_first = true;; is_first = false ) {
		const size_t length = line_length( text );
		if ( !is_first )
			fputs( strspn( text, "." ) >= length ? "\n ." : "\n ", file );
		for ( size_t i = 0; i < length; ++i )
			fputc( text[i] != '\r' ? text[i] : ' ', file );
		text = strchr( text, '\n' );
		if ( text == NULL )
			break;
		++text;
	}
	fputc( '\n', file );
}

// Put a name of a model, whatever bytes it has: those that a line does not keep are written as \x and two digits.
static void put_name( FILE *file, const char *name, const char *text ) {
	fprintf( file, "%s: ", name );
	for ( const char *at = text; *at != '\0'; ++at ) {
		const unsigned char c = (unsigned char)*at;
		if ( c < ' ' || c == 0x7F || ( c == ' ' && ( at == text || at[1] == '\0' ) ) )
			fprintf( file, "\\x%02x", c );
		else if ( c == '\\' )
			fputs( "\\\\", file );
		else
			fputc( c, file );
	}
	fputc( '\n', file );
}

static void write_key( FILE *file, const key *k, const void *object ) {
	const char *at = (const char *)object + k->at;
	char text[REAL_ROOM]; // SCENE_HASH_ROOM is less
	if ( k->has != 0 && !*(const bool *)( (const char *)object + k->has ) )
		return;
	const char *word = k->kind == VALUE_HASH       ? scene_hash_print( *(const uint64_t *)(const void *)at, text )
	                   : k->kind == VALUE_SEVERITY ? scene_severity_word( *(const scene_severity *)(const void *)at )
	                   : k->kind == VALUE_REALS || k->kind == VALUE_COMMENT || k->kind == VALUE_SEEN
	                       ? NULL
	                       : *(char *const *)(const void *)at;
	if ( k->kind == VALUE_REALS ) {
		fprintf( file, "%s:", k->name );
		for ( int i = 0; i < k->count; ++i )
			fprintf( file, " %s", real_text( ( (const double *)(const void *)at )[i], text ) );
		fputc( '\n', file );
	} else if ( k->kind != VALUE_NAME )
		put_text( file, k->name, word );
	else if ( word != NULL && *word != '\0' )
		put_name( file, k->name, word );
}

// A pose is its rotation by rows, and then its position.
static void write_body( FILE *file, const earlier_body *body ) {
	put_name( file, "body", body->path );
	for ( int i = 0; i < BODY_KEYS; ++i )
		write_key( file, &body_keys[i], body );
	fputc( '\n', file );
}

static void write_clash( FILE *file, const scene_earlier *e, const earlier_clash *c ) {
	char id[SCENE_HASH_ROOM];
	put_text( file, "clash", scene_hash_print( c->id, id ) );
	put_name( file, "a", e->bodies[c->a].path );
	put_name( file, "b", e->bodies[c->b].path );
	put_text( file, "kind", scene_kind_word( c->kind ) );
	for ( int i = 0; i < CLASH_KEYS; ++i )
		write_key( file, &clash_keys[i], c );
	for ( size_t i = 0; i < c->review.comment_count; ++i )
		put_text( file, "comment", c->review.comments[i] );
	for ( size_t i = 0; i < c->review.seen_count; ++i )
		put_text( file, "seen", scene_hash_print( c->review.seen[i], id ) );
	fputc( '\n', file );
}

// ------------------------------------------------------------------------------------------------
// When people have said what

static uint64_t hash_words( const earlier_review *r ) {
	return scene_hash_text( scene_hash_text( SCENE_HASH_START, r->status ), r->assignee );
}

bool scene_review_edited( earlier_review *r, int64_t when ) {
	char text[SCENE_TIME_ROOM];
	char *made = scene_copy( scene_time_print( when, text ) );
	if ( made == NULL )
		return false;
	free( r->edited );
	r->edited = made;
	r->has_edited_as = true;
	r->edited_as = hash_words( r );
	return true;
}

bool scene_review_date( scene_earlier *e, int64_t now ) {
	bool ok = true;
	for ( size_t i = 0; i < e->clash_count && ok; ++i ) {
		earlier_review *r = &e->clashes[i].review;
		const bool is_dated = r->edited != NULL && r->has_edited_as;
		r->is_edited_by_hand = is_dated ? r->edited_as != hash_words( r ) : r->status != NULL || r->assignee != NULL;
		// Words that a hand has written are newer than those that it found, also where a clock that was ahead dated
		// those.
		int64_t before;
		const bool was_ahead = is_dated && scene_time_read( r->edited, &before ) && before >= now;
		ok = !r->is_edited_by_hand || scene_review_edited( r, was_ahead ? before + 1 : now );
	}
	return ok;
}

// ------------------------------------------------------------------------------------------------

bool scene_review_write( const scene_earlier *e, FILE *file ) {
	const earlier_clash **clashes = sort_clashes( e );
	const earlier_body **bodies = malloc( ( e->body_count + 1 ) * sizeof *bodies );
	const bool ok = clashes != NULL && bodies != NULL;
	char rules[SCENE_HASH_ROOM], metres[REAL_ROOM];
	if ( ok ) {
		for ( size_t i = 0; i < e->body_count; ++i )
			bodies[i] = &e->bodies[i];
		if ( e->body_count > 1 )
			qsort( bodies, e->body_count, sizeof *bodies, by_path );
		fputs(
		    "# dualbvh scene --review reads and updates this file. By hand: accepted: REASON, by: NAME, until: DAY,\n"
		    "# assignee: NAME, status: WORD and comment: TEXT in the paragraph of a clash; other comments are lost.\n",
		    file );
		put_text( file, FIRST_KEY, FORMAT );
		put_text( file, "rules", scene_hash_print( e->rules, rules ) );
		if ( e->metres > 0.0 )
			put_text( file, "metres", real_text( e->metres, metres ) );
		fputc( '\n', file );
		for ( size_t i = 0; i < e->body_count; ++i )
			write_body( file, bodies[i] );
		for ( size_t i = 0; i < e->clash_count; ++i )
			write_clash( file, e, clashes[i] );
	}
	free( clashes );
	free( bodies );
	return ok;
}
