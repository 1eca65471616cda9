// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What a run is about, as text: a line for each thing that its results depend on, "mesh A: 0123456789abcdef". Two runs
// with the same lines have the same results. Large things go in by a hash, which tells what differs by accident, not
// what somebody forged.

#pragma once

#include "cli/complain.h"

#include <stdbool.h>
#include <stddef.h>

enum { FINGERPRINT_ROOM = 4096 };

typedef struct fingerprint {
	char text[FINGERPRINT_ROOM]; // lines, each with its end
	bool is_cut;                 // something found no room; nothing equals this one
} fingerprint;

// What it is called, as in "its poses are others", and what it is, which must be without line ends.
void fingerprint_say( fingerprint *f, const char *what, const char *format, ... ) PRINTF_LIKE( 3, 4 );
void fingerprint_hash( fingerprint *f, const char *what, uint64_t hash ); // of text/hash.h
void fingerprint_mesh( fingerprint *f, const char *what, const dbvh_mesh *mesh );
