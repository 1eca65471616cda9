// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "report/archive.h"

#include "os/os.h"

#ifdef DUALBVH_WITH_LIBZIP

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zip.h>

enum { EFFORT = 1 }; // level of deflate; 3 makes reports 0.3 % smaller

struct archive {
	zip_source_t *bytes; // the archive in memory
	zip_t *zip;
	uint16_t date, time; // in MS-DOS format
	bool has_failed;
	bool ( *is_given_up )( void *user );
	void *user;
};

bool archive_is_known( void ) {
	return true;
}

// The years are 1980 to 2107, two seconds a step; UTC, so that no time zone changes the bytes.
static void set_date( archive *a, int64_t now ) {
	const time_t seconds = (time_t)now;
	struct tm t;
	if ( !os_utc( seconds, &t ) || t.tm_year < 80 )
		t = ( struct tm ){ .tm_year = 80, .tm_mday = 1 };
	if ( t.tm_year > 207 )
		t = ( struct tm ){ .tm_year = 207, .tm_mon = 11, .tm_mday = 31 };
	a->date = (uint16_t)( ( t.tm_year - 80 ) << 9 | ( t.tm_mon + 1 ) << 5 | t.tm_mday );
	a->time = (uint16_t)( t.tm_hour << 11 | t.tm_min << 5 | t.tm_sec / 2 );
}

archive *archive_begin( int64_t now ) {
	archive *a = calloc( 1, sizeof *a );
	if ( a == NULL )
		return NULL;
	set_date( a, now );
	a->bytes = zip_source_buffer_create( NULL, 0, 0, NULL );
	if ( a->bytes == NULL ) {
		free( a );
		return NULL;
	}
	zip_source_keep( a->bytes ); // beyond zip_close()
	a->zip = zip_open_from_source( a->bytes, ZIP_TRUNCATE, NULL );
	if ( a->zip == NULL )
		zip_source_free( a->bytes );
	a->has_failed = a->zip == NULL;
	return a;
}

static zip_int64_t add_file( archive *a, const char *name, void *bytes, size_t count ) {
	zip_source_t *source = zip_source_buffer( a->zip, bytes, count, 1 );
	if ( source == NULL ) {
		free( bytes );
		return -1;
	}
	const zip_int64_t index = zip_file_add( a->zip, name, source, ZIP_FL_ENC_UTF_8 );
	if ( index < 0 )
		zip_source_free( source ); // with the bytes
	return index;
}

void archive_add( archive *a, const char *name, void *bytes, size_t count, bool is_packed ) {
	const bool is_folder = name[strlen( name ) - 1] == '/';
	const uint32_t mode = is_folder ? 040755u << 16 | 16 : 0100644u << 16;
	if ( a->has_failed ) {
		free( bytes );
		return;
	}
	const zip_int64_t index =
	    is_folder ? zip_dir_add( a->zip, name, ZIP_FL_ENC_UTF_8 ) : add_file( a, name, bytes, count );
	const zip_uint64_t i = (zip_uint64_t)index;
	a->has_failed = index < 0 || zip_file_set_dostime( a->zip, i, a->time, a->date, 0 ) != 0 ||
	                zip_file_set_external_attributes( a->zip, i, 0, ZIP_OPSYS_UNIX, mode ) != 0 ||
	                zip_set_file_compression( a->zip, i, is_folder || is_packed ? ZIP_CM_STORE : ZIP_CM_DEFLATE,
	                                          is_folder || is_packed ? 0 : EFFORT ) != 0;
}

static int on_progress( zip_t *zip, void *user ) {
	const archive *a = user;
	(void)zip;
	return a->is_given_up( a->user );
}

static bool write_all( zip_source_t *from, FILE *file ) {
	static unsigned char room[1 << 16];
	zip_int64_t count = -1;
	if ( zip_source_open( from ) != 0 )
		return false;
	while ( ( count = zip_source_read( from, room, sizeof room ) ) > 0 )
		if ( fwrite( room, 1, (size_t)count, file ) != (size_t)count )
			break;
	zip_source_close( from );
	return count >= 0;
}

bool archive_end( archive *a, FILE *file, bool ( *is_given_up )( void *user ), void *user ) {
	bool ok = !a->has_failed;
	a->is_given_up = is_given_up;
	a->user = user;
	if ( ok && is_given_up != NULL )
		ok = zip_register_cancel_callback_with_state( a->zip, on_progress, NULL, a ) == 0;
	ok = ok && zip_close( a->zip ) == 0;
	if ( !ok && a->zip != NULL )
		zip_discard( a->zip );
	ok = ok && write_all( a->bytes, file );
	zip_source_free( a->bytes );
	free( a );
	return ok;
}

#else

#include <stdlib.h>

bool archive_is_known( void ) {
	return false;
}

archive *archive_begin( int64_t now ) {
	(void)now;
	return NULL;
}

void archive_add( archive *a, const char *name, void *bytes, size_t count, bool is_packed ) {
	(void)a, (void)name, (void)count, (void)is_packed;
	free( bytes );
}

bool archive_end( archive *a, FILE *file, bool ( *is_given_up )( void *user ), void *user ) {
	(void)a, (void)file, (void)is_given_up, (void)user;
	return false;
}

#endif
