// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/bcf.h"

#include "assembly/review.h"
#include "assembly/topic.h"
#include "formats/archive.h"
#include "formats/xml.h"
#include "model/refuse.h"
#include "text/day.h"
#include "text/grow.h"
#include "text/hash.h"
#include "text/hash_set.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20 };

typedef enum place {
	IN_NOTHING,
	IN_OTHER, // an element that nobody asks for
	IN_MARKUP,
	IN_TOPIC,
	IN_ASSIGNED,
	IN_CREATED,
	IN_MODIFIED,
	IN_COMMENTS, // a list of 3.0
	IN_COMMENT,
	IN_DATE,
	IN_AUTHOR,
	IN_TEXT
} place;

typedef struct text {
	char *at;
	size_t count, capacity;
} text;

typedef struct markup {
	earlier_clash *clash;
	size_t own_comments; // comments of the review before this one was read
	bool has_topic;
	char *status; // NULL: none
	char guid[SCENE_GUID_ROOM];
	text assigned, created, modified, date, author, said;
	bool is_dated; // some comment of others has a date, the latest of which is `latest`
	int64_t latest, now;
	scene_hash_set known; // comments that are not to be taken
	bcf_news *news;
	bool lacks_memory;
} markup;

// ------------------------------------------------------------------------------------------------
// Texts

static void clear( text *t ) {
	t->count = 0;
}

static text *text_of( markup *m, int where ) {
	return where == IN_ASSIGNED   ? &m->assigned
	       : where == IN_CREATED  ? &m->created
	       : where == IN_MODIFIED ? &m->modified
	       : where == IN_DATE     ? &m->date
	       : where == IN_AUTHOR   ? &m->author
	       : where == IN_TEXT     ? &m->said
	                              : NULL;
}

static void on_text( void *user, scene_xml *xml, int where, const char *piece, size_t length ) {
	text *t = text_of( user, where );
	if ( t == NULL )
		return;
	if ( t->count + length > MOST_TEXT ) {
		scene_xml_refuse( xml, DBVH_LIMIT, "a text has more than %d bytes", MOST_TEXT );
		return;
	}
	for ( size_t i = 0; i < length; ++i ) {
		if ( !scene_grow( &t->at, &t->capacity, t->count + 1, 1 ) ) {
			scene_xml_refuse( xml, DBVH_OUT_OF_MEMORY, "there is no memory" );
			return;
		}
		t->at[t->count++] = piece[i];
	}
	t->at[t->count] = '\0';
}

// The text as a review file keeps it: without blanks round it, at the ends of its lines, and carriage returns.
static const char *tidy( text *t ) {
	if ( t->count == 0 )
		return "";
	char *to = t->at;
	for ( const char *from = t->at + strspn( t->at, " \t\r\n" ); *from != '\0'; ++from ) {
		if ( *from == '\n' )
			while ( to > t->at && isspace( (unsigned char)to[-1] ) && to[-1] != '\n' )
				--to;
		*to++ = *from == '\r' ? ' ' : *from;
	}
	while ( to > t->at && isspace( (unsigned char)to[-1] ) )
		--to;
	*to = '\0';
	t->count = (size_t)( to - t->at );
	return t->at;
}

static char *print( const char *format, ... ) SCENE_PRINTF_LIKE( 1, 2 );
static char *print( const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	char *made = scene_print( format, arguments );
	va_end( arguments );
	return made;
}

// ------------------------------------------------------------------------------------------------
// Comments

// The hash of a comment as a review file has it.
static uint64_t hash_of( const char *comment ) {
	return scene_hash_text( SCENE_HASH_START, comment );
}

// List what is known already: comments that the review has, and those that it had.
static bool list_known( markup *m ) {
	const earlier_review *review = &m->clash->review;
	bool ok = true;
	for ( size_t i = 0; i < review->comment_count && ok; ++i )
		ok = scene_hash_set_add( &m->known, hash_of( review->comments[i] ) );
	for ( size_t i = 0; i < review->seen_count && ok; ++i )
		ok = scene_hash_set_add( &m->known, review->seen[i] );
	return ok;
}

// Has this program written the comment?
static bool is_own( const markup *m, const char *said ) {
	char guid[SCENE_GUID_ROOM];
	return strcmp( m->guid, scene_comment_guid( m->clash->id, said, guid ) ) == 0;
}

static bool add_comment( markup *m, const char *made ) {
	const uint64_t hash = hash_of( made );
	return scene_hash_set_has( &m->known, hash ) ||
	       ( scene_hash_set_add( &m->known, hash ) && scene_review_comment( &m->clash->review, made ) &&
	         scene_review_see( &m->clash->review, hash ) );
}

// A comment is "AUTHOR, DAY: TEXT".
static void take_comment( markup *m ) {
	const char *said = tidy( &m->said ), *author = tidy( &m->author ), *date = tidy( &m->date );
	char day[11] = "";
	int64_t time;
	if ( *said == '\0' || is_own( m, said ) )
		return;
	if ( scene_time_read( date, &time ) && ( !m->is_dated || time > m->latest ) ) {
		m->is_dated = true;
		m->latest = time;
	}
	snprintf( day, sizeof day, "%s", date );
	char *made =
	    print( "%s%s%s%s%s", author, *author != '\0' && scene_day_is_valid( day ) ? ", " : "",
	           scene_day_is_valid( day ) ? day : "", *author != '\0' || scene_day_is_valid( day ) ? ": " : "", said );
	m->lacks_memory = m->lacks_memory || made == NULL || !add_comment( m, made );
	free( made );
}

// ------------------------------------------------------------------------------------------------
// Elements

static int begin_comment( markup *m, const char *const *attributes ) {
	const char *guid = scene_xml_get( attributes, "Guid" );
	snprintf( m->guid, sizeof m->guid, "%s", guid != NULL ? guid : "" );
	for ( char *at = m->guid; *at != '\0'; ++at )
		*at = (char)tolower( (unsigned char)*at );
	clear( &m->date );
	clear( &m->author );
	clear( &m->said );
	return IN_COMMENT;
}

static int begin_topic( markup *m, scene_xml *xml, const char *const *attributes ) {
	if ( m->has_topic )
		scene_xml_refuse( xml, DBVH_MALFORMED, "there are two topics in one markup" );
	m->has_topic = true;
	const char *status = scene_xml_get( attributes, "TopicStatus" );
	if ( status != NULL && m->status == NULL ) {
		m->status = scene_copy( status );
		m->lacks_memory = m->lacks_memory || m->status == NULL;
	}
	return IN_TOPIC;
}

static int on_begin( void *user, scene_xml *xml, int outer, const char *element, const char *const *attributes ) {
	static const struct {
		int outer;
		const char *element;
		int place;
	} known[] = { { IN_NOTHING, "Markup", IN_MARKUP },      { IN_MARKUP, "Topic", IN_TOPIC },
	              { IN_MARKUP, "Comment", IN_COMMENT },     { IN_TOPIC, "AssignedTo", IN_ASSIGNED },
	              { IN_TOPIC, "CreationDate", IN_CREATED }, { IN_TOPIC, "ModifiedDate", IN_MODIFIED },
	              { IN_TOPIC, "Comments", IN_COMMENTS },    { IN_COMMENTS, "Comment", IN_COMMENT },
	              { IN_COMMENT, "Date", IN_DATE },          { IN_COMMENT, "Author", IN_AUTHOR },
	              { IN_COMMENT, "Comment", IN_TEXT } };
	for ( size_t i = 0; i < sizeof known / sizeof known[0]; ++i )
		if ( known[i].outer == outer && strcmp( known[i].element, element ) == 0 )
			return known[i].place == IN_COMMENT ? begin_comment( user, attributes )
			       : known[i].place == IN_TOPIC ? begin_topic( user, xml, attributes )
			                                    : known[i].place;
	return IN_OTHER;
}

static void on_end( void *user, scene_xml *xml, int where ) {
	(void)xml;
	if ( where == IN_COMMENT )
		take_comment( user );
}

// ------------------------------------------------------------------------------------------------
// A topic

static bool is_other( const char *word, const char *than ) {
	return *word != '\0' && ( than == NULL || strcmp( word, than ) != 0 );
}

static void set( markup *m, char **value, const char *to ) {
	char *made = scene_copy( to );
	m->lacks_memory = m->lacks_memory || made == NULL;
	free( *value );
	*value = made;
}

static void leave( markup *m, bcf_left_what what ) {
	bcf_news *news = m->news;
	if ( scene_grow( &news->left, &news->left_capacity, news->left_count, sizeof *news->left ) )
		news->left[news->left_count++] = ( bcf_left ){ m->clash->id, what };
	else
		m->lacks_memory = true;
}

// The time of the last change of the topic as it says. False where it says none.
static bool read_time( markup *m, int64_t *out ) {
	int64_t created;
	if ( scene_time_read( tidy( &m->modified ), out ) )
		return true;
	const bool is_created = scene_time_read( tidy( &m->created ), &created );
	*out = is_created && ( !m->is_dated || created > m->latest ) ? created : m->latest;
	return is_created || m->is_dated;
}

// The time of the last change of the topic. False where it says none that can be: more than a day ahead.
static bool find_time( markup *m, int64_t *out ) {
	enum { DAY = 86400 };
	return read_time( m, out ) && *out <= m->now + DAY;
}

// Is the topic newer than what the review says? A hand that has written since the last run may have done so just now.
static bool is_newer( const earlier_review *review, bool has_time, int64_t time ) {
	int64_t edited;
	if ( review->edited == NULL || !scene_time_read( review->edited, &edited ) )
		return true;
	return has_time && ( time > edited || ( time == edited && !review->is_edited_by_hand ) );
}

// A status that the program finds out by itself is none of people, until they have set another one.
static bool is_of_program( const earlier_review *review, const char *word ) {
	return review->status == NULL && scene_is_own_status( word );
}

static void take_topic( markup *m ) {
	earlier_review *review = &m->clash->review;
	text status = { .at = m->status, .count = m->status != NULL ? strlen( m->status ) : 0 };
	const char *word = tidy( &status ), *assignee = tidy( &m->assigned );
	const bool is_own_word = is_of_program( review, word );
	const bool has_status = !is_own_word && is_other( word, review->status );
	const bool has_assignee = is_other( assignee, review->assignee );
	int64_t time;
	const bool has_time = find_time( m, &time );
	++m->news->topics;
	m->news->comments += review->comment_count - m->own_comments;
	if ( is_own_word && strcmp( word, SCENE_STATUS_ACCEPTED ) == 0 && review->accepted == NULL )
		leave( m, BCF_LEFT_ACCEPTED );
	else if ( is_own_word && strcmp( word, SCENE_STATUS_ACCEPTED ) != 0 && m->modified.count > 0 )
		leave( m, BCF_LEFT_OWN );
	if ( !has_status && !has_assignee )
		return;
	if ( !is_newer( review, has_time, time ) ) {
		leave( m, BCF_LEFT_OLDER );
		return;
	}
	if ( has_status )
		set( m, &review->status, word );
	if ( has_assignee )
		set( m, &review->assignee, assignee );
	m->news->statuses += has_status;
	m->news->assignees += has_assignee;
	m->lacks_memory = m->lacks_memory || !scene_review_edited( review, has_time ? time : m->now );
	review->is_edited_by_hand = false;
}

dbvh_status bcf_take_markup( earlier_clash *clash, const unsigned char *bytes, size_t count, int64_t now,
                             bcf_news *news, dbvh_error *error ) {
	markup m = { .clash = clash, .own_comments = clash->review.comment_count, .now = now, .news = news };
	const scene_xml_handler handler = { on_begin, on_end, &m, on_text };
	m.lacks_memory = !list_known( &m );
	const dbvh_status status = scene_xml_read( bytes, count, &handler, error );
	if ( status == DBVH_OK )
		take_topic( &m );
	free( m.status );
	free( m.assigned.at );
	free( m.created.at );
	free( m.modified.at );
	free( m.date.at );
	free( m.author.at );
	free( m.said.at );
	scene_hash_set_free( &m.known );
	return status == DBVH_OK && m.lacks_memory ? scene_refuse_memory( error ) : status;
}

static dbvh_status read_markup( scene_archive *archive, const char *name, earlier_clash *clash, int64_t now,
                                bcf_news *news, dbvh_error *error ) {
	unsigned char *bytes;
	size_t count;
	dbvh_status status = scene_archive_read( archive, name, &bytes, &count, error );
	if ( status != DBVH_OK )
		return status;
	status = bcf_take_markup( clash, bytes, count, now, news, error );
	free( bytes );
	if ( status != DBVH_OK )
		scene_blame( error, error->line, "%s: ", name );
	return status;
}

dbvh_status bcf_take( scene_earlier *review, const unsigned char *bytes, size_t count, int64_t now, bcf_news *news,
                      dbvh_error *error ) {
	scene_archive *archive;
	*news = ( bcf_news ){ 0 };
	dbvh_status status = scene_archive_open( bytes, count, &archive, error );
	if ( status != DBVH_OK )
		return status;
	if ( !scene_archive_has( archive, "bcf.version" ) )
		status = scene_refuse( error, DBVH_MALFORMED, "it is no BCF: it has no bcf.version" );
	for ( size_t i = 0; i < review->clash_count && status == DBVH_OK; ++i ) {
		char guid[SCENE_GUID_ROOM], name[SCENE_GUID_ROOM + 16];
		snprintf( name, sizeof name, "%s/markup.bcf",
		          scene_topic_guid( review->clashes[i].id, SCENE_GUID_TOPIC, guid ) );
		if ( scene_archive_has( archive, name ) )
			status = read_markup( archive, name, &review->clashes[i], now, news, error );
	}
	const size_t all = scene_archive_count( archive, "/markup.bcf" );
	news->others = all > news->topics ? all - news->topics : 0;
	scene_archive_close( archive );
	return status;
}

void bcf_news_free( bcf_news *news ) {
	free( news->left );
	*news = ( bcf_news ){ 0 };
}
