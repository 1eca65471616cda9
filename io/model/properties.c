// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/properties.h"

#include "text/grow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void scene_properties_free( scene_body *body ) {
	for ( uint32_t i = 0; i < body->property_count; ++i ) {
		free( body->properties[i].key );
		free( body->properties[i].value );
	}
	free( body->properties );
	body->properties = NULL;
	body->property_count = 0;
}

static const char *find( const scene_body *body, const char *key ) {
	for ( uint32_t i = 0; i < body->property_count; ++i )
		if ( strcmp( body->properties[i].key, key ) == 0 )
			return body->properties[i].value;
	return NULL;
}

const char *scene_property_of( const scene_body *body, const char *key ) {
	const char *value = find( body, key );
	if ( value != NULL || strcmp( key, "name" ) != 0 )
		return value;
	const char *slash = strrchr( body->path, '/' );
	return slash != NULL ? slash + 1 : body->path;
}

const char *scene_guid_of( const scene_body *body ) {
	const char *guid = find( body, "guid" );
	return guid != NULL ? guid : find( body, "GlobalId" );
}

bool scene_add_property( scene_model *model, uint32_t number, const char *key, const char *value ) {
	scene_body *body = &model->bodies[number];
	const size_t length = strlen( key ) + strlen( value );
	if ( body->property_count == SCENE_MOST_PROPERTIES || length > SCENE_LONGEST_PROPERTY || find( body, key ) != NULL )
		return true;
	if ( !scene_ledger_spend( scene_ledger_of( model ), sizeof *body->properties + 2 * length + 2 ) )
		return false;
	scene_property made = { scene_copy( key ), scene_copy( value ) };
	scene_property *grown = realloc( body->properties, ( body->property_count + 1 ) * sizeof *grown );
	if ( grown != NULL )
		body->properties = grown;
	if ( grown == NULL || made.key == NULL || made.value == NULL ) {
		free( made.key );
		free( made.value );
		return false;
	}
	body->properties[body->property_count++] = made;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Selectors

typedef struct selector {
	const char *key, *value; // in the pattern
	size_t key_length, value_length;
	char op; // '=', '!' or '~'
} selector;

// Reads a selector at `at`, a '['. Returns the text behind its ']', or NULL where there is no selector.
static const char *read_selector( const char *at, selector *out ) {
	out->key = ++at;
	while ( isalnum( (unsigned char)*at ) || strchr( "_.:- ", *at ) != NULL ) {
		if ( *at == '\0' )
			return NULL;
		++at;
	}
	out->key_length = (size_t)( at - out->key );
	out->op = *at;
	if ( out->key_length == 0 || ( *at != '=' && *at != '~' && !( *at == '!' && at[1] == '=' ) ) )
		return NULL;
	at += *at == '!' ? 2 : 1;
	out->value = at;
	while ( *at != '\0' && *at != ']' )
		at += *at == '\\' && at[1] != '\0' ? 2 : 1;
	out->value_length = (size_t)( at - out->value );
	return *at == ']' ? at + 1 : NULL;
}

// The first of the selectors that end the pattern; its end where there are none.
static const char *find_selectors( const char *pattern ) {
	const char *end = pattern + strlen( pattern );
	for ( const char *from = strchr( pattern, '[' ); from != NULL; from = strchr( from + 1, '[' ) ) {
		selector s;
		const char *at = from;
		while ( at != NULL && *at == '[' )
			at = read_selector( at, &s );
		if ( at == end )
			return from;
	}
	return end;
}

bool scene_has_selectors( const char *pattern ) {
	return *find_selectors( pattern ) != '\0';
}

static bool contains( const char *text, const char *part, size_t length ) {
	for ( ;; ++text ) {
		size_t i = 0;
		while ( i < length && text[i] != '\0' &&
		        tolower( (unsigned char)text[i] ) == tolower( (unsigned char)part[i] ) )
			++i;
		if ( i == length )
			return true;
		if ( *text == '\0' )
			return false;
	}
}

// A backslash takes the next character as it stands. Returns the length of `out`.
static size_t without_backslashes( const char *text, size_t length, char *out ) {
	size_t count = 0;
	for ( size_t i = 0; i < length; ++i ) {
		if ( text[i] == '\\' && i + 1 < length )
			++i;
		out[count++] = text[i];
	}
	return count;
}

// Keys and values of selectors are as short as those of properties; longer ones fit nothing.
static bool fits( const selector *s, const scene_body *body ) {
	char key[SCENE_LONGEST_PROPERTY + 1], wanted[SCENE_LONGEST_PROPERTY + 1];
	if ( s->key_length >= sizeof key || s->value_length >= sizeof wanted )
		return false;
	memcpy( key, s->key, s->key_length );
	key[s->key_length] = '\0';
	const char *value = scene_property_of( body, key );
	if ( s->op == '~' )
		return value != NULL && contains( value, wanted, without_backslashes( s->value, s->value_length, wanted ) );
	memcpy( wanted, s->value, s->value_length );
	wanted[s->value_length] = '\0';
	return ( value != NULL && scene_matches_text( wanted, value ) ) == ( s->op == '=' );
}

// "storey-1/" before selectors names what is below storey-1, as "storey-1" does.
static bool fits_path( const char *pattern, const char *end, const char *path ) {
	if ( end > pattern && end[-1] == '/' )
		--end;
	if ( end == pattern )
		return true;
	char *part = malloc( (size_t)( end - pattern ) + 1 );
	if ( part == NULL )
		return false;
	memcpy( part, pattern, (size_t)( end - pattern ) );
	part[end - pattern] = '\0';
	const bool matches = scene_matches( part, path );
	free( part );
	return matches;
}

bool scene_names_body( const char *pattern, const scene_body *body ) {
	const char *at = find_selectors( pattern );
	if ( *at == '\0' )
		return scene_matches( pattern, body->path );
	if ( !fits_path( pattern, at, body->path ) )
		return false;
	while ( *at == '[' ) {
		selector s;
		at = read_selector( at, &s );
		if ( !fits( &s, body ) )
			return false;
	}
	return true;
}
