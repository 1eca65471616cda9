// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/disk.h"

#include "base/os.h"
#include "model/refuse.h"
#include "model/whole_file.h"
#include "text/ending.h"
#include "text/grow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Names

static char *join( const char *folder, const char *name ) {
	char *made = malloc( strlen( folder ) + strlen( name ) + 2 );
	if ( made != NULL )
		sprintf( made, "%s/%s", folder, name );
	return made;
}

// Is this folder a package of ROS?
static bool is_package( const char *folder ) {
	char *mark = join( folder, "package.xml" );
	dbvhi_os_facts facts;
	const bool found = mark != NULL && dbvhi_os_facts_of( mark, true, &facts );
	free( mark );
	return found;
}

// The folder around the file that has the name of the package; "" where there is none. Far up it must be marked as one:
// a stranger's file must not make one of any folder whose name it guesses. NULL: no memory.
static char *find_around( const char *path, const char *package, size_t length ) {
	char *folder = dbvhi_os_real_path( path );
	if ( folder == NULL )
		return scene_copy( "" );
	for ( int up = 1; dbvhi_os_go_up( folder ); ++up ) {
		const char *last = strrchr( folder, '/' );
		if ( last != NULL && strlen( last + 1 ) == length && memcmp( last + 1, package, length ) == 0 &&
		     ( up <= 2 || is_package( folder ) ) )
			return folder;
	}
	*folder = '\0';
	return folder;
}

// Is a real path in the folder, links followed, or below it?
static bool is_below( const char *real, const char *folder ) {
	char *root = dbvhi_os_real_path( *folder != '\0' ? folder : "/" );
	const size_t length = root != NULL ? strlen( root ) : 0;
	const bool is_inside = root != NULL && strncmp( real, root, length ) == 0 &&
	                       ( real[length] == '/' || real[length] == '\0' || root[length - 1] == '/' );
	free( root );
	return is_inside;
}

// Is it below the folder that the file is in, by this name of it?
static bool is_beside( const char *real, const char *file ) {
	char *folder = scene_copy( dbvhi_os_last_separator( file ) != NULL ? file : "./" );
	const bool is_inside = folder != NULL && dbvhi_os_go_up( folder ) && is_below( real, folder );
	free( folder );
	return is_inside;
}

static bool is_in_package( const char *real, const char *file ) {
	char *folder = scene_copy( file );
	bool found = false;
	while ( folder != NULL && !found && dbvhi_os_go_up( folder ) )
		found = is_package( folder );
	const bool is_inside = found && is_below( real, folder );
	free( folder );
	return is_inside;
}

// May this file be named by the file of the disk? `package` is the folder that its name led through, or NULL.
static bool is_allowed( const scene_disk *disk, const char *real, const char *package ) {
	const scene_read_options *o = disk->options;
	if ( o != NULL && o->trust.allow_outside )
		return true;
	for ( size_t i = 0; o != NULL && i < o->package_count; ++i ) {
		const char *folder = strchr( o->packages[i], '=' );
		if ( folder != NULL && folder[1] != '\0' && is_below( real, folder + 1 ) )
			return true;
	}
	if ( is_beside( real, disk->path ) || ( package != NULL && is_below( real, package ) ) )
		return true;
	char *file = dbvhi_os_real_path( disk->path );
	const bool is_inside = file != NULL && ( is_beside( real, file ) || is_in_package( real, file ) );
	free( file );
	return is_inside;
}

// The file of "name/rest", and in *folder_out the folder of the package where none was given and it is around the file.
static char *resolve_package( const scene_disk *disk, const char *name, char **folder_out, dbvh_error *error ) {
	const size_t length = strcspn( name, "/" );
	const char *rest = name + length + ( name[length] == '/' );
	char *made = NULL;
	for ( size_t i = 0; disk->options != NULL && i < disk->options->package_count; ++i ) {
		const char *package = disk->options->packages[i];
		if ( strncmp( package, name, length ) == 0 && package[length] == '=' ) {
			made = join( package + length + 1, rest );
			if ( made == NULL )
				scene_refuse_memory( error );
			return made;
		}
	}
	*folder_out = find_around( disk->path, name, length );
	if ( *folder_out != NULL && **folder_out == '\0' ) {
		scene_refuse( error, DBVH_IO, "where is package %.*s? --package %.*s=FOLDER says it",
		              (int)( length < 60 ? length : 60 ), name, (int)( length < 60 ? length : 60 ), name );
		return NULL;
	}
	made = *folder_out != NULL ? join( *folder_out, rest ) : NULL;
	if ( made == NULL )
		scene_refuse_memory( error );
	return made;
}

// NULL after filling in *error.
static char *resolve( const scene_disk *disk, const char *name, char **folder_out, dbvh_error *error ) {
	if ( strncmp( name, "package://", 10 ) == 0 )
		return resolve_package( disk, name + 10, folder_out, error );
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

// Opens a regular file: no device or pipe, which would never end or begin. Nobody at the command line has named it.
static dbvh_status read_named( const scene_disk *disk, const char *real, unsigned char **bytes_out, size_t *count_out,
                               dbvh_error *error ) {
	dbvhi_os_facts facts;
	const int descriptor = dbvhi_os_open( real, DBVHI_OS_READ | DBVHI_OS_NO_WAIT | DBVHI_OS_NO_LINK, 0 );
	if ( descriptor < 0 )
		return scene_refuse_disk( error, "opened", errno );
	if ( dbvhi_os_facts_of_open( descriptor, &facts ) && facts.kind == DBVHI_OS_REGULAR )
		return scene_descriptor_read( descriptor, bytes_out, count_out, disk->ledger, error );
	dbvhi_os_close( descriptor );
	return scene_refuse( error, DBVH_IO, "it is no regular file" );
}

void scene_opened_free( scene_opened *opened ) {
	for ( size_t i = 0; i < opened->count; ++i )
		free( opened->paths[i] );
	free( opened->paths );
	*opened = ( scene_opened ){ 0 };
}

// Note a file that was read, and take its path. False where there is no memory.
static bool note_opened( const scene_disk *disk, char **real ) {
	scene_opened *opened = disk->options != NULL ? disk->options->opened : NULL;
	if ( opened == NULL )
		return true;
	if ( !scene_grow( &opened->paths, &opened->capacity, opened->count, sizeof *opened->paths ) )
		return false;
	opened->paths[opened->count++] = *real;
	*real = NULL;
	return true;
}

static bool open_file( void *user, const char *name, unsigned char **bytes_out, size_t *count_out, dbvh_error *error ) {
	const scene_disk *disk = user;
	dbvh_error local = { 0 };
	char *folder = NULL, *path = resolve( disk, name, &folder, error );
	if ( path == NULL ) {
		free( folder );
		return false;
	}
	char *real = dbvhi_os_real_path( path );
	dbvh_status status = DBVH_IO;
	if ( real == NULL )
		scene_refuse_disk( &local, "opened", errno );
	else if ( !is_allowed( disk, real, folder ) )
		scene_refuse( &local, status, "outside of the folder of the scene and its package; --allow-outside reads it" );
	else
		status = read_named( disk, real, bytes_out, count_out, &local );
	if ( status == DBVH_OK && !note_opened( disk, &real ) ) {
		free( *bytes_out );
		*bytes_out = NULL;
		status = scene_refuse_memory( &local );
	}
	if ( status != DBVH_OK )
		scene_refuse( error, status, "%.100s: %.120s", path, local.text );
	free( real );
	free( path );
	free( folder );
	return status == DBVH_OK;
}

static void release_file( void *user, unsigned char *bytes, size_t count ) {
	(void)user, (void)count;
	free( bytes );
}

scene_source scene_disk_source( scene_disk *disk ) {
	return ( scene_source ){ .open = open_file, .release = release_file, .user = disk, .name = disk->path };
}
