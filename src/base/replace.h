// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Atomic replacement of files. The new content is written to a temporary file beside the target and renamed over it, so
// that at any time the name has the old file or the whole new one, even if the process is killed, the disk fills up or
// others write at the same time. Independent of the rest of the library: the command compiles it, too.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// A replacement under way; zero-initialised, none.
typedef struct dbvhi_replacement {
	int descriptor;      // file descriptor being written
	FILE *stream;        // stream over the descriptor, if asked for
	char *path, *beside; // target and temporary file; NULL: written in place
	unsigned mode;       // final permissions; until then nobody else can open the file
} dbvhi_replacement;

// How links, pipes and devices under the target's name are treated.
typedef enum dbvhi_replaced {
	DBVHI_REPLACE_TARGET, // the target of a link is replaced and the link stays; a pipe or device is written in place
	// The name becomes a new regular file, writable by nobody else; no link is followed.
	DBVHI_REPLACE_NAME,
} dbvhi_replaced;

// Begins a replacement. A regular file of the user keeps its permission bits (0777) and its group; a new file, or one
// of another user, gets those of the umask. Memory for names is the C library's. Returns false with errno on failure;
// *what_out then names what could not be done to the file ("created").
bool dbvhi_replacement_begin( dbvhi_replacement *r, const char *path, dbvhi_replaced kind, const char **what_out );

// Makes a replacement of an open descriptor, such as standard output, and takes ownership of it.
void dbvhi_replacement_through( dbvhi_replacement *r, int descriptor );

// Opens a stream over the replacement, closed with it. False with errno: the replacement has ended.
bool dbvhi_replacement_open_stream( dbvhi_replacement *r );

// Appends bytes to a dbvhi_replacement without a stream; false with errno if not all were written.
bool dbvhi_replacement_append( void *replacement, const void *bytes, size_t count );

// Ends a replacement: renames the file over its target, with `to_disk` after all bytes have reached the disk. If
// `is_whole` is false (with errno), or any byte could not be written, the target stays as it was, the temporary file is
// removed, and the result is false with errno (0: unknown) and *what_out.
bool dbvhi_replacement_end( dbvhi_replacement *r, bool is_whole, bool to_disk, const char **what_out );
