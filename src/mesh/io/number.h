// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Decimal numbers in text, whatever the locale: reading rounds correctly (to nearest, ties to even), writing gives the
// shortest digits that read back to the same double.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum dbvhi_number_kind {
	DBVHI_NUMBER_FINITE,
	DBVHI_NUMBER_NOT_FINITE, // nan, inf, infinity, 1.#IND and the like, or beyond the largest double
	DBVHI_NUMBER_BAD,        // anything else that is no decimal number, hexadecimal ones included
} dbvhi_number_kind;

// The whole text must be the number. *out is set only where the result is FINITE.
dbvhi_number_kind dbvhi_number_read( const char *text, size_t length, double *out );

// A whole number with an optional sign; one beyond int64_t is taken as the nearest int64_t. False if it is no such
// text.
bool dbvhi_integer_read( const char *text, size_t length, int64_t *out );

// Room for any double and its terminator.
#define DBVHI_NUMBER_ROOM 32

// Writes a finite number and a terminator, returns the length without it.
size_t dbvhi_number_write( double value, char out[DBVHI_NUMBER_ROOM] );
