// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A file that takes the place of another once it is whole: it is written beside that one and then renamed, so that
// nobody ever sees half of it, whoever is killed or writes at the same time. Nothing here knows of the rest of the
// library: the command is compiled with it, too.

#pragma once

#include <stdbool.h>

// Zero-initialised: none.
typedef struct dbvhi_replacement {
	int descriptor;      // what is written to
	char *path, *beside; // what it replaces, and what it is called until then; NULL: it is written in place
} dbvhi_replacement;

// Begins one. Where `path` is no regular file, such as a pipe, that is written in place; where it is a link to one,
// that one is replaced, and the link stays. It has the permissions of what it replaces. Memory for names is the C
// library's. False with errno; *what_out then says what could not be done to the file ("created").
bool dbvhi_replacement_begin( dbvhi_replacement *r, const char *path, const char **what_out );

// Puts it in its place; `to_disk`: once all of it has reached the disk. `is_whole` false (with errno), or where that
// fails, there is nothing new, nothing is left of what was begun, and the result is false with errno and *what_out.
bool dbvhi_replacement_end( dbvhi_replacement *r, bool is_whole, bool to_disk, const char **what_out );
