// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// --output, --resume, --rank and --exit-zero: what the command line says of a file of results.

#pragma once

#include "cli/args.h"
#include "results/ranks.h"

typedef enum results_form { RESULTS_NPY, RESULTS_JSON_LINES } results_form;

enum { PART_PATH_ROOM = 4096 };

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
