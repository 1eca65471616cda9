// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/status.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRINGIFY( x ) #x
#define VERSION_STRING( a, b, c ) STRINGIFY( a ) "." STRINGIFY( b ) "." STRINGIFY( c )

const char *dbvh_version( void ) {
	return VERSION_STRING( DBVH_VERSION_MAJOR, DBVH_VERSION_MINOR, DBVH_VERSION_PATCH );
}

const char *dbvh_status_name( dbvh_status status ) {
	static const char *const names[] = {
#define STATUS_NAME( name, text ) #name,
	    DBVH_STATUS_LIST( STATUS_NAME )
#undef STATUS_NAME
	};
	return (unsigned)status < DBVH_STATUS_COUNT ? names[status] : "?";
}

const char *dbvh_status_text( dbvh_status status ) {
	static const char *const texts[] = {
#define STATUS_TEXT( name, text ) text,
	    DBVH_STATUS_LIST( STATUS_TEXT )
#undef STATUS_TEXT
	};
	return (unsigned)status < DBVH_STATUS_COUNT ? texts[status] : "?";
}

void dbvhi_error_reset( dbvh_error *error ) {
	memset( error, 0, sizeof *error );
	error->status = DBVH_OK;
	error->byte = -1;
	error->element = -1;
}

dbvh_status dbvhi_error_set( dbvh_error *error, dbvh_status status, const char *format, ... ) {
	DBVHI_ASSERT( format != NULL );
	if ( error == NULL )
		return status;
	error->status = status;
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( error->text, sizeof error->text, format, arguments );
	va_end( arguments );
	return status;
}

dbvh_status dbvhi_error_status( dbvh_error *error, dbvh_status status ) {
	return status == DBVH_OK ? DBVH_OK : dbvhi_error_set( error, status, "%s", dbvh_status_text( status ) );
}

dbvh_status dbvhi_error_null( dbvh_error *error, const char *name ) {
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "%s is NULL", name );
}
