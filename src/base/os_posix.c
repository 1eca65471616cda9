// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The layer of the operating system on Linux, macOS, the BSDs and Emscripten.

#define _GNU_SOURCE // sched_getaffinity(), madvise() and all of POSIX
#define _FILE_OFFSET_BITS 64

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// MOST_AT_A_TIME: read and write calls take less than 2 GiB at a time.
#define MOST_AT_A_TIME ( (size_t)1 << 30 )

// ------------------------------------------------------------------------------------------------
// Memory

void *dbvhi_os_alloc( size_t bytes, size_t alignment ) {
	// aligned_alloc wants a multiple of the alignment.
	const size_t rounded = ( bytes + alignment - 1 ) / alignment * alignment;
	return rounded < bytes ? NULL : aligned_alloc( alignment, rounded );
}

void dbvhi_os_free( void *memory ) {
	free( memory );
}

void *dbvhi_os_realloc( void *memory, size_t bytes, size_t alignment ) {
	(void)alignment;
	return realloc( memory, bytes );
}

#if defined( __linux__ )
// Gives madvise() the whole pages of size `page` within a range. A refusal is ignored: the advice only saves memory or
// time.
static void advise( void *bytes, size_t count, size_t page, int advice ) {
	const uintptr_t at = (uintptr_t)bytes, begin = ( at + page - 1 ) / page * page, end = ( at + count ) / page * page;
	if ( begin < end )
		(void)madvise( (void *)begin, end - begin, advice );
}

void dbvhi_os_forget_pages( void *bytes, size_t count ) {
	advise( bytes, count, (size_t)1 << 12, MADV_DONTNEED ); // the call fails where pages are larger than 4 KiB
}

void dbvhi_os_want_large_pages( void *bytes, size_t count ) {
	advise( bytes, count, (size_t)1 << 21, MADV_HUGEPAGE );
}
#else
// note: MADV_DONTNEED of other systems keeps the content or is only a hint.
void dbvhi_os_forget_pages( void *bytes, size_t count ) {
	(void)bytes;
	(void)count;
}

void dbvhi_os_want_large_pages( void *bytes, size_t count ) {
	(void)bytes;
	(void)count;
}
#endif

// ------------------------------------------------------------------------------------------------
// Threads and time

_Static_assert( sizeof( pthread_t ) <= sizeof( uintptr_t ), "a thread's handle is a pointer or a number" );

static void *run_thread( void *argument ) {
	const dbvhi_os_thread *thread = argument;
	thread->run( thread->context );
	return NULL;
}

bool dbvhi_os_thread_start( dbvhi_os_thread *thread, size_t stack_bytes, void ( *run )( void *context ),
                            void *context ) {
	pthread_attr_t attributes;
	pthread_t handle;
	sigset_t all, before;
	thread->run = run;
	thread->context = context;
	// A new thread inherits the mask of this one.
	sigfillset( &all );
	const bool masked = pthread_sigmask( SIG_SETMASK, &all, &before ) == 0;
	const bool has_attributes = pthread_attr_init( &attributes ) == 0;
	// note: if the host's thread-local data does not fit that stack, the default size is tried.
	const bool started = ( has_attributes && pthread_attr_setstacksize( &attributes, stack_bytes ) == 0 &&
	                       pthread_create( &handle, &attributes, run_thread, thread ) == 0 ) ||
	                     pthread_create( &handle, NULL, run_thread, thread ) == 0;
	if ( has_attributes )
		pthread_attr_destroy( &attributes );
	if ( masked )
		pthread_sigmask( SIG_SETMASK, &before, NULL );
	if ( started )
		memcpy( &thread->handle, &handle, sizeof handle );
	return started;
}

void dbvhi_os_thread_join( dbvhi_os_thread *thread ) {
	pthread_t handle;
	memcpy( &handle, &thread->handle, sizeof handle );
	pthread_join( handle, NULL );
}

// note: several threads may store the same function at once.
static void ( *_Atomic unload )( void );

void dbvhi_os_at_unload( void ( *join_all )( void ) ) {
	unload = join_all;
}

__attribute__( ( destructor ) ) static void call_unload( void ) {
	void ( *const join_all )( void ) = unload;
	if ( join_all != NULL )
		join_all();
}

uint32_t dbvhi_os_processor_count( void ) {
#if defined( __linux__ )
	cpu_set_t set;
	if ( sched_getaffinity( 0, sizeof set, &set ) == 0 && CPU_COUNT( &set ) > 0 )
		return (uint32_t)CPU_COUNT( &set );
#endif
	const long count = sysconf( _SC_NPROCESSORS_ONLN );
	return count > 0 ? (uint32_t)count : 1;
}

int dbvhi_os_process_number( void ) {
	return (int)getpid();
}

void dbvhi_os_sleep( uint32_t nanoseconds ) {
	nanosleep( &( struct timespec ){ .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 }, NULL );
}

double dbvhi_os_seconds( void ) {
	struct timespec t;
	clock_gettime( CLOCK_MONOTONIC, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ------------------------------------------------------------------------------------------------
// Files

static bool take_facts( bool done, const struct stat *s, dbvhi_os_facts *out ) {
	if ( !done )
		return false;
	*out = ( dbvhi_os_facts ){ .kind = S_ISREG( s->st_mode )   ? DBVHI_OS_REGULAR
	                                   : S_ISDIR( s->st_mode ) ? DBVHI_OS_FOLDER
	                                                           : DBVHI_OS_OTHER,
	                           .size = (uint64_t)s->st_size,
	                           .device = (uint64_t)s->st_dev,
	                           .number = (uint64_t)s->st_ino,
	                           .group = (uint64_t)s->st_gid,
	                           .mode = s->st_mode & 07777,
	                           .is_own = s->st_uid == geteuid(),
	                           .is_trusted = s->st_uid == geteuid() || s->st_uid == 0,
	                           .others_write = ( s->st_mode & ( S_IWGRP | S_IWOTH ) ) != 0,
	                           .is_sticky = ( s->st_mode & S_ISVTX ) != 0 };
	return true;
}

bool dbvhi_os_facts_of( const char *path, bool follows, dbvhi_os_facts *out ) {
	struct stat s;
	return take_facts( ( follows ? stat( path, &s ) : lstat( path, &s ) ) == 0, &s, out );
}

bool dbvhi_os_facts_of_open( int file, dbvhi_os_facts *out ) {
	struct stat s;
	return take_facts( fstat( file, &s ) == 0, &s, out );
}

int dbvhi_os_open( const char *path, unsigned how, unsigned mode ) {
	int flags = O_NOCTTY | O_CLOEXEC;
	flags |= ( how & DBVHI_OS_WRITE ) != 0 ? O_WRONLY : ( how & DBVHI_OS_READ_WRITE ) != 0 ? O_RDWR : O_RDONLY;
	flags |= ( how & ( DBVHI_OS_CREATE | DBVHI_OS_NEW ) ) != 0 ? O_CREAT : 0;
	flags |= ( how & DBVHI_OS_NEW ) != 0 ? O_EXCL : 0;
	flags |= ( how & DBVHI_OS_NO_LINK ) != 0 ? O_NOFOLLOW : 0;
	flags |= ( how & DBVHI_OS_NO_WAIT ) != 0 ? O_NONBLOCK : 0;
	return open( path, flags, (mode_t)mode );
}

bool dbvhi_os_close( int file ) {
	return close( file ) == 0;
}

FILE *dbvhi_os_fopen( const char *path ) {
	return fopen( path, "rb" );
}

FILE *dbvhi_os_stream_of( int file, const char *mode ) {
	return fdopen( file, mode );
}

bool dbvhi_os_seek( FILE *stream, int64_t offset, int whence ) {
	return fseeko( stream, (off_t)offset, whence ) == 0;
}

int64_t dbvhi_os_tell( FILE *stream ) {
	return (int64_t)ftello( stream );
}

ptrdiff_t dbvhi_os_read_at( int file, uint64_t at, void *bytes, size_t count ) {
	for ( ;; ) {
		const ssize_t taken = pread( file, bytes, count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME, (off_t)at );
		if ( taken >= 0 || errno != EINTR )
			return taken;
	}
}

bool dbvhi_os_write( int file, const void *bytes, size_t count ) {
	for ( const char *at = bytes; count > 0; ) {
		const ssize_t taken = write( file, at, count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME );
		if ( taken < 0 && errno == EINTR )
			continue;
		if ( taken == 0 )
			errno = ENOSPC; // write() gives no reason for taking nothing
		if ( taken <= 0 )
			return false;
		at += taken;
		count -= (size_t)taken;
	}
	return true;
}

// note: fsync() on a pipe and the like fails with EINVAL, which is no error here.
bool dbvhi_os_sync( int file ) {
	return fsync( file ) == 0 || errno == EINVAL || errno == ENOTSUP;
}

void dbvhi_os_sync_folder_of( const char *path ) {
	char *folder = malloc( strlen( path ) + 2 );
	if ( folder == NULL )
		return;
	strcpy( folder, path );
	char *slash = strrchr( folder, '/' );
	if ( slash == NULL )
		strcpy( folder, "." );
	else
		slash[slash == folder] = '\0';
	const int file = open( folder, O_RDONLY | O_CLOEXEC );
	if ( file >= 0 ) {
		(void)fsync( file );
		close( file );
	}
	free( folder );
}

void *dbvhi_os_map( int file, size_t size, bool all_at_once ) {
	void *bytes = mmap( NULL, size, PROT_READ, MAP_SHARED, file, 0 );
	if ( bytes == MAP_FAILED )
		return NULL;
	if ( all_at_once )
		(void)posix_madvise( bytes, size, POSIX_MADV_WILLNEED );
	return bytes;
}

void dbvhi_os_unmap( void *bytes, size_t size ) {
	munmap( bytes, size );
}

bool dbvhi_os_rename( const char *from, const char *to ) {
	return rename( from, to ) == 0;
}

bool dbvhi_os_remove( const char *path ) {
	return unlink( path ) == 0;
}

bool dbvhi_os_set_mode( int file, unsigned mode ) {
	return fchmod( file, (mode_t)mode ) == 0;
}

bool dbvhi_os_set_group( int file, uint64_t group ) {
	return fchown( file, (uid_t)-1, (gid_t)group ) == 0;
}

char *dbvhi_os_real_path( const char *path ) {
	return realpath( path, NULL );
}

const char *dbvhi_os_last_separator( const char *path ) {
	return strrchr( path, '/' );
}

bool dbvhi_os_is_separator( char c ) {
	return c == '/';
}

bool dbvhi_os_is_absolute( const char *path ) {
	return *path == '/';
}

bool dbvhi_os_go_up( char *path ) {
	char *slash = strrchr( path, '/' );
	if ( slash != NULL )
		*slash = '\0';
	return slash != NULL;
}
