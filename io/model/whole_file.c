// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/whole_file.h"

#include "base/os.h"
#include "model/refuse.h"
#include "text/reason.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A limit for files that never end, such as devices.
static const uint64_t most_bytes = UINT64_C( 1 ) << 36;

dbvh_status scene_refuse_disk( dbvh_error *error, const char *what, int number ) {
	return number != 0 ? scene_refuse( error, DBVH_IO, "the file cannot be %s: %s", what, reason_of( number ) )
	                   : scene_refuse( error, DBVH_IO, "the file cannot be %s", what );
}

// `expected` is what the system says of its size; a pipe has none.
static dbvh_status read_stream( FILE *stream, size_t expected, unsigned char **bytes_out, size_t *count_out,
                                dbvh_error *error ) {
	size_t capacity = expected + 1 > 1 << 16 ? expected + 1 : 1 << 16, count = 0;
	unsigned char *bytes = malloc( capacity );
	dbvh_status status = bytes != NULL ? DBVH_OK : scene_refuse_memory( error );
	while ( status == DBVH_OK ) {
		errno = 0;
		count += fread( bytes + count, 1, capacity - count, stream );
		if ( ferror( stream ) ) {
			status = scene_refuse_disk( error, "read", errno );
		} else if ( count < capacity ) {
			break;
		} else if ( count >= most_bytes ) {
			status = scene_refuse( error, DBVH_LIMIT, "the file has more than 2^36 bytes" );
		} else {
			unsigned char *grown = realloc( bytes, 2 * capacity );
			status = grown != NULL ? DBVH_OK : scene_refuse_memory( error );
			bytes = grown != NULL ? grown : bytes;
			capacity *= 2;
		}
	}
	if ( status != DBVH_OK ) {
		free( bytes );
		return status;
	}
	*bytes_out = bytes;
	*count_out = count;
	return DBVH_OK;
}

dbvh_status scene_descriptor_read( int descriptor, unsigned char **bytes_out, size_t *count_out, scene_ledger *ledger,
                                   dbvh_error *error ) {
	dbvhi_os_facts facts = { 0 };
	FILE *stream = dbvhi_os_stream_of( descriptor, "rb" );
	if ( stream == NULL ) {
		dbvhi_os_close( descriptor );
		return scene_refuse_memory( error );
	}
	const bool known = dbvhi_os_facts_of_open( descriptor, &facts ) && facts.kind == DBVHI_OS_REGULAR &&
	                   facts.size > 0 && facts.size < most_bytes;
	const dbvh_status status = read_stream( stream, known ? (size_t)facts.size : 0, bytes_out, count_out, error );
	fclose( stream );
	if ( status == DBVH_OK && ledger != NULL )
		scene_ledger_credit( ledger, facts.device, facts.number, *count_out );
	return status;
}

dbvh_status scene_disk_read( const char *path, unsigned char **bytes_out, size_t *count_out, scene_ledger *ledger,
                             dbvh_error *error ) {
	const int descriptor = dbvhi_os_open( path, DBVHI_OS_READ, 0 );
	return descriptor >= 0 ? scene_descriptor_read( descriptor, bytes_out, count_out, ledger, error )
	                       : scene_refuse_disk( error, "opened", errno );
}

unsigned char *scene_load_bytes( const char *path, size_t *count_out, dbvh_error *error ) {
	unsigned char *bytes;
	if ( scene_disk_read( path, &bytes, count_out, NULL, error ) != DBVH_OK )
		return NULL;
	unsigned char *longer = realloc( bytes, *count_out + 1 );
	if ( longer == NULL ) {
		free( bytes );
		scene_refuse_memory( error );
		return NULL;
	}
	longer[*count_out] = '\0';
	return longer;
}

char *scene_copy_text( const unsigned char *bytes, size_t count, dbvh_error *error ) {
	const size_t mark = count >= 3 && memcmp( bytes, "\xEF\xBB\xBF", 3 ) == 0 ? 3 : 0;
	if ( memchr( bytes, '\0', count ) != NULL ) {
		scene_refuse( error, DBVH_MALFORMED, "it is no text" );
		return NULL;
	}
	char *text = malloc( count - mark + 1 );
	if ( text == NULL ) {
		scene_refuse_memory( error );
		return NULL;
	}
	memcpy( text, bytes + mark, count - mark );
	text[count - mark] = '\0';
	return text;
}
