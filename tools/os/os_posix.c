// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command's half of the layer of the operating system on Linux, macOS and the BSDs.

#define _GNU_SOURCE // all of POSIX
#define _DARWIN_C_SOURCE
#define _FILE_OFFSET_BITS 64

#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined( __APPLE__ )
#include <mach-o/dyld.h>
#endif

// ------------------------------------------------------------------------------------------------
// The program

void os_begin( int *argc, char ***argv ) {
	(void)argc;
	(void)argv;
}

_Noreturn void os_exit_now( int status ) {
	_exit( status );
}

void os_print_error( const char *text, size_t count ) {
	const ssize_t written = write( STDERR_FILENO, text, count );
	(void)written;
}

void os_note_interrupts( void ( *note )( int signal_number ) ) {
	static const int signals[] = { SIGINT, SIGTERM };
	for ( int i = 0; i < 2; ++i ) {
		struct sigaction now;
		if ( sigaction( signals[i], NULL, &now ) != 0 || now.sa_handler == SIG_IGN )
			continue;
		memset( &now, 0, sizeof( now ) );
		sigemptyset( &now.sa_mask );
		now.sa_handler = note;
		now.sa_flags = (int)( SA_RESTART | SA_RESETHAND );
		sigaction( signals[i], &now, NULL );
	}
}

void os_die_of( int signal_number ) {
	signal( signal_number, SIG_DFL );
	raise( signal_number );
}

#if defined( __APPLE__ )
bool os_program( char *out, size_t room ) {
	uint32_t size = (uint32_t)room;
	char *real = _NSGetExecutablePath( out, &size ) == 0 ? realpath( out, NULL ) : NULL;
	const bool fits = real != NULL && strlen( real ) < room;
	if ( fits )
		strcpy( out, real );
	free( real );
	return fits;
}
#else
bool os_program( char *out, size_t room ) {
	const ssize_t length = readlink( "/proc/self/exe", out, room - 1 );
	if ( length > 0 )
		out[length] = '\0';
	return length > 0;
}
#endif

bool os_program_folder( char *out, size_t room ) {
	char *slash = os_program( out, room ) ? strrchr( out, '/' ) : NULL;
	if ( slash != NULL )
		slash[1] = '\0';
	return slash != NULL;
}

void os_become( const char *program, char *const *words ) {
	fflush( NULL );
	execvp( program, words );
}

const char *os_environment( const char *name ) {
	return getenv( name );
}

void os_raise_file_limit( void ) {
	struct rlimit limit;
	if ( getrlimit( RLIMIT_NOFILE, &limit ) != 0 )
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit( RLIMIT_NOFILE, &limit );
}

bool os_utc( time_t seconds, struct tm *out ) {
	return gmtime_r( &seconds, out ) != NULL;
}

// ------------------------------------------------------------------------------------------------
// Terminal

bool os_is_terminal( FILE *stream ) {
	return isatty( fileno( stream ) ) != 0;
}

size_t os_terminal_columns( FILE *stream ) {
	struct winsize size;
	return ioctl( fileno( stream ), TIOCGWINSZ, &size ) == 0 ? size.ws_col : 0;
}

const char *os_terminal_kind( FILE *stream ) {
	(void)stream;
	return getenv( "TERM" );
}

// ------------------------------------------------------------------------------------------------
// Files

int os_file_of( FILE *stream ) {
	return fileno( stream );
}

int os_duplicate_standard_output( void ) {
	return dup( STDOUT_FILENO );
}

bool os_is_closed_pipe( int number ) {
	return number == EPIPE;
}

bool os_make_folder( const char *path ) {
	return mkdir( path, 0777 ) == 0;
}

bool os_list( const char *folder, bool ( *see )( void *user, const char *name ), void *user ) {
	DIR *list = opendir( folder );
	if ( list == NULL )
		return false;
	for ( const struct dirent *entry = readdir( list ); entry != NULL && see( user, entry->d_name ); )
		entry = readdir( list );
	closedir( list );
	return true;
}

bool os_write_at( int file, uint64_t at, const void *bytes, size_t count ) {
	return pwrite( file, bytes, count, (off_t)at ) == (ssize_t)count;
}

bool os_truncate( int file, uint64_t size ) {
	return ftruncate( file, (off_t)size ) == 0;
}

static struct flock whole( void ) {
	return ( struct flock ){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

os_locked os_lock( int file, bool waits ) {
	struct flock lock = whole();
	int locked;
	do
		locked = fcntl( file, waits ? F_SETLKW : F_SETLK, &lock );
	while ( locked != 0 && waits && errno == EINTR );
	if ( locked == 0 )
		return OS_LOCKED;
	return !waits && ( errno == EACCES || errno == EAGAIN ) ? OS_HELD : OS_NOT_LOCKED;
}

bool os_is_locked( int file ) {
	struct flock lock = whole();
	return fcntl( file, F_GETLK, &lock ) == 0 && lock.l_type != F_UNLCK;
}

bool os_text_open( os_text *text ) {
	*text = ( os_text ){ 0 };
	text->stream = open_memstream( &text->bytes, &text->count );
	return text->stream != NULL;
}

bool os_text_close( os_text *text ) {
	const bool is_whole = fclose( text->stream ) == 0;
	text->stream = NULL;
	if ( is_whole )
		return true;
	free( text->bytes );
	*text = ( os_text ){ 0 };
	return false;
}
