// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// stat() and realpath() are POSIX, and the dialect here is strict C.
#define _XOPEN_SOURCE 700

#include "scene/disk.h"

#include "scene/ending.h"
#include "scene/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// An end for what never ends, such as a device.
static const uint64_t most_bytes = UINT64_C( 1 ) << 36;

static dbvh_status refuse_file( dbvh_error *error, const char *what, int number ) {
	return number != 0 ? scene_refuse( error, DBVH_IO, "the file cannot be %s: %s", what, strerror( number ) )
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
			status = refuse_file( error, "read", errno );
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

dbvh_status scene_disk_read( const char *path, unsigned char **bytes_out, size_t *count_out, dbvh_error *error ) {
	struct stat facts = { 0 };
	errno = 0;
	FILE *stream = fopen( path, "rb" );
	if ( stream == NULL )
		return refuse_file( error, "opened", errno );
	const bool known = fstat( fileno( stream ), &facts ) == 0 && S_ISREG( facts.st_mode ) && facts.st_size > 0 &&
	                   (uint64_t)facts.st_size < most_bytes;
	const dbvh_status status = read_stream( stream, known ? (size_t)facts.st_size : 0, bytes_out, count_out, error );
	fclose( stream );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Names

static char *join( const char *folder, const char *name ) {
	char *made = malloc( strlen( folder ) + strlen( name ) + 2 );
	if ( made != NULL )
		sprintf( made, "%s/%s", folder, name );
	return made;
}

// The folder around the file that has the name of the package, and what follows in it. NULL: there is none, or no
// memory.
static char *find_around( const char *path, const char *package, size_t length, const char *rest ) {
	char *folder = realpath( path, NULL ), *found = NULL;
	for ( char *slash; folder != NULL && found == NULL && ( slash = strrchr( folder, '/' ) ) != NULL; ) {
		*slash = '\0';
		const char *last = strrchr( folder, '/' );
		if ( last != NULL && strlen( last + 1 ) == length && memcmp( last + 1, package, length ) == 0 )
			found = join( folder, rest );
	}
	free( folder );
	return found;
}

static char *resolve_package( const scene_disk *disk, const char *name, dbvh_error *error ) {
	const size_t length = strcspn( name, "/" );
	const char *rest = name + length + ( name[length] == '/' );
	for ( size_t i = 0; disk->options != NULL && i < disk->options->package_count; ++i ) {
		const char *package = disk->options->packages[i];
		if ( strncmp( package, name, length ) == 0 && package[length] == '=' ) {
			char *made = join( package + length + 1, rest );
			if ( made == NULL )
				scene_refuse_memory( error );
			return made;
		}
	}
	char *made = find_around( disk->path, name, length, rest );
	if ( made == NULL )
		scene_refuse( error, DBVH_IO, "where is package %.*s? --package %.*s=FOLDER says it",
		              (int)( length < 60 ? length : 60 ), name, (int)( length < 60 ? length : 60 ), name );
	return made;
}

// NULL after filling in *error.
static char *resolve( const scene_disk *disk, const char *name, dbvh_error *error ) {
	if ( strncmp( name, "package://", 10 ) == 0 )
		return resolve_package( disk, name + 10, error );
	if ( strncmp( name, "file://", 7 ) == 0 )
		name += 7;
	if ( strstr( name, "://" ) != NULL ) {
		scene_refuse( error, DBVH_IO, "'%.100s' is on no disk", name );
		return NULL;
	}
	char *made = scene_name_beside( disk->path, name );
	if ( made == NULL )
		scene_refuse_memory( error );
	return made;
}

static bool open_file( void *user, const char *name, unsigned char **bytes_out, size_t *count_out, dbvh_error *error ) {
	dbvh_error local;
	struct stat facts;
	char *path = resolve( user, name, error );
	if ( path == NULL )
		return false;
	// Not a device or a pipe, which would never end or begin: nobody at the command line has named it.
	const bool known = stat( path, &facts ) == 0;
	dbvh_status status = DBVH_IO;
	if ( known && !S_ISREG( facts.st_mode ) )
		scene_refuse( error, status, "%.100s is no regular file", path );
	else if ( ( status = scene_disk_read( path, bytes_out, count_out, &local ) ) != DBVH_OK )
		scene_refuse( error, status, "%.100s: %.120s", path, local.text );
	free( path );
	return status == DBVH_OK;
}

static void release_file( void *user, unsigned char *bytes, size_t count ) {
	(void)user, (void)count;
	free( bytes );
}

scene_source scene_disk_source( scene_disk *disk ) {
	return ( scene_source ){ .open = open_file, .release = release_file, .user = disk, .name = disk->path };
}
