// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/ignores.h"

#include "assembly/findings.h"
#include "model/properties.h"
#include "model/whole_file.h"
#include "text/grow.h"
#include "text/hash.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DUALBVH_WITH_JANSSON
#include <jansson.h>
#endif

static dbvh_status refuse( dbvh_error *error, int64_t line, const char *sentence ) {
	*error = ( dbvh_error ){ .status = DBVH_MALFORMED, .line = line, .byte = -1, .element = -1 };
	snprintf( error->text, sizeof error->text, "%s", sentence );
	return DBVH_MALFORMED;
}

static dbvh_status no_memory( dbvh_error *error ) {
	*error = ( dbvh_error ){ .status = DBVH_OUT_OF_MEMORY, .byte = -1, .element = -1 };
	return DBVH_OUT_OF_MEMORY;
}

void scene_ignores_free( scene_ignores *list ) {
	for ( size_t i = 0; i < list->count; ++i ) {
		free( list->entries[i].a );
		free( list->entries[i].b );
		free( list->entries[i].reason );
	}
	free( list->entries );
	*list = ( scene_ignores ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Entries

static char *copy( const char *text, size_t length ) {
	char *made = malloc( length + 1 );
	if ( made != NULL ) {
		memcpy( made, text, length );
		made[length] = '\0';
	}
	return made;
}

// Takes the texts over. False where there is no memory.
static bool add( scene_ignores *list, scene_ignore entry ) {
	const bool ok = entry.reason != NULL && ( entry.has_id || ( entry.a != NULL && entry.b != NULL ) );
	if ( ok && scene_grow( &list->entries, &list->capacity, list->count, sizeof *list->entries ) ) {
		list->entries[list->count++] = entry;
		return true;
	}
	free( entry.a );
	free( entry.b );
	free( entry.reason );
	return false;
}

bool scene_ignores_take( scene_ignores *list, const scene_model *model, const char *file ) {
	for ( size_t i = 0; i < model->ignore_count; ++i ) {
		const scene_ignore_entry *from = &model->ignores[i];
		const char *reason = from->reason != NULL ? from->reason : "no reason is given";
		scene_ignore entry = { .file = file, .line = from->line, .reason = copy( reason, strlen( reason ) ) };
		entry.has_id = from->id != NULL && scene_hash_read( from->id, strlen( from->id ), &entry.id );
		if ( !entry.has_id ) {
			// An entry whose id is no number matches nothing, and is reported as unused.
			const char *a = from->a != NULL ? from->a : from->id, *b = from->b != NULL ? from->b : "*";
			entry.a = copy( a, strlen( a ) );
			entry.b = copy( b, strlen( b ) );
		}
		if ( !add( list, entry ) )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Text form

typedef struct word {
	const char *text; // NULL: none
	size_t length;
} word;

static const char *skip_blanks( const char *at ) {
	while ( *at == ' ' || *at == '\t' || *at == '\r' )
		++at;
	return at;
}

// The next word of a line, in quotes or not; *at goes behind it. Text NULL and length 1: a quote that is not closed.
static word next_word( const char **at ) {
	const char *from = skip_blanks( *at );
	if ( *from == '\0' || *from == '#' )
		return ( word ){ NULL, 0 };
	if ( *from == '\'' || *from == '"' ) {
		const char *end = strchr( from + 1, *from );
		if ( end == NULL )
			return ( word ){ NULL, 1 };
		*at = end + 1;
		return ( word ){ from + 1, (size_t)( end - from - 1 ) };
	}
	const size_t length = strcspn( from, " \t\r" );
	*at = from + length;
	return ( word ){ from, length };
}

static dbvh_status read_line( scene_ignores *list, const char *file, int64_t number, const char *line,
                              dbvh_error *error ) {
	scene_ignore entry = { .file = file, .line = number };
	const word first = next_word( &line );
	if ( first.text == NULL )
		return first.length == 0 ? DBVH_OK : refuse( error, number, "a quote is not closed" );
	entry.has_id = scene_hash_read( first.text, first.length, &entry.id );
	word second = { NULL, 0 };
	if ( !entry.has_id ) {
		second = next_word( &line );
		if ( second.text == NULL )
			return refuse( error, number, "an entry begins with the id of a clash, or with two patterns" );
	}
	const char *reason = skip_blanks( line );
	size_t length = strlen( reason );
	while ( length > 0 && isspace( (unsigned char)reason[length - 1] ) )
		--length;
	if ( length == 0 || *reason == '#' )
		return refuse( error, number, "the reason is missing" );
	entry.reason = copy( reason, length );
	if ( !entry.has_id ) {
		entry.a = copy( first.text, first.length );
		entry.b = copy( second.text, second.length );
	}
	return add( list, entry ) ? DBVH_OK : no_memory( error );
}

static dbvh_status read_text( scene_ignores *list, const char *file, char *text, dbvh_error *error ) {
	dbvh_status status = DBVH_OK;
	int64_t number = 1;
	for ( char *line = text; line != NULL && status == DBVH_OK; ++number ) {
		char *end = strchr( line, '\n' );
		if ( end != NULL )
			*end = '\0';
		status = read_line( list, file, number, line, error );
		line = end != NULL ? end + 1 : NULL;
	}
	return status;
}

// ------------------------------------------------------------------------------------------------
// JSON form

#ifdef DUALBVH_WITH_JANSSON
static dbvh_status read_entry( scene_ignores *list, const char *file, size_t index, const json_t *value,
                               dbvh_error *error ) {
	const char *id = json_string_value( json_object_get( value, "id" ) );
	const char *a = json_string_value( json_object_get( value, "a" ) );
	const char *b = json_string_value( json_object_get( value, "b" ) );
	const char *reason = json_string_value( json_object_get( value, "reason" ) );
	scene_ignore entry = { .file = file, .has_id = id != NULL };
	char sentence[160];
	const char *wrong = NULL;
	if ( id != NULL ? a != NULL || b != NULL : a == NULL || b == NULL )
		wrong = "has neither an id nor two patterns a and b, or both";
	else if ( id != NULL && !scene_hash_read( id, strlen( id ), &entry.id ) )
		wrong = "has an id that is not sixteen hexadecimal digits";
	else if ( reason == NULL || *skip_blanks( reason ) == '\0' )
		wrong = "has no reason";
	if ( wrong != NULL ) {
		snprintf( sentence, sizeof sentence, "entry %zu of the ignores %s", index, wrong );
		return refuse( error, 0, sentence );
	}
	entry.reason = copy( reason, strlen( reason ) );
	if ( id == NULL ) {
		entry.a = copy( a, strlen( a ) );
		entry.b = copy( b, strlen( b ) );
	}
	return add( list, entry ) ? DBVH_OK : no_memory( error );
}

static dbvh_status read_json( scene_ignores *list, const char *file, const char *text, size_t count,
                              dbvh_error *error ) {
	json_error_t where;
	json_t *root = json_loadb( text, count, JSON_REJECT_DUPLICATES, &where );
	if ( root == NULL )
		return refuse( error, where.line, where.text );
	const char *schema = json_string_value( json_object_get( root, "schema" ) );
	const json_t *entries = json_object_get( root, "ignores" );
	dbvh_status status = DBVH_OK;
	if ( schema == NULL || strcmp( schema, "dualbvh.ignores/1" ) != 0 )
		status = refuse( error, 0, "its \"schema\" is not \"dualbvh.ignores/1\"" );
	else if ( !json_is_array( entries ) )
		status = refuse( error, 0, "it has no list \"ignores\"" );
	for ( size_t i = 0; status == DBVH_OK && i < json_array_size( entries ); ++i )
		status = read_entry( list, file, i, json_array_get( entries, i ), error );
	json_decref( root );
	return status;
}
#else
static dbvh_status read_json( scene_ignores *list, const char *file, const char *text, size_t count,
                              dbvh_error *error ) {
	(void)list, (void)file, (void)text, (void)count;
	return refuse( error, 0, "this build has no jansson, which reads JSON; the text form needs nothing" );
}
#endif

dbvh_status scene_ignores_parse( scene_ignores *list, const char *file, const unsigned char *bytes, size_t count,
                                 dbvh_error *error ) {
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	char *text = scene_copy_text( bytes, count, error );
	if ( text == NULL )
		return error->status;
	const dbvh_status status = text[strspn( text, " \t\r\n" )] == '{'
	                               ? read_json( list, file, text, strlen( text ), error )
	                               : read_text( list, file, text, error );
	free( text );
	return status;
}

dbvh_status scene_ignores_read( scene_ignores *list, const char *file, dbvh_error *error ) {
	size_t count;
	unsigned char *bytes;
	dbvh_status status = scene_disk_read( file, &bytes, &count, NULL, error );
	if ( status != DBVH_OK )
		return status;
	status = scene_ignores_parse( list, file, bytes, count, error );
	free( bytes );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Application

typedef struct known_id {
	uint64_t id;
	uint32_t entry;
} known_id;

static int by_id( const void *a, const void *b ) {
	const known_id *x = a, *y = b;
	if ( x->id != y->id )
		return x->id < y->id ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static uint32_t find_id( const known_id *ids, size_t count, uint64_t id ) {
	size_t low = 0, high = count;
	while ( low < high ) {
		const size_t middle = low + ( high - low ) / 2;
		if ( ids[middle].id < id )
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ids[low].id == id ? ids[low].entry : SCENE_NONE;
}

static bool fits( const scene_ignore *entry, const scene_body *a, const scene_body *b ) {
	return ( scene_names_body( entry->a, a ) && scene_names_body( entry->b, b ) ) ||
	       ( scene_names_body( entry->a, b ) && scene_names_body( entry->b, a ) );
}

bool scene_ignores_apply( scene_ignores *list, scene_findings *findings ) {
	known_id *ids = malloc( ( list->count + 1 ) * sizeof *ids );
	uint32_t *wide = malloc( ( list->count + 1 ) * sizeof *wide );
	size_t id_count = 0, wide_count = 0;
	const bool ok = ids != NULL && wide != NULL;
	for ( uint32_t i = 0; ok && i < list->count; ++i ) {
		if ( list->entries[i].has_id )
			ids[id_count++] = ( known_id ){ list->entries[i].id, i };
		else
			wide[wide_count++] = i;
	}
	if ( ok && id_count > 0 )
		qsort( ids, id_count, sizeof *ids, by_id );
	for ( size_t i = 0; ok && i < findings->clash_count; ++i ) {
		scene_clash *c = &findings->clashes[i];
		const scene_body *bodies = findings->assembly->model.bodies;
		c->ignored_by = find_id( ids, id_count, c->id );
		for ( size_t k = 0; k < wide_count && wide[k] < c->ignored_by; ++k )
			if ( fits( &list->entries[wide[k]], &bodies[c->a], &bodies[c->b] ) )
				c->ignored_by = wide[k];
		if ( c->ignored_by != SCENE_NONE )
			++list->entries[c->ignored_by].used;
	}
	free( ids );
	free( wide );
	return ok;
}
