// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The layer of the operating system: what the library asks of a system goes through this header, and os_posix.c,
// os_windows.c and os_none.c alone include system headers (tools/lint/system.sh). tools/os/os.h is its other half, of
// which only the command knows. Names of files are UTF-8 on every system, and open files are descriptors of the C
// library. Whatever fails leaves the reason in errno.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ------------------------------------------------------------------------------------------------
// Memory

// dbvhi_os_free() takes back what dbvhi_os_alloc() and dbvhi_os_realloc() return. NULL: no memory.
void *dbvhi_os_alloc( size_t bytes, size_t alignment );
void dbvhi_os_free( void *memory );

// Resizes a block and keeps its content. Not every C library aligns the result: callers check it.
void *dbvhi_os_realloc( void *memory, size_t bytes, size_t alignment );

// Discards the content of the whole pages within a range, and announces that a range is about to be written. Advice:
// some systems ignore it.
void dbvhi_os_forget_pages( void *bytes, size_t count );
void dbvhi_os_want_large_pages( void *bytes, size_t count );

// ------------------------------------------------------------------------------------------------
// Threads and time

typedef struct dbvhi_os_thread {
	void ( *run )( void *context );
	void *context;
	uintptr_t handle;
} dbvhi_os_thread;

// Starts a thread that receives no signals. `thread` must stay where it is until the thread runs. False: the system
// makes no more threads. A system that finds `stack_bytes` too few gives the thread its usual stack.
bool dbvhi_os_thread_start( dbvhi_os_thread *thread, size_t stack_bytes, void ( *run )( void *context ),
                            void *context );
void dbvhi_os_thread_join( dbvhi_os_thread *thread );

// Calls join_all() before the code of this library goes away, or keeps that code for as long as the process lives:
// Windows cannot join threads while it unloads a library.
void dbvhi_os_at_unload( void ( *join_all )( void ) );

// Returns how many processors this process may use, at least 1.
uint32_t dbvhi_os_processor_count( void );

int dbvhi_os_process_number( void );
void dbvhi_os_sleep( uint32_t nanoseconds ); // below 2^30
double dbvhi_os_seconds( void );             // since some time in the past; never goes back

// ------------------------------------------------------------------------------------------------
// Files

typedef enum dbvhi_os_kind {
	DBVHI_OS_REGULAR,
	DBVHI_OS_FOLDER,
	DBVHI_OS_OTHER, // links that were not followed, devices, pipes, sockets
} dbvhi_os_kind;

// Facts about a file. A system without owners and permissions like those of POSIX (Windows has access lists, which
// files inherit from their folder) calls every file the user's own and nobody else's to write.
typedef struct dbvhi_os_facts {
	dbvhi_os_kind kind;
	uint64_t size;
	uint64_t device, number; // the same for all names of one file; number 0: unknown
	uint64_t group;
	unsigned mode;     // permission bits of POSIX, 07777
	bool is_own;       // the owner is the user of this process
	bool is_trusted;   // the owner is that user or root
	bool others_write; // group or others may write
	bool is_sticky;    // a folder in which only owners remove or rename files
} dbvhi_os_facts;

static inline bool dbvhi_os_is_same( const dbvhi_os_facts *a, const dbvhi_os_facts *b ) {
	return a->number != 0 && a->number == b->number && a->device == b->device;
}

// `follows`: of the file that a symbolic link leads to, rather than the link.
bool dbvhi_os_facts_of( const char *path, bool follows, dbvhi_os_facts *out );
bool dbvhi_os_facts_of_open( int file, dbvhi_os_facts *out );

enum {
	DBVHI_OS_READ = 0,
	DBVHI_OS_WRITE = 1,
	DBVHI_OS_READ_WRITE = 2,
	DBVHI_OS_CREATE = 4,   // create a file where there is none of this name; never truncate one
	DBVHI_OS_NEW = 8,      // create, and fail with EEXIST where a file of this name exists
	DBVHI_OS_NO_LINK = 16, // fail where the name is a symbolic link
	DBVHI_OS_NO_WAIT = 32, // do not wait for a writer where the name is a pipe
};

// Opens a file, closed in programs that this process starts; -1 on failure. `mode` are the permissions of a new file
// before the umask.
int dbvhi_os_open( const char *path, unsigned how, unsigned mode );
bool dbvhi_os_close( int file );

// Opens a stream that reads bytes; and a stream over an open file, which fclose() closes.
FILE *dbvhi_os_fopen( const char *path );
FILE *dbvhi_os_stream_of( int file, const char *mode );

// fseek() and ftell() beyond 2 GiB, where `long` has 32 bits, too.
bool dbvhi_os_seek( FILE *stream, int64_t offset, int whence );
int64_t dbvhi_os_tell( FILE *stream );

// Reads up to `count` bytes at a place. Returns how many, 0 at the end, -1 on failure. The file's position may move.
ptrdiff_t dbvhi_os_read_at( int file, uint64_t at, void *bytes, size_t count );

// Writes all bytes at the file's position.
bool dbvhi_os_write( int file, const void *bytes, size_t count );

// Returns when all bytes are on disk. Pipes and devices without a disk succeed.
bool dbvhi_os_sync( int file );

// Synchronises the folder that a name stands in, so that the name survives a power failure; where a system can.
void dbvhi_os_sync_folder_of( const char *path );

// Maps a file read-only; with `all_at_once` it is read ahead. NULL on failure.
void *dbvhi_os_map( int file, size_t size, bool all_at_once );
void dbvhi_os_unmap( void *bytes, size_t size );

// Replaces `to` in one step: at any time it is the old file or the new one.
bool dbvhi_os_rename( const char *from, const char *to );
bool dbvhi_os_remove( const char *path );

// Sets permission bits, and the group, of an open file. True where a system has none.
bool dbvhi_os_set_mode( int file, unsigned mode );
bool dbvhi_os_set_group( int file, uint64_t group );

// The absolute name without symbolic links, from malloc(); '/' between its parts. NULL on failure.
char *dbvhi_os_real_path( const char *path );

// The last '/' of a name, or what a system takes for one ('\' and the colon of a drive); NULL if there is none.
const char *dbvhi_os_last_separator( const char *path );
bool dbvhi_os_is_separator( char c );

// Does a name begin at a root rather than in the current folder?
bool dbvhi_os_is_absolute( const char *path );

// Cuts a name to that of the folder around it, without a separator behind it ("" for the root, "C:/" for that of a
// drive). False, and nothing is cut, where the name has no folder in front of it.
bool dbvhi_os_go_up( char *path );
