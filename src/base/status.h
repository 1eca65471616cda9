// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How the library's functions fill a dbvh_error. Every function takes NULL for "nobody wants to know".

#pragma once

#include "dualbvh/base.h"

#include <stddef.h>

#if defined( __GNUC__ )
#define DBVHI_PRINTF( string, first ) __attribute__( ( format( printf, string, first ) ) )
#else
#define DBVHI_PRINTF( string, first )
#endif

// Success, no place, no text. Public functions with a dbvh_error call this first.
void dbvhi_error_reset( dbvh_error *error );
static inline void dbvhi_error_clear( dbvh_error *error ) {
	if ( error != NULL )
		dbvhi_error_reset( error );
}

// Sets status and sentence, keeps line, byte and element as they are, and returns `status` to be returned onwards.
dbvh_status dbvhi_error_set( dbvh_error *error, dbvh_status status, const char *format, ... ) DBVHI_PRINTF( 3, 4 );

// The same with the general sentence of the status.
dbvh_status dbvhi_error_status( dbvh_error *error, dbvh_status status );

// INVALID_ARGUMENT: "NAME is NULL".
dbvh_status dbvhi_error_null( dbvh_error *error, const char *name );

// For the end of a call that has cleared its error: one that was refused without a sentence gets the general one.
static inline dbvh_status dbvhi_error_finish( dbvh_error *error, dbvh_status status ) {
	return error == NULL || error->status == status ? status : dbvhi_error_status( error, status );
}
