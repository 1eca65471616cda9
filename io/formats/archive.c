// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/archive.h"

#include "model/refuse.h"

#ifdef DUALBVH_WITH_LIBZIP

#include <stdlib.h>
#include <string.h>
#include <zip.h>

struct scene_archive {
	zip_t *zip;
	uint64_t left; // to be read
};

// Did libzip, or zlib below it, get no memory?
static bool lacks_memory( zip_error_t *why ) {
	enum { NO_MEMORY_OF_ZLIB = -4 };
	const int code = zip_error_code_zip( why );
	return code == ZIP_ER_MEMORY || ( code == ZIP_ER_ZLIB && zip_error_code_system( why ) == NO_MEMORY_OF_ZLIB );
}

dbvh_status scene_archive_open( const unsigned char *bytes, size_t count, scene_archive **archive_out,
                                dbvh_error *error ) {
	zip_error_t why;
	zip_error_init( &why );
	*archive_out = NULL;
	scene_archive *archive = malloc( sizeof *archive );
	zip_source_t *source = archive != NULL ? zip_source_buffer_create( bytes, count, 0, &why ) : NULL;
	dbvh_status status = DBVH_OK;
	if ( source == NULL ) {
		status = scene_refuse_memory( error );
	} else if ( ( archive->zip = zip_open_from_source( source, ZIP_RDONLY, &why ) ) == NULL ) {
		zip_source_free( source );
		status = lacks_memory( &why ) ? scene_refuse_memory( error )
		                              : scene_refuse( error, DBVH_MALFORMED, "this is no sound zip archive: %.100s",
		                                              zip_error_strerror( &why ) );
	}
	zip_error_fini( &why );
	if ( status != DBVH_OK ) {
		free( archive );
		return status;
	}
	archive->left = ( UINT64_C( 16 ) << 20 ) + UINT64_C( 256 ) * count;
	*archive_out = archive;
	return DBVH_OK;
}

void scene_archive_close( scene_archive *archive ) {
	if ( archive != NULL )
		zip_discard( archive->zip );
	free( archive );
}

static zip_int64_t find( const scene_archive *archive, const char *name ) {
	const zip_int64_t index = zip_name_locate( archive->zip, name, 0 );
	return index >= 0 ? index : zip_name_locate( archive->zip, name, ZIP_FL_NOCASE );
}

bool scene_archive_has( scene_archive *archive, const char *name ) {
	return find( archive, name ) >= 0;
}

size_t scene_archive_count( scene_archive *archive, const char *ending ) {
	const zip_int64_t files = zip_get_num_entries( archive->zip, 0 );
	const size_t length = strlen( ending );
	size_t count = 0;
	for ( zip_int64_t i = 0; i < files; ++i ) {
		const char *name = zip_get_name( archive->zip, (zip_uint64_t)i, 0 );
		const size_t room = name != NULL ? strlen( name ) : 0;
		count += room >= length && strcmp( name + room - length, ending ) == 0;
	}
	return count;
}

// All `count` bytes, and none behind them.
static bool read_all( zip_file_t *file, unsigned char *bytes, size_t count ) {
	size_t at = 0;
	while ( at < count ) {
		const zip_int64_t n = zip_fread( file, bytes + at, count - at );
		if ( n <= 0 )
			return false;
		at += (size_t)n;
	}
	unsigned char more;
	return zip_fread( file, &more, 1 ) == 0;
}

dbvh_status scene_archive_read( scene_archive *archive, const char *name, unsigned char **bytes_out, size_t *count_out,
                                dbvh_error *error ) {
	zip_stat_t facts;
	const zip_int64_t index = find( archive, name );
	*bytes_out = NULL;
	if ( index < 0 )
		return scene_refuse( error, DBVH_MALFORMED, "there is no '%.100s' in the archive", name );
	if ( zip_stat_index( archive->zip, (zip_uint64_t)index, 0, &facts ) != 0 || ( facts.valid & ZIP_STAT_SIZE ) == 0 )
		return scene_refuse( error, DBVH_MALFORMED, "'%.100s' of the archive has no size", name );
	if ( ( facts.valid & ZIP_STAT_ENCRYPTION_METHOD ) != 0 && facts.encryption_method != ZIP_EM_NONE )
		return scene_refuse( error, DBVH_UNKNOWN_FORMAT, "'%.100s' of the archive is encrypted", name );
	if ( facts.size > archive->left )
		return scene_refuse( error, DBVH_LIMIT,
		                     "'%.100s' has %llu bytes unpacked, far more than an archive of this size is taken for",
		                     name, (unsigned long long)facts.size );
	const size_t count = (size_t)facts.size;
	unsigned char *bytes = malloc( count > 0 ? count : 1 );
	if ( bytes == NULL )
		return scene_refuse_memory( error );
	zip_file_t *file = zip_fopen_index( archive->zip, (zip_uint64_t)index, 0 );
	const bool good = file != NULL && read_all( file, bytes, count );
	const bool no_memory = lacks_memory( file != NULL ? zip_file_get_error( file ) : zip_get_error( archive->zip ) );
	if ( file != NULL )
		zip_fclose( file );
	archive->left -= facts.size;
	if ( !good ) {
		free( bytes );
		return no_memory ? scene_refuse_memory( error )
		                 : scene_refuse( error, DBVH_MALFORMED,
		                                 "'%.100s' of the archive is damaged, or packed in an unknown way", name );
	}
	*bytes_out = bytes;
	*count_out = count;
	return DBVH_OK;
}

#else

dbvh_status scene_archive_open( const unsigned char *bytes, size_t count, scene_archive **archive_out,
                                dbvh_error *error ) {
	(void)bytes, (void)count;
	*archive_out = NULL;
	return scene_refuse_without( error, "libzip", "3MF" );
}

void scene_archive_close( scene_archive *archive ) {
	(void)archive;
}

bool scene_archive_has( scene_archive *archive, const char *name ) {
	(void)archive, (void)name;
	return false;
}

size_t scene_archive_count( scene_archive *archive, const char *ending ) {
	(void)archive, (void)ending;
	return 0;
}

dbvh_status scene_archive_read( scene_archive *archive, const char *name, unsigned char **bytes_out, size_t *count_out,
                                dbvh_error *error ) {
	(void)archive, (void)name, (void)count_out;
	*bytes_out = NULL;
	return scene_refuse_without( error, "libzip", "3MF" );
}

#endif
