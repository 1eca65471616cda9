// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/json/load.h"

#ifdef DUALBVH_WITH_JANSSON

#include "model/refuse.h"

#include <stdlib.h>
#include <string.h>

// jansson goes on where a text or a token found no memory, and takes it for shorter than it is.
static _Thread_local bool ran_out;

static void *noting_malloc( size_t size ) {
	void *memory = malloc( size );
	ran_out = ran_out || memory == NULL;
	return memory;
}

json_t *scene_json_load( const unsigned char *bytes, size_t count, bool takes_zeros, dbvh_error *error ) {
	if ( count >= 3 && memcmp( bytes, "\xEF\xBB\xBF", 3 ) == 0 ) {
		bytes += 3;
		count -= 3;
	}
	while ( count > 0 && bytes[count - 1] == '\0' )
		--count;
	json_error_t problem;
	json_set_alloc_funcs( noting_malloc, free );
	ran_out = false;
	json_t *root = json_loadb( (const char *)bytes, count,
	                           JSON_REJECT_DUPLICATES | ( takes_zeros ? JSON_ALLOW_NUL : 0 ), &problem );
	if ( ran_out ) {
		json_decref( root );
		scene_refuse_memory( error );
		return NULL;
	}
	if ( root == NULL ) {
		const enum json_error_code code = json_error_code( &problem );
		const dbvh_status status = code == json_error_premature_end_of_input ? DBVH_TRUNCATED
		                           : code == json_error_stack_overflow       ? DBVH_LIMIT
		                                                                     : DBVH_MALFORMED;
		// The sentence ends with what stands there, which need not be meant for whoever reads it; the line is enough.
		char *quote = strstr( problem.text, " near '" );
		if ( quote != NULL )
			*quote = '\0';
		scene_refuse( error, status, "this is not sound JSON: %s", problem.text );
		if ( error != NULL && problem.line > 0 )
			error->line = problem.line;
		return NULL;
	}
	if ( json_is_object( root ) )
		return root;
	json_decref( root );
	scene_refuse( error, DBVH_MALFORMED, "the JSON is no object: it does not begin with {" );
	return NULL;
}

bool scene_json_is_count( const json_t *value, size_t *out ) {
	const double most = 9007199254740992.0;
	if ( json_is_integer( value ) && json_integer_value( value ) >= 0 && (double)json_integer_value( value ) < most ) {
		*out = (size_t)json_integer_value( value );
		return true;
	}
	if ( !json_is_real( value ) )
		return false;
	const double x = json_real_value( value );
	if ( !( x >= 0.0 && x < most ) || x != (double)(size_t)x )
		return false;
	*out = (size_t)x;
	return true;
}

#else

typedef int scene_json_load_is_empty; // a source of C holds something

#endif
