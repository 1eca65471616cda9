// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void refuse( dbvh_error *error, dbvh_status status, int64_t line, const char *format, va_list arguments ) {
	if ( error == NULL )
		return;
	*error = ( dbvh_error ){ .status = status, .line = line, .byte = -1, .element = -1 };
	vsnprintf( error->text, sizeof error->text, format, arguments );
}

dbvh_status scene_refuse( dbvh_error *error, dbvh_status status, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	refuse( error, status, 0, format, arguments );
	va_end( arguments );
	return status;
}

dbvh_status scene_refuse_at( dbvh_error *error, dbvh_status status, int64_t line, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	refuse( error, status, line, format, arguments );
	va_end( arguments );
	return status;
}

void scene_blame( dbvh_error *error, int64_t line, const char *format, ... ) {
	if ( error == NULL )
		return;
	char words[sizeof error->text], sentence[sizeof error->text];
	memcpy( sentence, error->text, sizeof sentence );
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( words, sizeof words, format, arguments );
	va_end( arguments );
	// The sentence after the words is truncated where both do not fit.
	const size_t length = strlen( words );
	memcpy( error->text, words, length + 1 );
	snprintf( error->text + length, sizeof error->text - length, "%s", sentence );
	error->line = line;
}

void scene_renumber( dbvh_error *error, size_t before ) {
	if ( error == NULL || error->element < 0 )
		return;
	error->element += (int64_t)before;
	const char *number = strchr( error->text, ' ' ), *why = strchr( error->text, ':' );
	if ( number == NULL || why == NULL || number + 1 + strspn( number + 1, "0123456789" ) != why )
		return;
	char sentence[sizeof error->text];
	memcpy( sentence, error->text, sizeof sentence );
	snprintf( error->text, sizeof error->text, "%.*s%lld%s", (int)( number + 1 - error->text ), sentence,
	          (long long)error->element, sentence + ( why - error->text ) );
}

dbvh_status scene_refuse_memory( dbvh_error *error ) {
	return scene_refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the scene" );
}

dbvh_status scene_refuse_ceiling( const scene_ledger *ledger, dbvh_error *error ) {
	return scene_refuse( error, DBVH_LIMIT,
	                     "its meshes and bodies take more than %llu MiB, the ceiling for files of this size; "
	                     "--most-memory raises it",
	                     (unsigned long long)( ledger->allowed >> 20 ) );
}

void scene_hush( dbvh_error *error ) {
	if ( error->status == DBVH_MALFORMED )
		snprintf( error->text, sizeof error->text, "%s; 'dualbvh info' of that file says what is wrong",
		          dbvh_status_text( error->status ) );
}

dbvh_status scene_refuse_without( dbvh_error *error, const char *library, const char *format ) {
	return scene_refuse( error, DBVH_UNKNOWN_FORMAT, "this dualbvh was built without %s, which it needs for %s",
	                     library, format );
}
