// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A ZIP archive made in memory by libzip, and written at the end.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct archive archive;

// Is libzip in?
bool archive_is_known( void );

// Dates of all entries are `now`, seconds since 1970. NULL where there is no memory.
archive *archive_begin( int64_t now );

// Adds a file, whose bytes the archive takes over, also on failure; with `is_packed` they are stored as they are (a
// picture), else deflated. A name that ends in '/' is a folder; `bytes` is NULL then.
void archive_add( archive *a, const char *name, void *bytes, size_t count, bool is_packed );

// Writes the archive and frees it. Packing asks `is_given_up` (may be NULL) now and then, and ends where it says true.
// False where there is no memory, or the work was given up; errors of `file` are left in it.
bool archive_end( archive *a, FILE *file, bool ( *is_given_up )( void *user ), void *user );
