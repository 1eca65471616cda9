// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/review.h"

#include "text/grow.h"
#include "text/hash.h"
#include "text/number.h"
#include "text/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_KEY "review"
#define FORMAT "dualbvh 1"

// ------------------------------------------------------------------------------------------------
// Days

bool scene_is_day( const char *text ) {
	static const int lengths[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int numbers[3], at = 0;
	for ( int i = 0; i < 10; ++i )
		if ( i == 4 || i == 7 ? text[i] != '-' : !isdigit( (unsigned char)text[i] ) )
			return false;
	for ( int i = 0; i < 3; ++i ) {
		numbers[i] = 0;
		for ( ; isdigit( (unsigned char)text[at] ) && at < 10; ++at )
			numbers[i] = 10 * numbers[i] + text[at] - '0';
		++at;
	}
	return text[10] == '\0' && numbers[1] >= 1 && numbers[1] <= 12 && numbers[2] >= 1 &&
	       numbers[2] <= lengths[numbers[1] - 1];
}

// Days are counted from March on, so that the day of a leap year is the last of its year.
void scene_print_day( int64_t seconds, char text[11] ) {
	const int64_t days = seconds / 86400 + 719468, era = days / 146097;
	const int64_t of_era = days - era * 146097;
	const int64_t year = ( of_era - of_era / 1460 + of_era / 36524 - of_era / 146096 ) / 365;
	const int64_t of_year = of_era - ( 365 * year + year / 4 - year / 100 );
	const int64_t month = ( 5 * of_year + 2 ) / 153;
	const int day = (int)( of_year - ( 153 * month + 2 ) / 5 + 1 );
	const int number = (int)( month < 10 ? month + 3 : month - 9 );
	char whole[64];
	snprintf( whole, sizeof whole, "%04d-%02d-%02d", (int)( ( year + era * 400 + ( number <= 2 ) ) % 10000 ), number,
	          day );
	memcpy( text, whole, 10 );
	text[10] = '\0';
}

// ------------------------------------------------------------------------------------------------
// Reading

typedef struct reader {
	scene_earlier *e;
	uint32_t body;        // of the paragraph; SCENE_NONE: none
	earlier_clash *clash; // of the paragraph; NULL: none
	bool has_kind, has_ends[2], has_begun;
	scene_names ids;
	int64_t line; // of the paragraph
	dbvh_error *error;
} reader;

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
	VALUE_TEXT, // not empty
	VALUE_DAY,
	VALUE_COMMENT
} value_kind;

typedef struct key {
	const char *name;
	value_kind kind;
	size_t at;  // offset of the value
	size_t has; // offset of a bool, or 0
	int count;  // of reals
} key;

#define BODY( member ) offsetof( earlier_body, member )
#define CLASH( member ) offsetof( earlier_clash, member )
static const key body_keys[] = { { "guid", VALUE_TEXT, BODY( guid ), 0, 0 },
                                 { "shape", VALUE_HASH, BODY( shape ), BODY( has_shape ), 0 },
                                 { "fingerprint", VALUE_HASH, BODY( fingerprint ), BODY( has_fingerprint ), 0 },
                                 { "pose", VALUE_REALS, BODY( pose ), BODY( has_pose ), 12 } };
static const key clash_keys[] = { { "rule", VALUE_TEXT, CLASH( rule ), 0, 0 },
                                  { "depth", VALUE_REALS, CLASH( depth ), CLASH( has_depth ), 2 },
                                  { "distance", VALUE_REALS, CLASH( distance ), CLASH( has_distance ), 1 },
                                  { "at", VALUE_REALS, CLASH( place ), CLASH( has_place ), 3 },
                                  { "in-a", VALUE_REALS, CLASH( in_a ), 0, 3 },
                                  { "in-b", VALUE_REALS, CLASH( in_b ), CLASH( has_frames ), 3 },
                                  { "terms", VALUE_HASH, CLASH( terms ), CLASH( has_terms ), 0 },
                                  { "found", VALUE_DAY, CLASH( review.found ), 0, 0 },
                                  { "status", VALUE_TEXT, CLASH( review.status ), 0, 0 },
                                  { "assignee", VALUE_TEXT, CLASH( review.assignee ), 0, 0 },
                                  { "accepted", VALUE_TEXT, CLASH( review.accepted ), 0, 0 },
                                  { "by", VALUE_TEXT, CLASH( review.by ), 0, 0 },
                                  { "until", VALUE_DAY, CLASH( review.until ), 0, 0 },
                                  { "lapsed", VALUE_TEXT, CLASH( review.lapsed ), 0, 0 },
                                  { "resolved", VALUE_DAY, CLASH( review.resolved ), 0, 0 },
                                  { "gone", VALUE_TEXT, CLASH( review.gone ), 0, 0 },
                                  { "comment", VALUE_COMMENT, CLASH( review.comments ), 0, 0 } };
enum { BODY_KEYS = sizeof body_keys / sizeof body_keys[0], CLASH_KEYS = sizeof clash_keys / sizeof clash_keys[0] };

static dbvh_status add_comment( earlier_review *review, const char *text, dbvh_error *error ) {
	char *made = scene_copy( text );
	if ( made == NULL || !scene_grow( &review->comments, &review->comment_capacity, review->comment_count,
	                                  sizeof *review->comments ) ) {
		free( made );
		return out_of_memory( error );
	}
	review->comments[review->comment_count++] = made;
	return DBVH_OK;
}

static dbvh_status set_value( const key *k, void *object, const char *value, int64_t line, dbvh_error *error ) {
	char *at = (char *)object + k->at;
	if ( k->has != 0 )
		*(bool *)( (char *)object + k->has ) = true;
	if ( k->kind == VALUE_HASH )
		return scene_hash_read( value, strlen( value ), (uint64_t *)(void *)at )
		           ? DBVH_OK
		           : complain_at( error, line, "'%s' takes sixteen hexadecimal digits", k->name );
	if ( k->kind == VALUE_REALS )
		return parse_row( value, (double *)(void *)at, k->count )
		           ? DBVH_OK
		           : complain_at( error, line, "the numbers of '%s' are too few, too many, or none", k->name );
	if ( *value == '\0' )
		return complain_at( error, line, "'%s' has no value; a line that is not wanted can be deleted", k->name );
	if ( k->kind == VALUE_DAY && !scene_is_day( value ) )
		return complain_at( error, line, "'%s' takes a day, such as 2026-12-31", k->name );
	if ( k->kind == VALUE_COMMENT )
		return add_comment( &( (earlier_clash *)object )->review, value, error );
	char **text = (char **)(void *)at;
	if ( *text != NULL )
		return complain_at( error, line, "'%s' is there twice", k->name );
	*text = scene_copy( value );
	return *text != NULL ? DBVH_OK : out_of_memory( error );
}

static dbvh_status set_by_key( const key *keys, int count, void *object, const char *name, const char *value,
                               int64_t line, dbvh_error *error ) {
	const char *names[CLASH_KEYS];
	for ( int i = 0; i < count; ++i ) {
		if ( strcmp( keys[i].name, name ) == 0 )
			return set_value( &keys[i], object, value, line, error );
		names[i] = keys[i].name;
	}
	const char *near = suggest( name, strlen( name ), names, (size_t)count );
	char what[160];
	snprintf( what, sizeof what, "'%.60s' is no key here%s%s%s", name, near != NULL ? "; '" : "",
	          near != NULL ? near : "", near != NULL ? "' is one" : "" );
	return complain_at( error, line, "%s", what );
}

// Is the paragraph whole?
static dbvh_status end_paragraph( reader *r ) {
	const earlier_clash *c = r->clash;
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

static dbvh_status begin_body( reader *r, const char *path, int64_t line ) {
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

static dbvh_status read_end( reader *r, int which, const char *path, int64_t line ) {
	if ( r->has_ends[which] )
		return complain_at( r->error, line, "'%s' is there twice", which == 0 ? "a" : "b" );
	const uint32_t number = scene_earlier_body( r->e, path );
	r->has_ends[which] = true;
	*( which == 0 ? &r->clash->a : &r->clash->b ) = number;
	return number != SCENE_NONE ? DBVH_OK : out_of_memory( r->error );
}

static dbvh_status read_first( reader *r, const char *name, const char *value, int64_t line ) {
	if ( strcmp( name, "rules" ) == 0 && r->has_begun )
		return scene_hash_read( value, strlen( value ), &r->e->rules )
		           ? DBVH_OK
		           : complain_at( r->error, line, "%s", "'rules' takes sixteen hexadecimal digits" );
	if ( strcmp( name, FIRST_KEY ) != 0 || r->has_begun )
		return complain_at( r->error, line, "%s", "a paragraph begins with 'body:' or 'clash:'" );
	r->has_begun = true;
	return strcmp( value, FORMAT ) == 0
	           ? DBVH_OK
	           : complain_at( r->error, line, "%s", "the file does not begin with 'review: " FORMAT "'" );
}

static dbvh_status read_field( reader *r, const char *name, const char *value, int64_t line ) {
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
		return set_by_key( body_keys, BODY_KEYS, &r->e->bodies[r->body], name, value, line, r->error );
	if ( strcmp( name, "a" ) == 0 || strcmp( name, "b" ) == 0 )
		return read_end( r, name[0] - 'a', value, line );
	if ( strcmp( name, "kind" ) != 0 )
		return set_by_key( clash_keys, CLASH_KEYS, r->clash, name, value, line, r->error );
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

// Join the lines that begin with a blank to the value before them; " ." is an empty line. Returns the next line.
static char *join_lines( char *value, char *at, int64_t *line ) {
	char *to = value + strlen( value );
	while ( at != NULL && ( *at == ' ' || *at == '\t' ) ) {
		char *next = cut_line( at );
		const char *from = at + strspn( at, " \t" );
		*to++ = '\n';
		if ( strcmp( from, "." ) != 0 ) {
			const size_t length = strlen( from );
			memmove( to, from, length );
			to += length;
		}
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
			next = join_lines( value, next, &line );
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
	if ( memchr( bytes, '\0', count ) != NULL )
		return complain_at( error, 0, "%s", "it is no text" );
	char *text = malloc( count + 1 );
	if ( text == NULL )
		return out_of_memory( error );
	memcpy( text, bytes, count );
	text[count] = '\0';
	reader r = { .e = e, .body = SCENE_NONE, .error = error };
	e->has_review = true;
	dbvh_status status = read_lines( &r, text );
	if ( status == DBVH_OK && !r.has_begun )
		status = complain_at( error, 0, "%s", "the file does not begin with 'review: " FORMAT "'" );
	free( text );
	return status == DBVH_OK ? check_ids( e, error ) : status;
}

// ------------------------------------------------------------------------------------------------
// The next review

static bool copy_text( char **to, const char *from ) {
	*to = scene_copy( from );
	return from == NULL || *to != NULL;
}

static bool copy_review( earlier_review *to, const earlier_review *from ) {
	dbvh_error error;
	*to = ( earlier_review ){ 0 };
	bool ok = copy_text( &to->accepted, from->accepted ) && copy_text( &to->lapsed, from->lapsed ) &&
	          copy_text( &to->by, from->by ) && copy_text( &to->until, from->until ) &&
	          copy_text( &to->assignee, from->assignee ) && copy_text( &to->status, from->status ) &&
	          copy_text( &to->found, from->found ) && copy_text( &to->resolved, from->resolved ) &&
	          copy_text( &to->gone, from->gone );
	for ( size_t i = 0; ok && i < from->comment_count; ++i )
		ok = add_comment( to, from->comments[i], &error ) == DBVH_OK;
	return ok;
}

// An acceptance that the clash has outgrown: the reason stays, for whoever decides again.
static void lapse( earlier_review *r ) {
	if ( r->accepted == NULL )
		return;
	free( r->lapsed );
	r->lapsed = r->accepted;
	r->accepted = NULL;
}

static void set_day( char **place, const char *today, const char *behind ) {
	const size_t room = strlen( today ) + strlen( behind ) + 1;
	char *made = malloc( room );
	if ( made != NULL )
		snprintf( made, room, "%s%s", today, behind );
	free( *place );
	*place = made;
}

static void clear_text( char **place ) {
	free( *place );
	*place = NULL;
}

// The number of a body of the model in the new review.
static uint32_t place_new_body( scene_earlier *to, const scene_findings *f, uint32_t body ) {
	const uint32_t number = scene_earlier_body( to, scene_path( f, body ) );
	if ( number == SCENE_NONE ||
	     ( !to->bodies[number].has_shape && !scene_earlier_refresh_body( &to->bodies[number], f, body ) ) )
		return SCENE_NONE;
	return number;
}

// The number of a body that is not in the model any more. Its path gets " (gone)" where another body has it now.
static uint32_t place_lost_body( scene_earlier *to, const scene_findings *f, const earlier_body *from ) {
	char *path = malloc( strlen( from->path ) + 8 );
	if ( path == NULL )
		return SCENE_NONE;
	strcpy( path, from->path );
	if ( scene_names_find( &f->assembly->model.paths, path ) != SCENE_NONE )
		strcat( path, " (gone)" );
	const uint32_t number = scene_earlier_body( to, path );
	free( path );
	if ( number == SCENE_NONE || to->bodies[number].has_shape )
		return number;
	earlier_body *made = &to->bodies[number];
	char *own = made->path, *guid = made->guid;
	*made = *from;
	made->path = own;
	made->guid = guid;
	return made->guid != NULL || copy_text( &made->guid, from->guid ) ? number : SCENE_NONE;
}

static uint32_t place_body( scene_earlier *to, const scene_findings *f, const earlier_body *from ) {
	return from->now != SCENE_NONE ? place_new_body( to, f, from->now ) : place_lost_body( to, f, from );
}

// Set the review of a clash that is there: what it stands for now.
static void update_present( earlier_review *r, scene_standing standing, const char *today ) {
	if ( standing == SCENE_NEW || standing == SCENE_WORSENED || standing == SCENE_MOVED )
		lapse( r );
	clear_text( &r->resolved );
	clear_text( &r->gone );
	if ( r->found == NULL && *today != '\0' )
		set_day( &r->found, today, "" );
}

// `turns`: the bodies have changed places in the order of their paths.
static void keep_measures( earlier_clash *to, const earlier_clash *from, bool turns ) {
	to->kind = from->kind;
	to->has_depth = from->has_depth;
	to->depth = from->depth;
	to->has_distance = from->has_distance;
	to->distance = from->distance;
	memcpy( to->place, from->place, sizeof to->place );
	memcpy( to->in_a, turns ? from->in_b : from->in_a, sizeof to->in_a );
	memcpy( to->in_b, turns ? from->in_a : from->in_b, sizeof to->in_b );
}

static bool add_present( scene_earlier *to, const scene_findings *f, const scene_earlier *before, uint32_t index ) {
	const scene_clash *c = &f->clashes[index];
	const earlier_clash *then = c->was != SCENE_NONE ? &before->clashes[f->was[c->was].number] : NULL;
	if ( then == NULL && ( c->kind == DBVH_CLASH_KIND_FIT || c->ignored_by != SCENE_NONE ) )
		return true;
	const uint32_t a = place_new_body( to, f, c->a ), b = place_new_body( to, f, c->b );
	earlier_clash *made = a != SCENE_NONE && b != SCENE_NONE ? scene_earlier_add( to ) : NULL;
	if ( made == NULL )
		return false;
	*made = ( earlier_clash ){ .id = c->id, .a = a, .b = b, .now = index };
	if ( !scene_earlier_refresh( made, f, c ) || ( then != NULL && !copy_review( &made->review, &then->review ) ) )
		return false;
	// Measures of a clash that is as it was stay, so that many small steps add up and the file rests; those of an
	// accepted one are what was accepted.
	const earlier_body *first = then != NULL ? &before->bodies[then->a] : NULL;
	const bool stays = then != NULL && then->has_frames && first->now != SCENE_NONE &&
	                   before->bodies[then->b].now != SCENE_NONE &&
	                   ( c->standing == SCENE_UNCHANGED || c->standing == SCENE_RENAMED ||
	                     c->standing == SCENE_ACCEPTED || c->standing == SCENE_EXPIRED );
	if ( stays )
		keep_measures( made, then, first->now == c->b );
	update_present( &made->review, c->standing, before->today );
	return true;
}

static void update_absent( earlier_review *r, scene_absence why, const char *today ) {
	static const char *const words[SCENE_ABSENCE_COUNT] = { " body missing",  NULL, " body changed",
	                                                        " rules changed", NULL, " unexplained" };
	if ( why == SCENE_ABSENT_UNFINISHED || r->resolved != NULL )
		return;
	if ( why == SCENE_ABSENT_RESOLVED ) {
		set_day( &r->resolved, today, "" );
		clear_text( &r->gone );
	} else if ( r->gone == NULL )
		set_day( &r->gone, today, words[why] );
}

static bool add_absent( scene_earlier *to, const scene_findings *f, const earlier_clash *then,
                        const scene_earlier *before ) {
	const uint32_t a = place_body( to, f, &before->bodies[then->a] ), b = place_body( to, f, &before->bodies[then->b] );
	earlier_clash *made = a != SCENE_NONE && b != SCENE_NONE ? scene_earlier_add( to ) : NULL;
	if ( made == NULL )
		return false;
	*made = *then;
	made->a = a;
	made->b = b;
	made->rule = NULL;
	if ( !copy_review( &made->review, &then->review ) || !copy_text( &made->rule, then->rule ) )
		return false;
	update_absent( &made->review, scene_why_absent( f, before, then ), before->today );
	return true;
}

static int by_hash( const void *a, const void *b ) {
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// Add the bodies that have the name of a listed one but for a number: where the order of the file changes, all of them
// are needed to tell which is which.
static bool add_families( scene_earlier *to, const scene_findings *f ) {
	const size_t count = to->body_count;
	uint64_t *families = malloc( ( count + 1 ) * sizeof *families );
	bool ok = families != NULL;
	for ( size_t i = 0; ok && i < count; ++i )
		families[i] = scene_path_family( to->bodies[i].path );
	if ( ok && count > 1 )
		qsort( families, count, sizeof *families, by_hash );
	for ( uint32_t i = 0; ok && count > 0 && i < f->assembly->model.body_count; ++i ) {
		const uint64_t family = scene_path_family( scene_path( f, i ) );
		if ( bsearch( &family, families, count, sizeof *families, by_hash ) != NULL )
			ok = place_new_body( to, f, i ) != SCENE_NONE;
	}
	free( families );
	return ok;
}

bool scene_review_next( const scene_findings *f, const scene_earlier *before, scene_earlier *to ) {
	to->has_review = true;
	to->rules = f->rules;
	memcpy( to->today, before->today, sizeof to->today );
	bool ok = true;
	for ( uint32_t i = 0; ok && i < f->clash_count; ++i )
		ok = add_present( to, f, before, i );
	for ( size_t i = 0; ok && i < before->clash_count; ++i )
		if ( before->clashes[i].now == SCENE_NONE )
			ok = add_absent( to, f, &before->clashes[i], before );
	return ok && add_families( to, f );
}

// ------------------------------------------------------------------------------------------------
// Writing

// A line; further lines of a text begin with a blank.
static void put_line( FILE *file, const char *name, const char *text ) {
	if ( text == NULL )
		return;
	fprintf( file, "%s: ", name );
	for ( const char *at = text; *at != '\0'; ++at ) {
		if ( *at != '\n' ) {
			fputc( *at != '\r' ? *at : ' ', file );
			continue;
		}
		fputs( at[1] == '\n' || at[1] == '\0' ? "\n ." : "\n ", file );
	}
	fputc( '\n', file );
}

static void write_key( FILE *file, const key *k, const void *object ) {
	const char *at = (const char *)object + k->at;
	char text[REAL_ROOM]; // SCENE_HASH_ROOM is less
	if ( k->has != 0 && !*(const bool *)( (const char *)object + k->has ) )
		return;
	if ( k->kind == VALUE_HASH )
		put_line( file, k->name, scene_hash_print( *(const uint64_t *)(const void *)at, text ) );
	else if ( k->kind == VALUE_REALS ) {
		fprintf( file, "%s:", k->name );
		for ( int i = 0; i < k->count; ++i )
			fprintf( file, " %s", real_text( ( (const double *)(const void *)at )[i], text ) );
		fputc( '\n', file );
	} else if ( k->kind != VALUE_COMMENT )
		put_line( file, k->name, *(char *const *)(const void *)at );
}

// A pose is its rotation by rows, and then its position.
static void write_body( FILE *file, const earlier_body *body ) {
	put_line( file, "body", body->path );
	for ( int i = 0; i < BODY_KEYS; ++i )
		write_key( file, &body_keys[i], body );
	fputc( '\n', file );
}

static void write_clash( FILE *file, const scene_earlier *e, const earlier_clash *c ) {
	char id[SCENE_HASH_ROOM];
	put_line( file, "clash", scene_hash_print( c->id, id ) );
	put_line( file, "a", e->bodies[c->a].path );
	put_line( file, "b", e->bodies[c->b].path );
	put_line( file, "kind", scene_kind_word( c->kind ) );
	for ( int i = 0; i < CLASH_KEYS; ++i )
		if ( c->has_frames || strcmp( clash_keys[i].name, "in-a" ) != 0 )
			write_key( file, &clash_keys[i], c );
	for ( size_t i = 0; i < c->review.comment_count; ++i )
		put_line( file, "comment", c->review.comments[i] );
	fputc( '\n', file );
}

bool scene_review_write( const scene_earlier *e, FILE *file ) {
	const earlier_clash **clashes = sort_clashes( e );
	const earlier_body **bodies = malloc( ( e->body_count + 1 ) * sizeof *bodies );
	const bool ok = clashes != NULL && bodies != NULL;
	char rules[SCENE_HASH_ROOM];
	if ( ok ) {
		for ( size_t i = 0; i < e->body_count; ++i )
			bodies[i] = &e->bodies[i];
		if ( e->body_count > 1 )
			qsort( bodies, e->body_count, sizeof *bodies, by_path );
		fputs(
		    "# dualbvh scene --review reads and updates this file. By hand: accepted: REASON, by: NAME, until: DAY,\n"
		    "# assignee: NAME, status: WORD and comment: TEXT in the paragraph of a clash; other comments are lost.\n",
		    file );
		put_line( file, FIRST_KEY, FORMAT );
		put_line( file, "rules", scene_hash_print( e->rules, rules ) );
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
