// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A whole file in memory.

#pragma once

#include "dualbvh/base.h"

typedef struct dbvhi_file {
	uint8_t *bytes;
	size_t count, capacity;
} dbvhi_file;

// Errors: IO with a sentence, LIMIT, OUT_OF_MEMORY. On success dbvhi_file_free() takes it back.
dbvh_status dbvhi_file_read( const char *path, const dbvh_allocator *allocator, dbvhi_file *file, dbvh_error *error );
void dbvhi_file_free( dbvhi_file *file, const dbvh_allocator *allocator );

// Writes a file as a whole. Errors: IO with a sentence.
dbvh_status dbvhi_file_write( const char *path, const void *bytes, size_t count, dbvh_error *error );

// IO, with what errno says about a file that cannot be opened, read or written.
dbvh_status dbvhi_file_refuse( dbvh_error *error, int number, const char *what );
