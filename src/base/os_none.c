// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The layer of the operating system where there is none, as in a WebAssembly module of a page: memory, but neither
// files nor threads. Meshes and trees come from memory and go to memory; whatever asks for a file is refused with
// ENOSYS.

#include "base/os.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

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

void dbvhi_os_forget_pages( void *bytes, size_t count ) {
	(void)bytes;
	(void)count;
}

void dbvhi_os_want_large_pages( void *bytes, size_t count ) {
	(void)bytes;
	(void)count;
}

// ------------------------------------------------------------------------------------------------
// Threads and time

bool dbvhi_os_thread_start( dbvhi_os_thread *thread, size_t stack_bytes, void ( *run )( void *context ),
                            void *context ) {
	(void)thread;
	(void)stack_bytes;
	(void)run;
	(void)context;
	return false;
}

void dbvhi_os_thread_join( dbvhi_os_thread *thread ) {
	(void)thread;
}

void dbvhi_os_at_unload( void ( *join_all )( void ) ) {
	(void)join_all;
}

uint32_t dbvhi_os_processor_count( void ) {
	return 1;
}

int dbvhi_os_process_number( void ) {
	return 1;
}

void dbvhi_os_sleep( uint32_t nanoseconds ) {
	(void)nanoseconds;
}

double dbvhi_os_seconds( void ) {
	return (double)time( NULL ); // whole seconds do: only a progress bar asks, and there is no terminal
}

// ------------------------------------------------------------------------------------------------
// Files

static bool refuse( void ) {
	errno = ENOSYS;
	return false;
}

bool dbvhi_os_facts_of( const char *path, bool follows, dbvhi_os_facts *out ) {
	(void)path;
	(void)follows;
	(void)out;
	return refuse();
}

bool dbvhi_os_facts_of_open( int file, dbvhi_os_facts *out ) {
	(void)file;
	(void)out;
	return refuse();
}

int dbvhi_os_open( const char *path, unsigned how, unsigned mode ) {
	(void)path;
	(void)how;
	(void)mode;
	return refuse() - 1;
}

bool dbvhi_os_close( int file ) {
	(void)file;
	return refuse();
}

FILE *dbvhi_os_fopen( const char *path ) {
	(void)path;
	refuse();
	return NULL;
}

FILE *dbvhi_os_stream_of( int file, const char *mode ) {
	(void)file;
	(void)mode;
	refuse();
	return NULL;
}

bool dbvhi_os_seek( FILE *stream, int64_t offset, int whence ) {
	(void)stream;
	(void)offset;
	(void)whence;
	return refuse();
}

int64_t dbvhi_os_tell( FILE *stream ) {
	(void)stream;
	return refuse() - 1;
}

ptrdiff_t dbvhi_os_read_at( int file, uint64_t at, void *bytes, size_t count ) {
	(void)file;
	(void)at;
	(void)bytes;
	(void)count;
	return refuse() - 1;
}

bool dbvhi_os_write( int file, const void *bytes, size_t count ) {
	(void)file;
	(void)bytes;
	(void)count;
	return refuse();
}

bool dbvhi_os_sync( int file ) {
	(void)file;
	return refuse();
}

void dbvhi_os_sync_folder_of( const char *path ) {
	(void)path;
}

void *dbvhi_os_map( int file, size_t size, bool all_at_once ) {
	(void)file;
	(void)size;
	(void)all_at_once;
	refuse();
	return NULL;
}

void dbvhi_os_unmap( void *bytes, size_t size ) {
	(void)bytes;
	(void)size;
}

bool dbvhi_os_rename( const char *from, const char *to ) {
	(void)from;
	(void)to;
	return refuse();
}

bool dbvhi_os_remove( const char *path ) {
	(void)path;
	return refuse();
}

bool dbvhi_os_set_mode( int file, unsigned mode ) {
	(void)file;
	(void)mode;
	return refuse();
}

bool dbvhi_os_set_group( int file, uint64_t group ) {
	(void)file;
	(void)group;
	return refuse();
}

char *dbvhi_os_real_path( const char *path ) {
	(void)path;
	refuse();
	return NULL;
}

const char *dbvhi_os_last_separator( const char *path ) {
	(void)path;
	return NULL;
}

bool dbvhi_os_is_separator( char c ) {
	return c == '/';
}

bool dbvhi_os_is_absolute( const char *path ) {
	return *path == '/';
}

bool dbvhi_os_go_up( char *path ) {
	(void)path;
	return false;
}
