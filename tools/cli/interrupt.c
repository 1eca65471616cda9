// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/interrupt.h"

#include "cli/complain.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_guarded, is_own;

static void on_exit_of_others( void ) {
	static const char sentence[] = "dualbvh: ended by a library: there is no memory, or no thread, for what it needs; "
	                               "OMP_NUM_THREADS=1 asks for less\n";
	if ( is_own )
		return;
	fflush( stdout );
	// stdio may have no memory to write with.
	const ssize_t written = write( STDERR_FILENO, sentence, sizeof( sentence ) - 1 );
	(void)written;
	_exit( EXIT_ERROR );
}

void exit_guard_begin( void ) {
	if ( !is_guarded )
		is_guarded = atexit( on_exit_of_others ) == 0;
}

#if defined( __has_feature )
#define HAS_FEATURE( name ) __has_feature( name )
#else
#define HAS_FEATURE( name ) 0
#endif
#if defined( __SANITIZE_ADDRESS__ ) || defined( __SANITIZE_THREAD__ ) || HAS_FEATURE( address_sanitizer ) ||           \
    HAS_FEATURE( thread_sanitizer ) || HAS_FEATURE( memory_sanitizer )
#define SANITIZED 1 // whose code must not run before its runtime
#else
#define SANITIZED 0
#endif

#if defined( __GLIBC__ ) && !SANITIZED
// Runs before the constructors of shared libraries, of which OpenMP's may end the process.
static void guard_early( int argc, char **argv, char **environment ) {
	(void)argc;
	(void)argv;
	(void)environment;
	exit_guard_begin();
}
__attribute__( ( used, section( ".preinit_array" ) ) ) static void ( *const early )( int, char **,
                                                                                     char ** ) = guard_early;
#endif

int exit_guard_end( int status ) {
	is_own = true;
	return status;
}

static _Atomic int noted; // by the handler, of whichever thread, and read by all

static void note( int signal_number ) {
	noted = signal_number;
}

void interrupt_begin( void ) {
	static const int signals[] = { SIGINT, SIGTERM };
	for ( int i = 0; i < 2; ++i ) {
		struct sigaction now;
		// A signal that the parent ignored stays ignored, as behind nohup or &.
		if ( sigaction( signals[i], NULL, &now ) != 0 || now.sa_handler == SIG_IGN )
			continue;
		memset( &now, 0, sizeof( now ) );
		sigemptyset( &now.sa_mask );
		now.sa_handler = note;
		now.sa_flags = (int)( SA_RESTART | SA_RESETHAND );
		sigaction( signals[i], &now, NULL );
	}
}

bool interrupted( void ) {
	return noted != 0;
}

int interrupt_finish( int status ) {
	if ( noted == 0 || status == EXIT_ERROR )
		return status;
	signal( noted, SIG_DFL );
	raise( noted );
	return EXIT_ERROR; // the signal is blocked
}
