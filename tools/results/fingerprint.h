// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The identity of a run, as text: a line for each thing that its results depend on, "mesh A: 0123456789abcdef". Two
// runs with the same lines have the same results. Large things go in by a hash, which detects accidents, not forgeries.

#pragma once

#include "cli/complain.h"
#include "dualbvh/mesh.h"

#include <stdbool.h>
#include <stddef.h>

enum { FINGERPRINT_ROOM = 4096 };

typedef struct fingerprint {
	char text[FINGERPRINT_ROOM]; // lines, each with its end
	bool is_cut;                 // something found no room; nothing equals this one
} fingerprint;

// Adds a line. `what` completes the sentence "its ... are others"; the value has no line ends.
void fingerprint_say( fingerprint *f, const char *what, const char *format, ... ) PRINTF_LIKE( 3, 4 );
void fingerprint_hash( fingerprint *f, const char *what, uint64_t hash ); // a hash of text/hash.h
void fingerprint_mesh( fingerprint *f, const char *what, const dbvh_mesh *mesh );
