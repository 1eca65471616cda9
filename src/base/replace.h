// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The one writer of files: a file takes the place of another once it is whole. It is written beside that one and then
// renamed, so that at any time there is the old file or the whole new one, whoever is killed, fills the disk or writes
// at the same time. Nothing here knows of the rest of the library: the command is compiled with it, too.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Zero-initialised: none.
typedef struct dbvhi_replacement {
	int descriptor;      // written to
	FILE *stream;        // over the descriptor, once it was asked for
	char *path, *beside; // the file that is replaced, and the temporary name; NULL: written in place
	unsigned mode;       // permissions of the file once it is whole; until then nobody else can open it
} dbvhi_replacement;

// What stands for a link, or a pipe, under the name of a file.
typedef enum dbvhi_replaced {
	DBVHI_REPLACE_TARGET, // as users mean it: a link stays, its file is replaced; a pipe or device is written in place
	// Nothing is followed or written through: the name becomes a regular file that nobody else may write to.
	DBVHI_REPLACE_NAME,
} dbvhi_replaced;

// Begins one. A regular file of one's own keeps its permission bits (0777) and its group; a file of another user, and
// a new one, get those of the umask. Memory for names is the C library's. False with errno; *what_out then says what
// could not be done to the file ("created").
bool dbvhi_replacement_begin( dbvhi_replacement *r, const char *path, dbvhi_replaced kind, const char **what_out );

// Writes to a descriptor that is there already, such as that of standard output, which becomes the replacement's own.
void dbvhi_replacement_through( dbvhi_replacement *r, int descriptor );

// A stream over what has been begun, which ends with it. False with errno: the replacement has ended.
bool dbvhi_replacement_open_stream( dbvhi_replacement *r );

// Appends to a dbvhi_replacement without a stream; false where not everything was taken: errno then says why.
bool dbvhi_replacement_append( void *replacement, const void *bytes, size_t count );

// Puts it in its place; `to_disk`: once all of it has reached the disk. `is_whole` false (with errno), or where any of
// its bytes could not be written, there is nothing new, nothing is left of what was begun, and the result is false with
// errno (0: unknown) and *what_out.
bool dbvhi_replacement_end( dbvhi_replacement *r, bool is_whole, bool to_disk, const char **what_out );
