// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command's half of the layer of the operating system (src/base/os.h is the library's): os_posix.c and os_windows.c
// are the only files of tools/ that include system headers (tools/lint/system.sh). Whatever fails leaves the reason in
// errno.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

// ------------------------------------------------------------------------------------------------
// The program

// Call first in main(): arguments are UTF-8 from here on, and what is printed has the same bytes on every system.
void os_begin( int *argc, char ***argv );

// Calls `guard` before main() where the C library can, and where OpenMP's constructor may end the process.
#if defined( __has_feature )
#define OS_HAS_FEATURE( name ) __has_feature( name )
#else
#define OS_HAS_FEATURE( name ) 0
#endif
#if defined( __SANITIZE_ADDRESS__ ) || defined( __SANITIZE_THREAD__ ) || OS_HAS_FEATURE( address_sanitizer ) ||        \
    OS_HAS_FEATURE( thread_sanitizer ) || OS_HAS_FEATURE( memory_sanitizer )
#define OS_SANITIZED 1 // code must not run before the sanitizer's runtime
#else
#define OS_SANITIZED 0
#endif
#if defined( __GLIBC__ ) && !OS_SANITIZED
#define OS_CALL_EARLY( guard )                                                                                         \
	static void call_early( int argc, char **argv, char **environment ) {                                              \
		(void)argc, (void)argv, (void)environment;                                                                     \
		guard();                                                                                                       \
	}                                                                                                                  \
	__attribute__( ( used, section( ".preinit_array" ) ) ) static void ( *const early )( int, char **, char ** ) =     \
	    call_early
#else
#define OS_CALL_EARLY( guard ) _Static_assert( true, "" )
#endif

// Ends the process at once, without what atexit() was told; and writes to standard error without any memory.
_Noreturn void os_exit_now( int status );
void os_print_error( const char *text, size_t count );

// Notes the first Ctrl-C or request to end by note( number of the signal ); the second one has its usual effect. A
// signal that the parent ignored stays ignored, as behind nohup or &.
void os_note_interrupts( void ( *note )( int signal_number ) );

// Ends the process as that signal would. Returns if the signal is blocked.
void os_die_of( int signal_number );

// The path of this program. False where the system does not say.
bool os_program( char *out, size_t room );

// The folder of this program, with a '/' behind it. False where the system does not say.
bool os_program_folder( char *out, size_t room );

// Becomes another program, which is looked for as a shell does it; words[0] is its name, NULL ends them. Returns where
// there is no such program, and on systems where a process cannot become another one.
void os_become( const char *program, char *const *words );

// getenv() in UTF-8. The text may change with the next call.
const char *os_environment( const char *name );

// Raises the number of files that this process may have open, as far as the system allows.
void os_raise_file_limit( void );

// gmtime(), for any thread. False for times that it does not know.
bool os_utc( time_t seconds, struct tm *out );

// ------------------------------------------------------------------------------------------------
// Terminal

bool os_is_terminal( FILE *stream );

// Its columns; 0: unknown.
size_t os_terminal_columns( FILE *stream );

// The name of the terminal's kind, "dumb" for one without colours; NULL: unknown.
const char *os_terminal_kind( FILE *stream );

// ------------------------------------------------------------------------------------------------
// Files

// The descriptor of a stream; and another descriptor of standard output, -1 on failure.
int os_file_of( FILE *stream );
int os_duplicate_standard_output( void );

// Does this errno of a write to standard output say that its reader has closed the pipe?
bool os_is_closed_pipe( int number );

bool os_make_folder( const char *path );

// Calls see( user, name ) for each name in a folder until that returns false. False if the folder cannot be read.
bool os_list( const char *folder, bool ( *see )( void *user, const char *name ), void *user );

// Writes all bytes at a place; the file's position may move.
bool os_write_at( int file, uint64_t at, const void *bytes, size_t count );
bool os_truncate( int file, uint64_t size );

// Locks an open file against all other processes until it is closed, or this process ends in whatever way. OS_HELD:
// another process has the lock, and `waits` is false.
typedef enum os_locked { OS_LOCKED, OS_HELD, OS_NOT_LOCKED } os_locked;
os_locked os_lock( int file, bool waits );

// Has another process locked it?
bool os_is_locked( int file );

// A stream that writes to memory. It must stay where it is while it is open.
typedef struct os_text {
	FILE *stream;
	char *bytes; // after os_text_close(), from malloc()
	size_t count;
} os_text;

bool os_text_open( os_text *text );
// False, and no bytes, if any of them could not be written.
bool os_text_close( os_text *text );
