// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Exit statuses, and sentences on stderr. The command prints; the library never does.

#pragma once

#include "dualbvh/base.h"

#include <stddef.h>

#if defined( __GNUC__ )
#define PRINTF_LIKE( string, first ) __attribute__( ( format( printf, string, first ) ) )
#else
#define PRINTF_LIKE( string, first )
#endif

// Exit statuses. Disagreement is for replay. Undecidable: an open mesh may hold the other or not, and nothing
// interferes otherwise.
enum { EXIT_CLEAR = 0, EXIT_INTERFERENCE = 1, EXIT_ERROR = 2, EXIT_UNDECIDABLE = 3, EXIT_DISAGREEMENT = 4 };

// Prints "dualbvh: ..." and a line end to stderr; returns EXIT_ERROR.
int complain( const char *format, ... ) PRINTF_LIKE( 1, 2 );

// Says that there is no memory; returns EXIT_ERROR.
int complain_memory( void );

// Prints the error of a file with its line or byte where there is one; returns EXIT_ERROR.
int complain_of( const char *file, const dbvh_error *error );

// Pushes out what is buffered. Returns `status`, or EXIT_ERROR with a sentence where standard output took not all.
int finish_output( int status );

// "s" unless n is 1.
const char *plural( size_t n );
