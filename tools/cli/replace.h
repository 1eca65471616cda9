// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Output files. Each is written under another name and renamed when it is whole, as the library saves its own files
// (base/replace.h): nobody sees half of one. A pipe, a terminal or /dev/null is written to directly, since a rename
// would replace it by a file; so is standard output under any name.

#pragma once

#include "base/replace.h"

#include <stdio.h>

typedef struct replacement {
	FILE *stream;
	const char *path, *what; // `what` names it in sentences: "the report"
	dbvhi_replacement file;
} replacement;

// Do both names lead to one file that is there? Links are followed.
bool is_same_file( const char *a, const char *b );

// Is it the file that standard output goes to? "-" is.
bool is_standard_output( const char *path );

// Is it written to directly, rather than replaced?
bool is_written_as_it_is( const char *path );

// False after a sentence, and there is nothing to close.
bool replacement_open( replacement *r, const char *path, const char *what );
// False after a sentence; `path` is then as it was. An errno of ENOMEM counts as a failure.
bool replacement_close( replacement *r );
void replacement_abandon( replacement *r );
