// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A ZIP archive that is written from front to end (APPNOTE 6.3.10 of PKWARE, without what needs more than 4 GiB).

#pragma once

#include "picture/bytes.h"

#include <stdio.h>

typedef struct archive {
	FILE *file;
	uint64_t size;        // bytes written so far
	bytes directory;      // central directory of the entries so far
	uint32_t entry_count; // at most 65535
	uint32_t date;        // in MS-DOS format
	bool has_failed;      // no memory, or more than the format holds
} archive;

// Every entry has the date `now`, in seconds since 1970, as universal time: the bytes are the same on every machine.
void archive_begin( archive *a, FILE *file, int64_t now );

// The name is ASCII; one that ends with '/' is a folder. What is packed already is stored as it is.
void archive_add( archive *a, const char *name, const void *from, size_t count, bool is_packed );

// Writes the directory and frees what the archive has. False where anything failed but the file, which ferror() tells.
bool archive_end( archive *a );
