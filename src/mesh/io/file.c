// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/file.h"

#include "base/reason.h"
#include "base/status.h"

#include <errno.h>

dbvh_status dbvhi_file_refuse( dbvh_error *error, int number, const char *what ) {
	const char *why = dbvhi_reason( number );
	if ( why == NULL )
		return dbvhi_error_set( error, DBVH_IO, "the file cannot be %s (error number %d)", what, number );
	return dbvhi_error_set( error, DBVH_IO, "the file cannot be %s: %s", what, why );
}

// The system's reason, in words.
static dbvh_status worded( bool done, const char *what, dbvh_error *error ) {
	if ( done )
		return DBVH_OK;
	return errno == ENOMEM ? dbvhi_error_status( error, DBVH_OUT_OF_MEMORY ) : dbvhi_file_refuse( error, errno, what );
}

dbvh_status dbvhi_file_create( const char *path, dbvhi_replaced kind, dbvhi_replacement *file, dbvh_error *error ) {
	const char *what;
	const bool done = dbvhi_replacement_begin( file, path, kind, &what );
	return worded( done, what, error );
}

dbvh_status dbvhi_file_finish( dbvhi_replacement *file, bool is_whole, dbvh_error *error ) {
	const char *what;
	const bool done = dbvhi_replacement_end( file, is_whole, true, &what );
	return worded( done, what, error );
}

dbvh_status dbvhi_file_write( const char *path, const void *bytes, size_t count, dbvh_error *error ) {
	dbvhi_replacement file;
	DBVHI_TRY( dbvhi_file_create( path, DBVHI_REPLACE_TARGET, &file, error ) );
	const bool is_whole = dbvhi_replacement_append( &file, bytes, count );
	return dbvhi_file_finish( &file, is_whole, error );
}
