// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/bcf.h"

#include "assembly/refuse.h"
#include "assembly/review.h"
#include "assembly/topic.h"
#include "formats/archive.h"
#include "formats/xml.h"
#include "text/grow.h"

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
	char *status;        // NULL: none
	char guid[SCENE_GUID_ROOM];
	text assigned, date, author, said;
	bcf_news *news;
	bool lacks_memory;
} markup;

// ------------------------------------------------------------------------------------------------
// Texts

static void clear( text *t ) {
	t->count = 0;
}

static text *text_of( markup *m, int where ) {
	return where == IN_ASSIGNED ? &m->assigned
	       : where == IN_DATE   ? &m->date
	       : where == IN_AUTHOR ? &m->author
	       : where == IN_TEXT   ? &m->said
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

// Has this program written the comment?
static bool is_own( const markup *m ) {
	char guid[SCENE_GUID_ROOM];
	for ( size_t i = 0; i <= m->own_comments; ++i )
		if ( strcmp( m->guid, scene_topic_guid( m->clash->id, SCENE_GUID_COMMENT + i, guid ) ) == 0 )
			return true;
	return false;
}

static bool is_known( const earlier_review *review, const char *said ) {
	for ( size_t i = 0; i < review->comment_count; ++i )
		if ( strcmp( review->comments[i], said ) == 0 )
			return true;
	return false;
}

// A comment is "AUTHOR, DAY: TEXT".
static void take_comment( markup *m ) {
	const char *said = tidy( &m->said ), *author = tidy( &m->author );
	char day[11] = "";
	if ( *said == '\0' || is_own( m ) )
		return;
	snprintf( day, sizeof day, "%s", tidy( &m->date ) );
	char *made = print( "%s%s%s%s%s", author, *author != '\0' && scene_is_day( day ) ? ", " : "",
	                    scene_is_day( day ) ? day : "", *author != '\0' || scene_is_day( day ) ? ": " : "", said );
	if ( made == NULL || ( !is_known( &m->clash->review, made ) && !scene_review_comment( &m->clash->review, made ) ) )
		m->lacks_memory = true;
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

static int begin_topic( markup *m, const char *const *attributes ) {
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
	} known[] = { { IN_NOTHING, "Markup", IN_MARKUP },   { IN_MARKUP, "Topic", IN_TOPIC },
	              { IN_MARKUP, "Comment", IN_COMMENT },  { IN_TOPIC, "AssignedTo", IN_ASSIGNED },
	              { IN_TOPIC, "Comments", IN_COMMENTS }, { IN_COMMENTS, "Comment", IN_COMMENT },
	              { IN_COMMENT, "Date", IN_DATE },       { IN_COMMENT, "Author", IN_AUTHOR },
	              { IN_COMMENT, "Comment", IN_TEXT } };
	(void)xml;
	for ( size_t i = 0; i < sizeof known / sizeof known[0]; ++i )
		if ( known[i].outer == outer && strcmp( known[i].element, element ) == 0 )
			return known[i].place == IN_COMMENT ? begin_comment( user, attributes )
			       : known[i].place == IN_TOPIC ? begin_topic( user, attributes )
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

// Returns whether the text has changed.
static bool set( markup *m, char **value, const char *to ) {
	if ( *to == '\0' || ( *value != NULL && strcmp( *value, to ) == 0 ) )
		return false;
	char *made = scene_copy( to );
	if ( made == NULL ) {
		m->lacks_memory = true;
		return false;
	}
	free( *value );
	*value = made;
	return true;
}

static void take_topic( markup *m ) {
	earlier_review *review = &m->clash->review;
	text status = { .at = m->status, .count = m->status != NULL ? strlen( m->status ) : 0 };
	const char *word = tidy( &status );
	++m->news->topics;
	if ( review->status != NULL || !scene_is_own_status( word ) )
		m->news->statuses += set( m, &review->status, word );
	m->news->assignees += set( m, &review->assignee, tidy( &m->assigned ) );
	m->news->comments += review->comment_count - m->own_comments;
}

static dbvh_status read_markup( scene_archive *archive, const char *name, earlier_clash *clash, bcf_news *news,
                                dbvh_error *error ) {
	markup m = { .clash = clash, .own_comments = clash->review.comment_count, .news = news };
	const scene_xml_handler handler = { on_begin, on_end, &m, on_text };
	unsigned char *bytes;
	size_t count;
	dbvh_status status = scene_archive_read( archive, name, &bytes, &count, error );
	if ( status != DBVH_OK )
		return status;
	status = scene_xml_read( bytes, count, &handler, error );
	free( bytes );
	if ( status == DBVH_OK )
		take_topic( &m );
	else
		scene_blame( error, error->line, "%s: ", name );
	free( m.status );
	free( m.assigned.at );
	free( m.date.at );
	free( m.author.at );
	free( m.said.at );
	return status == DBVH_OK && m.lacks_memory ? scene_refuse_memory( error ) : status;
}

dbvh_status bcf_take( scene_earlier *review, const unsigned char *bytes, size_t count, bcf_news *news,
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
			status = read_markup( archive, name, &review->clashes[i], news, error );
	}
	scene_archive_close( archive );
	return status;
}
