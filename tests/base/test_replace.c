// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The one writer of files: at any time there is the old file or the whole new one, with permissions that a file of
// this user may have, and nothing is written through a link that nobody meant.

#define _DEFAULT_SOURCE

#include "base/replace.h"
#include "support/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 400, OTHER_USER = 65534 };
static const char old_text[] = "what was there before";
static const char new_text[] = "the whole of the new file, and a little longer";

static char folder[32];

static int enter( void **state ) {
	(void)state;
	strcpy( folder, "replace-XXXXXX" );
	umask( 022 );
	return mkdtemp( folder ) == NULL;
}

static int leave( void **state ) {
	(void)state;
	DIR *list = opendir( folder );
	for ( struct dirent *entry = readdir( list ); entry != NULL; entry = readdir( list ) ) {
		char path[ROOM];
		snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		if ( entry->d_name[0] != '.' )
			unlink( path );
	}
	closedir( list );
	return rmdir( folder );
}

static size_t count_files( void ) {
	size_t count = 0;
	DIR *list = opendir( folder );
	assert_non_null( list );
	for ( struct dirent *entry = readdir( list ); entry != NULL; entry = readdir( list ) )
		count += entry->d_name[0] != '.';
	closedir( list );
	return count;
}

static const char *in_folder( const char *name ) {
	static char path[ROOM];
	snprintf( path, sizeof path, "%s/%s", folder, name );
	return path;
}

static void put( const char *path, const char *text, mode_t mode ) {
	FILE *file = fopen( path, "wb" );
	assert_non_null( file );
	assert_true( fputs( text, file ) >= 0 );
	assert_int_equal( fclose( file ), 0 );
	assert_int_equal( chmod( path, mode ), 0 );
}

static bool holds( const char *path, const char *text ) {
	char found[ROOM];
	FILE *file = fopen( path, "rb" );
	if ( file == NULL )
		return false;
	const size_t count = fread( found, 1, sizeof found, file );
	fclose( file );
	return count == strlen( text ) && memcmp( found, text, count ) == 0;
}

static mode_t mode_of( const char *path ) {
	struct stat facts;
	assert_int_equal( stat( path, &facts ), 0 );
	return facts.st_mode & 07777;
}

static bool replace( const char *path, dbvhi_replaced kind ) {
	dbvhi_replacement r;
	const char *what;
	if ( !dbvhi_replacement_begin( &r, path, kind, &what ) )
		return false;
	const bool is_whole = dbvhi_replacement_append( &r, new_text, strlen( new_text ) );
	return dbvhi_replacement_end( &r, is_whole, true, &what );
}

// ------------------------------------------------------------------------------------------------

// A file of one's own keeps its permission bits, and those alone.
static void own_files( void **state ) {
	(void)state;
	static const mode_t modes[] = { 0600, 0640, 0644, 0755, 0444, 04755, 02755, 01644, 07777 };
	const char *path = in_folder( "own" );
	for ( size_t i = 0; i < sizeof modes / sizeof *modes; ++i ) {
		put( path, old_text, modes[i] );
		assert_true( replace( path, DBVHI_REPLACE_TARGET ) );
		assert_int_equal( mode_of( path ), modes[i] & 0777 );
		assert_true( holds( path, new_text ) );
		unlink( path );
	}
	// A replaced name is never writable by others, whatever the old bits and the umask.
	put( path, old_text, 0666 );
	assert_true( replace( path, DBVHI_REPLACE_NAME ) );
	assert_int_equal( mode_of( path ), 0644 );
	umask( 0 );
	unlink( path );
	assert_true( replace( path, DBVHI_REPLACE_NAME ) );
	assert_int_equal( mode_of( path ), 0644 );
}

static void new_files( void **state ) {
	(void)state;
	static const mode_t masks[] = { 0, 002, 022, 027, 077 };
	const char *path = in_folder( "new" );
	for ( size_t i = 0; i < sizeof masks / sizeof *masks; ++i ) {
		umask( masks[i] );
		assert_true( replace( path, DBVHI_REPLACE_TARGET ) );
		assert_int_equal( mode_of( path ), 0666 & ~masks[i] );
		assert_int_equal( unlink( path ), 0 );
	}
}

// A file of another user says nothing about one of this user: root's must not become setuid because somebody put a
// setuid file there. A group that the file does not keep gets no more than everybody.
static void files_of_others( void **state ) {
	(void)state;
	if ( geteuid() != 0 )
		skip();
	const char *path = in_folder( "others" );
	struct stat facts;
	for ( int kind = DBVHI_REPLACE_TARGET; kind <= DBVHI_REPLACE_NAME; ++kind ) {
		put( path, old_text, 0600 );
		assert_int_equal( chown( path, OTHER_USER, OTHER_USER ), 0 );
		assert_int_equal( chmod( path, 06777 ), 0 );
		assert_true( replace( path, (dbvhi_replaced)kind ) );
		assert_int_equal( stat( path, &facts ), 0 );
		assert_true( facts.st_uid == 0 && ( facts.st_mode & 07777 ) == 0644 );
		unlink( path );
	}
	// Root may give a file to any group; who may not, does not open it to the wrong one.
	put( path, old_text, 0664 );
	assert_int_equal( chown( path, 0, OTHER_USER ), 0 );
	assert_true( replace( path, DBVHI_REPLACE_TARGET ) );
	assert_int_equal( stat( path, &facts ), 0 );
	assert_true( facts.st_gid == OTHER_USER && ( facts.st_mode & 07777 ) == 0664 );
	put( path, old_text, 0660 );
	assert_int_equal( chown( path, OTHER_USER, 12345 ), 0 );
	assert_int_equal( chown( folder, OTHER_USER, OTHER_USER ), 0 );
	fflush( stdout );
	const pid_t child = fork();
	if ( child == 0 )
		_exit( setgid( OTHER_USER ) != 0 || setuid( OTHER_USER ) != 0 ? 2 : !replace( path, DBVHI_REPLACE_TARGET ) );
	int status = 0;
	assert_true( waitpid( child, &status, 0 ) == child && WIFEXITED( status ) );
	// If the folder's path is not open to everybody, the child could not replace anything.
	assert_int_equal( stat( path, &facts ), 0 );
	if ( WEXITSTATUS( status ) == 0 )
		assert_true( facts.st_gid == OTHER_USER && ( facts.st_mode & 07777 ) == 0600 );
}

// The temporary name: only this user opens it, whatever the old file and the umask allow.
static void private_until_whole( void **state ) {
	(void)state;
	for ( int i = 0; i < 2; ++i ) {
		char path[ROOM];
		dbvhi_replacement r;
		const char *what;
		strcpy( path, in_folder( "private" ) );
		umask( 0 );
		if ( i == 1 )
			put( path, old_text, 0666 );
		assert_true( dbvhi_replacement_begin( &r, path, DBVHI_REPLACE_TARGET, &what ) );
		assert_int_equal( mode_of( r.beside ), 0600 );
		assert_true( dbvhi_replacement_append( &r, new_text, strlen( new_text ) ) );
		assert_int_equal( mode_of( r.beside ), 0600 );
		assert_int_equal( access( path, F_OK ), i == 1 ? 0 : -1 );
		assert_true( dbvhi_replacement_end( &r, true, true, &what ) );
		assert_int_equal( mode_of( path ), 0666 );
		assert_int_equal( count_files(), 1 );
	}
}

// ------------------------------------------------------------------------------------------------

static void links( void **state ) {
	(void)state;
	char target[ROOM], link[ROOM];
	struct stat facts;
	strcpy( target, in_folder( "target" ) );
	strcpy( link, in_folder( "link" ) );
	put( target, old_text, 0644 );
	assert_int_equal( symlink( "target", link ), 0 );
	assert_true( replace( link, DBVHI_REPLACE_TARGET ) );
	assert_true( lstat( link, &facts ) == 0 && S_ISLNK( facts.st_mode ) && holds( target, new_text ) );
	put( target, old_text, 0644 );
	assert_true( replace( link, DBVHI_REPLACE_NAME ) );
	assert_true( lstat( link, &facts ) == 0 && S_ISREG( facts.st_mode ) && holds( target, old_text ) );
	assert_true( holds( link, new_text ) );
	// A second name of a file: that one stays as it was.
	unlink( link );
	if ( linkat( AT_FDCWD, target, AT_FDCWD, link, 0 ) == 0 ) {
		assert_true( replace( link, DBVHI_REPLACE_TARGET ) );
		assert_true( holds( target, old_text ) && holds( link, new_text ) );
	}
}

static void pipes( void **state ) {
	(void)state;
	char path[ROOM], found[ROOM];
	struct stat facts;
	strcpy( path, in_folder( "pipe" ) );
	assert_int_equal( mkfifo( path, 0600 ), 0 );
	const int reader = open( path, O_RDONLY | O_NONBLOCK );
	assert_true( reader >= 0 );
	assert_true( replace( path, DBVHI_REPLACE_TARGET ) );
	assert_true( read( reader, found, sizeof found ) == (ssize_t)strlen( new_text ) );
	assert_true( stat( path, &facts ) == 0 && S_ISFIFO( facts.st_mode ) );
	close( reader );
	// A pipe that nobody reads is replaced by name without waiting.
	alarm( 20 );
	assert_true( replace( path, DBVHI_REPLACE_NAME ) );
	alarm( 0 );
	assert_true( stat( path, &facts ) == 0 && S_ISREG( facts.st_mode ) );
	assert_false( replace( folder, DBVHI_REPLACE_TARGET ) );
	assert_int_equal( errno, EISDIR );
	assert_int_equal( count_files(), 1 );
}

static void long_names( void **state ) {
	(void)state;
	char name[256];
	memset( name, 'n', 255 );
	name[255] = '\0';
	assert_true( replace( in_folder( name ), DBVHI_REPLACE_TARGET ) );
	assert_true( holds( in_folder( name ), new_text ) );
	assert_int_equal( count_files(), 1 );
}

// ------------------------------------------------------------------------------------------------

// Writes with `room` bytes on the disk, as bytes or as a stream.
static bool write_within( const char *path, rlim_t room, bool streams, int *why ) {
	struct rlimit before, less;
	dbvhi_replacement r;
	const char *what;
	assert_int_equal( getrlimit( RLIMIT_FSIZE, &before ), 0 );
	less = before;
	less.rlim_cur = room;
	signal( SIGXFSZ, SIG_IGN );
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &less ), 0 );
	bool good = dbvhi_replacement_begin( &r, path, DBVHI_REPLACE_TARGET, &what );
	if ( good && streams )
		good = dbvhi_replacement_open_stream( &r ) && fputs( new_text, r.stream ) >= 0;
	else if ( good )
		good = dbvhi_replacement_append( &r, new_text, strlen( new_text ) );
	good = dbvhi_replacement_end( &r, good, true, &what );
	*why = errno;
	assert_int_equal( setrlimit( RLIMIT_FSIZE, &before ), 0 );
	return good;
}

static void full_disk( void **state ) {
	(void)state;
	char path[ROOM];
	int why;
	strcpy( path, in_folder( "full" ) );
	for ( int streams = 0; streams < 2; ++streams ) {
		for ( size_t room = 0; room <= strlen( new_text ); ++room ) {
			put( path, old_text, 0644 );
			const bool good = write_within( path, room, streams, &why );
			assert_int_equal( good, room == strlen( new_text ) );
			assert_true( good || why == EFBIG );
			assert_true( holds( path, good ? new_text : old_text ) );
			assert_int_equal( count_files(), 1 );
		}
	}
	if ( access( "/dev/full", W_OK ) == 0 ) {
		assert_false( replace( "/dev/full", DBVHI_REPLACE_TARGET ) );
		assert_int_equal( errno, ENOSPC );
	}
}

// Dies after every step; `step` counts bytes, then the end.
static void die_after( const char *path, size_t step ) {
	dbvhi_replacement r;
	const char *what;
	if ( !dbvhi_replacement_begin( &r, path, DBVHI_REPLACE_TARGET, &what ) )
		_exit( 1 );
	for ( size_t i = 0; i < strlen( new_text ); ++i ) {
		if ( i == step )
			raise( SIGKILL );
		if ( !dbvhi_replacement_append( &r, new_text + i, 1 ) )
			_exit( 1 );
	}
	if ( step == strlen( new_text ) )
		raise( SIGKILL );
	dbvhi_replacement_end( &r, true, true, &what );
	raise( SIGKILL );
}

static void killed( void **state ) {
	(void)state;
	char path[ROOM];
	strcpy( path, in_folder( "killed" ) );
	fflush( stdout );
	for ( size_t step = 0; step <= strlen( new_text ) + 1; ++step ) {
		put( path, old_text, 0644 );
		const pid_t child = fork();
		if ( child == 0 )
			die_after( path, step );
		int status = 0;
		assert_true( waitpid( child, &status, 0 ) == child && WIFSIGNALED( status ) );
		assert_true( holds( path, step <= strlen( new_text ) ? old_text : new_text ) );
	}
}

// Temporary files that killed processes left behind are passed over.
static void names_that_are_taken( void **state ) {
	(void)state;
	char path[ROOM], beside[ROOM + 64];
	strcpy( path, in_folder( "taken" ) );
	for ( int i = 0; i < 3; ++i ) {
		snprintf( beside, sizeof beside, "%s.%ld-%d.tmp", path, (long)getpid(), i );
		put( beside, old_text, 0600 );
	}
	unlink( beside );
	assert_int_equal( symlink( "victim", beside ), 0 ); // a link that leads nowhere is not followed
	assert_true( replace( path, DBVHI_REPLACE_TARGET ) );
	assert_true( holds( path, new_text ) && access( in_folder( "victim" ), F_OK ) != 0 );
	assert_int_equal( count_files(), 4 );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( own_files, enter, leave ),
	    cmocka_unit_test_setup_teardown( new_files, enter, leave ),
	    cmocka_unit_test_setup_teardown( files_of_others, enter, leave ),
	    cmocka_unit_test_setup_teardown( private_until_whole, enter, leave ),
	    cmocka_unit_test_setup_teardown( links, enter, leave ),
	    cmocka_unit_test_setup_teardown( pipes, enter, leave ),
	    cmocka_unit_test_setup_teardown( long_names, enter, leave ),
	    cmocka_unit_test_setup_teardown( full_disk, enter, leave ),
	    cmocka_unit_test_setup_teardown( killed, enter, leave ),
	    cmocka_unit_test_setup_teardown( names_that_are_taken, enter, leave ),
	};
	return test_main( argc, argv, tests );
}
