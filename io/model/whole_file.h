// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files of the disk, read whole.

#pragma once

#include "dualbvh/base.h"
#include "model/ledger.h"

// Reads all of a file, which may be a pipe, at most 2^36 bytes. The caller frees the bytes. `ledger` may be NULL.
dbvh_status scene_disk_read( const char *path, unsigned char **bytes_out, size_t *count_out, scene_ledger *ledger,
                             dbvh_error *error );

// Reads all of an open file, and closes the descriptor, also on failure.
dbvh_status scene_descriptor_read( int descriptor, unsigned char **bytes_out, size_t *count_out, scene_ledger *ledger,
                                   dbvh_error *error );

// Reads all of a file and puts a zero byte behind it, which *count_out does not count. The caller frees the bytes. NULL
// after filling in *error.
unsigned char *scene_load_bytes( const char *path, size_t *count_out, dbvh_error *error );

// Copies the bytes of a text, without the mark that some editors of Windows put first, and puts a zero byte behind it.
// The caller frees it. NULL after filling in *error: a zero byte is in no text.
char *scene_copy_text( const unsigned char *bytes, size_t count, dbvh_error *error );

// Fills in *error, "the file cannot be opened: no such file", and returns DBVH_IO. `number`: an errno, or 0.
dbvh_status scene_refuse_disk( dbvh_error *error, const char *what, int number );
