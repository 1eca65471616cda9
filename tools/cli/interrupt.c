// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cli/interrupt.h"

#include "cli/complain.h"
#include "os/os.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_guarded, is_own;

static void on_exit_of_others( void ) {
	static const char sentence[] = "dualbvh: ended by a library: there is no memory, or no thread, for what it needs; "
	                               "OMP_NUM_THREADS=1 asks for less\n";
	if ( is_own )
		return;
	fflush( stdout );
	// stdio may have no memory to write with.
	os_print_error( sentence, sizeof( sentence ) - 1 );
	os_exit_now( EXIT_ERROR );
}

void exit_guard_begin( void ) {
	if ( !is_guarded )
		is_guarded = atexit( on_exit_of_others ) == 0;
}

// Runs before the constructors of shared libraries, of which OpenMP's may end the process.
OS_CALL_EARLY( exit_guard_begin );

int exit_guard_end( int status ) {
	is_own = true;
	return status;
}

static _Atomic int noted; // by the handler, of whichever thread, and read by all

static void note( int signal_number ) {
	noted = signal_number;
}

void interrupt_begin( void ) {
	os_note_interrupts( note );
}

bool interrupted( void ) {
	return noted != 0;
}

int interrupt_finish( int status ) {
	if ( noted == 0 || status == EXIT_ERROR )
		return status;
	os_die_of( noted );
	return EXIT_ERROR; // the signal is blocked
}
