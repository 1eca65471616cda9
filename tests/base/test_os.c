// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The layer of the operating system, by the same cases on every system: names that are no ASCII and longer than 260
// characters, files that are replaced while somebody reads them or the writer dies, places in files, maps, threads and
// time. A cross compiler's build runs them in an emulator.

#define _POSIX_C_SOURCE 200809L

#include "base/os.h"
#include "base/replace.h"
#include "os/os.h"
#include "support/environment.h"
#include "support/unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined( _WIN32 )
#include <process.h>
#include <windows.h>
#endif

static const char umlauts[] = "os-\xc3\xa4\xc3\xb6\xc3\xbc-\xe4\xb8\xad.bin";

static void put( const char *path, const char *text ) {
	const int file = dbvhi_os_open( path, DBVHI_OS_WRITE | DBVHI_OS_NEW, 0600 );
	assert_true( file >= 0 );
	assert_true( dbvhi_os_write( file, text, strlen( text ) ) && dbvhi_os_sync( file ) );
	assert_true( dbvhi_os_close( file ) );
}

static bool holds( const char *path, const char *text ) {
	char found[64] = "";
	FILE *stream = dbvhi_os_fopen( path );
	if ( stream == NULL )
		return false;
	const size_t count = fread( found, 1, sizeof found - 1, stream );
	fclose( stream );
	return count == strlen( text ) && memcmp( found, text, count ) == 0;
}

static bool exists( const char *path ) {
	dbvhi_os_facts facts;
	return dbvhi_os_facts_of( path, true, &facts );
}

static void test_names( void **state ) {
	(void)state;
	dbvhi_os_remove( umlauts );
	put( umlauts, "one\r\ntwo\n" ); // bytes stay as they are
	assert_true( holds( umlauts, "one\r\ntwo\n" ) );
	char *real = dbvhi_os_real_path( umlauts );
	assert_non_null( real );
	assert_true( dbvhi_os_is_absolute( real ) );
	assert_string_equal( dbvhi_os_last_separator( real ) + 1, umlauts );
	dbvhi_os_facts a, b;
	assert_true( dbvhi_os_facts_of( umlauts, false, &a ) && dbvhi_os_facts_of( real, true, &b ) );
	assert_true( dbvhi_os_is_same( &a, &b ) && a.kind == DBVHI_OS_REGULAR && a.size == 9 );
	assert_true( a.is_own && a.is_trusted && !a.others_write );
	free( real );
	// An existing file is neither created again nor cut.
	errno = 0;
	assert_true( dbvhi_os_open( umlauts, DBVHI_OS_WRITE | DBVHI_OS_NEW, 0600 ) < 0 && errno == EEXIST );
	const int again = dbvhi_os_open( umlauts, DBVHI_OS_READ_WRITE | DBVHI_OS_CREATE, 0600 );
	assert_true( again >= 0 && dbvhi_os_close( again ) );
	assert_true( holds( umlauts, "one\r\ntwo\n" ) );
	assert_true( dbvhi_os_remove( umlauts ) );
	errno = 0;
	assert_true( !exists( umlauts ) && errno == ENOENT );
	errno = 0;
	assert_true( dbvhi_os_fopen( umlauts ) == NULL && errno == ENOENT );
}

enum { DEPTH = 6, PART = 50 };

// A folder in a folder and so on, 300 characters in all, and a file in the last.
static void test_long_names( void **state ) {
	(void)state;
	char path[DEPTH * ( PART + 1 ) + 16] = "";
	for ( int i = 0; i < DEPTH; ++i ) {
		const size_t at = strlen( path );
		memset( path + at, 'a' + i, PART );
		path[at + PART] = '\0';
		assert_true( os_make_folder( path ) || errno == EEXIST );
		strcat( path, "/" );
	}
	strcat( path, "x" );
	assert_true( strlen( path ) > 300 );
	dbvhi_os_remove( path );
	put( path, "deep" );
	assert_true( holds( path, "deep" ) );
	assert_true( dbvhi_os_remove( path ) );
	dbvhi_os_facts facts;
	assert_true( dbvhi_os_go_up( path ) && dbvhi_os_facts_of( path, true, &facts ) && facts.kind == DBVHI_OS_FOLDER );
}

static void test_go_up( void **state ) {
	(void)state;
	char path[] = "a/b/c";
	assert_true( dbvhi_os_go_up( path ) );
	assert_string_equal( path, "a/b" );
	assert_true( dbvhi_os_go_up( path ) );
	assert_string_equal( path, "a" );
	assert_false( dbvhi_os_go_up( path ) );
	assert_false( dbvhi_os_is_absolute( "a/b" ) );
	assert_true( dbvhi_os_is_absolute( "/a" ) );
}

// A reader keeps the old file, whose name has the new one in the meantime.
static void test_rename( void **state ) {
	(void)state;
	dbvhi_os_remove( "os-old" );
	dbvhi_os_remove( "os-new" );
	put( "os-old", "old" );
	put( "os-new", "new" );
	FILE *reader = dbvhi_os_fopen( "os-old" );
	assert_non_null( reader );
	// Older Windows, and wine, refuse to replace a file that somebody has open; then nothing has changed.
	const bool is_replaced = dbvhi_os_rename( "os-new", "os-old" );
	assert_true( is_replaced || ( errno == EACCES && exists( "os-new" ) ) );
	char text[8] = "";
	assert_int_equal( fread( text, 1, 3, reader ), 3 );
	assert_string_equal( text, "old" );
	fclose( reader );
	assert_true( is_replaced || ( holds( "os-old", "old" ) && dbvhi_os_rename( "os-new", "os-old" ) ) );
	assert_true( holds( "os-old", "new" ) && !exists( "os-new" ) );
	assert_false( dbvhi_os_rename( "os-new", "os-old" ) );
	assert_int_equal( errno, ENOENT );
	assert_true( dbvhi_os_remove( "os-old" ) );
}

static void test_places( void **state ) {
	(void)state;
	dbvhi_os_remove( "os-places" );
	put( "os-places", "0123456789" );
	const int file = dbvhi_os_open( "os-places", DBVHI_OS_READ | DBVHI_OS_NO_LINK | DBVHI_OS_NO_WAIT, 0 );
	assert_true( file >= 0 );
	char text[16] = "";
	assert_int_equal( dbvhi_os_read_at( file, 6, text, sizeof text ), 4 );
	assert_string_equal( text, "6789" );
	assert_int_equal( dbvhi_os_read_at( file, 2, text, 3 ), 3 );
	assert_memory_equal( text, "234", 3 );
	assert_int_equal( dbvhi_os_read_at( file, 10, text, 1 ), 0 );
	char *map = dbvhi_os_map( file, 10, true );
	assert_non_null( map );
	assert_memory_equal( map, "0123456789", 10 );
	dbvhi_os_unmap( map, 10 );
	assert_true( dbvhi_os_close( file ) );
	FILE *stream = dbvhi_os_fopen( "os-places" );
	assert_true( dbvhi_os_seek( stream, 0, SEEK_END ) && dbvhi_os_tell( stream ) == 10 );
	assert_true( dbvhi_os_seek( stream, 5, SEEK_SET ) && getc( stream ) == '5' );
	fclose( stream );
	assert_true( dbvhi_os_remove( "os-places" ) );
}

static bool count_name( void *user, const char *name ) {
	int *count = user;
	*count += strcmp( name, umlauts ) == 0;
	return true;
}

// What only the command needs.
static void test_command( void **state ) {
	(void)state;
	dbvhi_os_remove( umlauts );
	put( umlauts, "0123456789" );
	int count = 0;
	assert_true( os_list( ".", count_name, &count ) && count == 1 );
	assert_false( os_list( "os-no-such-folder", count_name, &count ) );
	const int file = dbvhi_os_open( umlauts, DBVHI_OS_READ_WRITE, 0 );
	FILE *stream = dbvhi_os_stream_of( file, "r+b" );
	assert_non_null( stream );
	assert_int_equal( os_lock( os_file_of( stream ), false ), OS_LOCKED );
	assert_true( fseek( stream, 0, SEEK_END ) == 0 && fputs( "abc", stream ) >= 0 && fflush( stream ) == 0 );
	assert_true( os_write_at( os_file_of( stream ), 2, "xy", 2 ) );
	assert_true( fputs( "def", stream ) >= 0 && fflush( stream ) == 0 );
	assert_true( holds( umlauts, "01xy456789abcdef" ) );
	assert_true( os_truncate( os_file_of( stream ), 4 ) );
	fclose( stream );
	assert_true( holds( umlauts, "01xy" ) && dbvhi_os_remove( umlauts ) );

	os_text text;
	assert_true( os_text_open( &text ) );
	for ( int i = 0; i < 20000; ++i )
		fputs( "a\n", text.stream );
	assert_true( os_text_close( &text ) );
	assert_true( text.count == 40000 && memcmp( text.bytes + 39998, "a\n", 2 ) == 0 );
	free( text.bytes );

	struct tm utc;
	assert_true( os_utc( 86400, &utc ) && utc.tm_year == 70 && utc.tm_mday == 2 && utc.tm_hour == 0 );
	char folder[4096];
	assert_true( os_program_folder( folder, sizeof folder ) );
	assert_true( dbvhi_os_is_absolute( folder ) && dbvhi_os_is_separator( folder[strlen( folder ) - 1] ) );
	assert_null( os_environment( "DUALBVH_NO_SUCH_VARIABLE" ) );
}

static atomic_int runs;

static void run( void *context ) {
	atomic_fetch_add( &runs, *(int *)context );
}

static void test_threads_and_time( void **state ) {
	(void)state;
	int one = 1;
	dbvhi_os_thread threads[20];
	for ( int i = 0; i < 20; ++i )
		assert_true( dbvhi_os_thread_start( &threads[i], (size_t)1 << 20, run, &one ) );
	for ( int i = 0; i < 20; ++i )
		dbvhi_os_thread_join( &threads[i] );
	assert_int_equal( runs, 20 );
	assert_true( dbvhi_os_processor_count() >= 1 && dbvhi_os_process_number() != 0 );
	const double begin = dbvhi_os_seconds();
	dbvhi_os_sleep( 2000000 );
	assert_true( dbvhi_os_seconds() - begin >= 0.0019 );
}

static void test_memory( void **state ) {
	(void)state;
	for ( size_t bytes = 1; bytes < (size_t)1 << 22; bytes *= 5 ) {
		char *block = dbvhi_os_alloc( bytes, 64 );
		assert_true( block != NULL && (uintptr_t)block % 64 == 0 );
		memset( block, 7, bytes );
		char *moved = dbvhi_os_realloc( block, 3 * bytes, 64 );
		assert_true( moved != NULL && moved[0] == 7 && moved[bytes - 1] == 7 );
		dbvhi_os_want_large_pages( moved, 3 * bytes );
		dbvhi_os_forget_pages( moved, 3 * bytes );
		dbvhi_os_free( moved );
	}
}

#if defined( _WIN32 )

// A child dies at every write of a file that replaces another one; test_replace.c has the same for POSIX. This program
// is the child where the environment says so.
static const char new_text[] = "the whole of the new file";

static void die( void ) {
	TerminateProcess( GetCurrentProcess(), 9 );
}

// Steps are bytes, then the end.
static void die_after( size_t step ) {
	dbvhi_replacement r;
	const char *what;
	if ( !dbvhi_replacement_begin( &r, umlauts, DBVHI_REPLACE_TARGET, &what ) )
		exit( 1 );
	for ( size_t i = 0; i < strlen( new_text ); ++i ) {
		if ( i == step )
			die();
		if ( !dbvhi_replacement_append( &r, new_text + i, 1 ) )
			exit( 1 );
	}
	if ( step == strlen( new_text ) )
		die();
	dbvhi_replacement_end( &r, true, true, &what );
	die();
}

static bool remove_left( void *user, const char *name ) {
	(void)user;
	if ( strncmp( name, umlauts, strlen( umlauts ) ) == 0 )
		dbvhi_os_remove( name );
	return true;
}

static void test_killed( void **state ) {
	(void)state;
	wchar_t program[MAX_PATH];
	assert_in_range( GetModuleFileNameW( NULL, program, MAX_PATH ), 1, MAX_PATH - 1 );
	for ( size_t step = 0; step <= strlen( new_text ) + 1; ++step ) {
		char text[24];
		os_list( ".", remove_left, NULL );
		put( umlauts, "old" );
		snprintf( text, sizeof text, "%zu", step );
		set_environment( "DUALBVH_TEST_DIES_AFTER", text );
		const intptr_t status = _wspawnl( _P_WAIT, program, L"test_os", NULL );
		set_environment( "DUALBVH_TEST_DIES_AFTER", NULL );
		assert_int_equal( status, 9 );
		assert_true( holds( umlauts, step <= strlen( new_text ) ? "old" : new_text ) );
	}
	os_list( ".", remove_left, NULL );
}

#endif

int main( int argc, char **argv ) {
#if defined( _WIN32 )
	const char *step = getenv( "DUALBVH_TEST_DIES_AFTER" );
	if ( step != NULL )
		die_after( (size_t)atoi( step ) );
#endif
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test( test_names ),
		cmocka_unit_test( test_long_names ),
		cmocka_unit_test( test_go_up ),
		cmocka_unit_test( test_rename ),
		cmocka_unit_test( test_places ),
		cmocka_unit_test( test_command ),
		cmocka_unit_test( test_threads_and_time ),
		cmocka_unit_test( test_memory ),
#if defined( _WIN32 )
		cmocka_unit_test( test_killed ),
#endif
	};
	return test_main( argc, argv, tests );
}
