// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Functions that fill a dbvh_error; every one takes NULL for a caller that wants none.

#pragma once

#include "dualbvh/base.h"

#include <stddef.h>
#include <string.h>

#if defined( __GNUC__ )
#define DBVHI_PRINTF( string, first ) __attribute__( ( format( printf, string, first ) ) )
#else
#define DBVHI_PRINTF( string, first )
#endif

// Return the status of a call from the calling function, unless it is OK. Not where anything has to be given back.
#define DBVHI_TRY( call )                                                                                              \
	do {                                                                                                               \
		const dbvh_status refused = ( call );                                                                          \
		if ( refused != DBVH_OK )                                                                                      \
			return refused;                                                                                            \
	} while ( 0 )

// Sets success without place or text. Public functions with a dbvh_error call this first.
void dbvhi_error_reset( dbvh_error *error );
static inline void dbvhi_error_clear( dbvh_error *error ) {
	if ( error != NULL )
		dbvhi_error_reset( error );
}

// Sets status and sentence, keeps line, byte and element, and returns `status`.
dbvh_status dbvhi_error_set( dbvh_error *error, dbvh_status status, const char *format, ... ) DBVHI_PRINTF( 3, 4 );

// dbvhi_error_set() with the general sentence of the status.
dbvh_status dbvhi_error_status( dbvh_error *error, dbvh_status status );

// Sets INVALID_ARGUMENT with "NAME is NULL".
dbvh_status dbvhi_error_null( dbvh_error *error, const char *name );

// Completes the error at the end of a call: a refusal without a sentence gets the general one.
static inline dbvh_status dbvhi_error_finish( dbvh_error *error, dbvh_status status ) {
	return error == NULL || error->status == status ? status : dbvhi_error_status( error, status );
}

// Begin a call that gives an answer: clears the error and the answer, or refuses an answer without a place.
static inline dbvh_status dbvhi_answer_clear( void *answer_out, size_t size, const char *name, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( answer_out == NULL )
		return dbvhi_error_null( error, name );
	memset( answer_out, 0, size );
	return DBVH_OK;
}
