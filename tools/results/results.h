// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// --output: the results of many cases (poses, configurations) in a file, a record a case, written as they come.
//
// What is finished is on disk a moment later, and FILE.state beside it says how much that is and what the run is
// about: --resume goes on behind it, after Ctrl-C as after kill -9, and gives the bytes of a run that nothing ended.
// Several ranks write a file each, which the last one to finish joins: the bytes, the summary and the exit status are
// those of one process. Records must therefore depend on the case alone, never on time, chance or other cases.

#pragma once

#include "cli/args.h"
#include "results/fingerprint.h"
#include "results/ranks.h"
#include "results/record.h"
#include "results/state.h"

typedef enum results_form { RESULTS_NPY, RESULTS_JSON_LINES } results_form;

// From the command line.
typedef struct results_options {
	const char *file, *rank_text;
	bool resume, exit_zero;
	// From results_check_options().
	results_form form;
	ranks ranks;
} results_options;

// For tables; `results` is the member of the settings, `one` what a record is about.
#define RESULTS_OUTPUT_ENTRY( results, one )                                                                           \
	{                                                                                                                  \
		"output", 'o', "FILE", ARG_TO( ARG_TEXT, results.file ),                                                       \
		    "write a record a " one " to FILE, .npy or .jsonl, as they come, and print the summary alone"              \
	}
#define RESULTS_RESUME_ENTRY( results )                                                                                \
	{                                                                                                                  \
		"resume", 0, NULL, ARG_TO( ARG_FLAG, results.resume ),                                                         \
		    "with --output: go on where an interrupted run of this command ended"                                      \
	}
#define RESULTS_RANK_ENTRY( results )                                                                                  \
	{                                                                                                                  \
		"rank", 0, "K/N", ARG_TO( ARG_TEXT, results.rank_text ),                                                       \
		    "with --output: do the share of rank K, from 0, of N; mpirun and srun say so themselves"                   \
	}
#define RESULTS_EXIT_ZERO_ENTRY( results )                                                                             \
	{                                                                                                                  \
		"exit-zero", 0, NULL, ARG_TO( ARG_FLAG, results.exit_zero ),                                                   \
		    "with --output: a run that comes to its end has status 0, whatever it found, as mpirun likes it"           \
	}

// For their help.
#define RESULTS_HELP                                                                                                   \
	"\n"                                                                                                               \
	"--output F.npy writes a structured array for NumPy, --output F.jsonl a JSON object a line. F.state beside it\n"   \
	"says how far the run is: after Ctrl-C, kill -9 or a power cut, the same command with --resume goes on, and the\n" \
	"file gets the same bytes. Under mpirun or srun each process does its share, and the last one to finish joins\n"   \
	"the shares in F, prints the summary and has the exit status; the others have 0.\n"

// Looks at what was said. ARGS_GO_ON, or the exit status after a sentence. To be called by all commands that have
// ranks, with --output or without: several processes that would all print the same are refused. `inputs`: the files
// that the command reads, NULL for one that is not named; none may be the output, or with several ranks standard input.
int results_check_options( results_options *o, const char *command, const char *const *inputs, size_t input_count );

// What a command does.
typedef struct results_work {
	const char *doing; // "poses checked", for the progress line
	const char *one;   // "pose", for sentences
	size_t case_count;
	const record *record;     // of .npy
	const fingerprint *about; // all that the results depend on; the command's name, the version and what the file holds
	                          // of a case are added
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

// Does all that is left to do. The exit status.
int results_run( const results_options *o, const char *command, const results_work *work );
