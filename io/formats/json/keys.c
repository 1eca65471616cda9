// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/json/keys.h"

#ifdef DUALBVH_WITH_JANSSON

#include "model/refuse.h"
#include "text/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool json_keys_refuse( const json_keys *k, const char *format, ... ) {
	char text[sizeof k->error->text];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof text, format, arguments );
	va_end( arguments );
	scene_refuse( k->error, DBVH_MALFORMED, "%s: %s", k->where, text );
	return false;
}

bool json_keys_refuse_inner( const json_keys *k, const char *what, const dbvh_error *inner ) {
	char line[32] = "";
	if ( inner->line > 0 )
		snprintf( line, sizeof line, ", line %lld", (long long)inner->line );
	json_keys_refuse( k, "'%.60s'%s: %.170s", what, line, inner->text );
	k->error->status = inner->status;
	return false;
}

static bool refuse_key( const json_keys *k, const char *key, const char *const *known, size_t count ) {
	const char *meant = suggest( key, strlen( key ), known, count );
	return json_keys_refuse( k, "there is no key '%.40s' here%s%s%s", key, meant != NULL ? " (did you mean '" : "",
	                         meant != NULL ? meant : "", meant != NULL ? "'?)" : "" );
}

bool json_keys_check( const json_keys *k, const char *const *known, size_t count ) {
	const char *key;
	json_t *value;
	if ( !json_is_object( k->object ) )
		return json_keys_refuse( k, "this is no object: it does not begin with {" );
	json_object_foreach( (json_t *)k->object, key, value ) {
		bool found = strcmp( key, "comment" ) == 0;
		for ( size_t i = 0; i < count && !found; ++i )
			found = strcmp( key, known[i] ) == 0;
		if ( !found )
			return refuse_key( k, key, known, count );
	}
	return true;
}

bool json_keys_has( const json_keys *k, const char *key ) {
	return json_object_get( k->object, key ) != NULL;
}

bool json_keys_text( const json_keys *k, const char *key, const char **out ) {
	const json_t *value = json_object_get( k->object, key );
	if ( value == NULL )
		return true;
	if ( json_string_length( value ) == 0 )
		return json_keys_refuse( k, "'%s' is %s", key, json_is_string( value ) ? "empty" : "no text" );
	*out = json_string_value( value );
	return true;
}

bool json_keys_flag( const json_keys *k, const char *key, bool *out ) {
	const json_t *value = json_object_get( k->object, key );
	if ( value == NULL )
		return true;
	if ( !json_is_boolean( value ) )
		return json_keys_refuse( k, "'%s' is neither true nor false", key );
	*out = json_is_true( value );
	return true;
}

bool json_keys_length( const json_keys *k, const char *key, double *out ) {
	const json_t *value = json_object_get( k->object, key );
	if ( value == NULL )
		return true;
	if ( !json_is_number( value ) || !( json_number_value( value ) >= 0.0 ) )
		return json_keys_refuse( k, "'%s' is no length: a number from 0", key );
	*out = json_number_value( value ) + 0.0;
	return true;
}

bool json_keys_array( const json_keys *k, const char *key, const json_t **out ) {
	*out = json_object_get( k->object, key );
	return *out == NULL || json_is_array( *out ) || json_keys_refuse( k, "'%s' is no array", key );
}

bool json_keys_reals( const json_keys *k, const char *key, size_t room, double *out, size_t *count_out ) {
	const json_t *array = json_object_get( k->object, key );
	*count_out = json_array_size( array );
	if ( !json_is_array( array ) || *count_out > room )
		return json_keys_refuse( k, "'%s' is no array of at most %zu numbers", key, room );
	for ( size_t i = 0; i < *count_out; ++i ) {
		if ( !json_is_number( json_array_get( array, i ) ) )
			return json_keys_refuse( k, "'%s': entry %zu is no number", key, i );
		out[i] = json_number_value( json_array_get( array, i ) );
	}
	return true;
}

#else

typedef int json_keys_is_empty;

#endif
