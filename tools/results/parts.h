// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The file of results that one rank writes. A process alone writes the file itself; rank 2 of 4 writes
// FILE.rank-2-of-4, and join.h makes one of them all. A lock on it, which ends with its process however that ends,
// tells whether that is still at work. docs/design/ranks.md has the whole.

#pragma once

#include "results/work.h"

typedef struct part {
	char path[PART_PATH_ROOM];
	results_form form;
	const record *record;
	const fingerprint *about;
	results_state state;
	FILE *file;
} part;

void part_begin( part *p, const results_options *o, const results_work *work, const fingerprint *about );

typedef enum part_opened {
	PART_OPEN,
	PART_ALL_DONE, // the run is finished, those of all ranks: *done is its state
	PART_FAILED,   // after a sentence
} part_opened;

// Creates the file, or goes on behind what is finished. It is this process's own until part_close().
part_opened part_open( part *p, const results_options *o, results_state *done );

// Returns when all that is finished is on disk. False after a sentence.
bool part_flush( part *p );

void part_close( part *p );

// Is a process writing this file?
bool part_is_at_work( const char *path );

void part_path( char path[PART_PATH_ROOM], const char *file, ranks r );

// A sentence: "F cannot be written: no space left"; returns false.
bool part_cannot( const char *path, const char *what );
