// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The work of a command with --output.

#pragma once

#include "results/fingerprint.h"
#include "results/options.h"
#include "results/record.h"
#include "results/state.h"

// The functions and facts of a command that results_run() needs.
typedef struct results_work {
	const char *doing; // "poses checked", for the progress line
	const char *one;   // "pose", for sentences
	size_t case_count;
	const record *record;     // layout of a row of .npy
	const fingerprint *about; // everything that the results depend on; results_run() adds the command's name, the
	                          // version and the fields of a row
	void *user;
	// Answers case i, writes its record to the file (JSON: one line) and adds to the tally. On any other status than
	// DBVH_OK nothing must be written; DBVH_CANCELLED ends the run for now.
	dbvh_status ( *answer )( void *user, size_t i, results_form form, FILE *file, results_tally *tally );
	// NULL, or what answers many cases at once, on all cores: called before every at_once cases, `count` of them from
	// `first` on, each `step` behind the one before. *ready says about how many answer() may be asked then, in their
	// order: all of them, or fewer with DBVH_CANCELLED.
	dbvh_status ( *prepare )( void *user, size_t first, size_t step, size_t count, size_t *ready );
	size_t at_once;
	// Prints the summary of so many cases.
	void ( *summary )( void *user, const results_tally *tally, size_t finished );
	// The exit status that the answers deserve.
	int ( *status )( void *user, const results_tally *tally );
} results_work;
