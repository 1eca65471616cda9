// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files as the library saves its own (base/replace.h), for what is printed: nobody sees half of one. What is there
// and is no file (a pipe, a terminal, /dev/null) is written to as it is, or it would be replaced; so is standard output
// under any name.

#pragma once

#include "base/replace.h"

#include <stdio.h>

typedef struct replacement {
	FILE *stream;
	const char *path, *what; // what: "the report", for sentences
	dbvhi_replacement file;
} replacement;

// Do both names lead to one file that is there? Links are followed.
bool is_same_file( const char *a, const char *b );

// Is it where standard output goes? "-" is.
bool is_standard_output( const char *path );

// Is it written to as it is?
bool is_written_as_it_is( const char *path );

// False after a sentence, and there is nothing to close.
bool replacement_open( replacement *r, const char *path, const char *what );
// False after a sentence; `path` is then as it was. An errno of ENOMEM counts as a failure.
bool replacement_close( replacement *r );
void replacement_abandon( replacement *r );
