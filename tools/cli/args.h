// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A strict reader of command lines: a table says which options there are, what each takes and where that goes.
// Nothing is guessed, nothing abbreviated.

#pragma once

#include "cli/complain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum arg_kind {
	ARG_FLAG,            // bool, without a value
	ARG_TEXT,            // const char *
	ARG_TEXTS,           // arg_texts: one more, each time it is named
	ARG_COUNT,           // uint32_t, from `lowest` to `highest`
	ARG_POSITIVE,        // double, above 0
	ARG_NOT_NEGATIVE,    // double, 0 or above
	ARG_PART,            // double, from 0 to 1
	ARG_TRIPLE,          // double[3]
	ARG_POSITIVE_TRIPLE, // double[3], each above 0
	ARG_QUADRUPLE,       // double[4]
	ARG_HELP,            // prints the help and ends
	ARG_VERSION,         // prints the version and ends
} arg_kind;

// All values of an option that may be named many times, in order. Zero-initialise; args_texts_free() frees it.
typedef struct arg_texts {
	const char **texts;
	size_t count;
} arg_texts;

typedef struct arg_target {
	arg_kind kind;
	size_t at;                // offset in the struct of settings
	uint32_t lowest, highest; // ARG_COUNT
} arg_target;

typedef struct arg_option {
	const char *name;  // without the dashes
	char letter;       // short form, or 0
	const char *value; // name of its value in the help; NULL for an option without one
	arg_target to;
	const char *help; // NULL: another spelling, not in the help
} arg_option;

typedef struct arg_table {
	const char *command; // for messages and help: "check"
	const arg_option *options;
	size_t option_count; // at most 64
	int ( *help )( void );
	// Takes an argument that is no option. Returns false after a sentence.
	bool ( *operand )( void *target, const char *text );
} arg_table;

// For tables: where values go, in a struct that is called `settings`.
#define ARG_TO( kind, member )                                                                                         \
	{ kind, offsetof( settings, member ), 0, 0 }
#define ARG_COUNT_TO( member, lowest, highest )                                                                        \
	{ ARG_COUNT, offsetof( settings, member ), lowest, highest }
#define ARG_HELP_ENTRY                                                                                                 \
	{ "help", 'h', NULL, { ARG_HELP, 0, 0, 0 }, "print this" }
#define ARG_VERSION_ENTRY                                                                                              \
	{ "version", 0, NULL, { ARG_VERSION, 0, 0, 0 }, "print the version" }

enum { ARGS_GO_ON = -1 };

// Reads all of argv from argv[1] on into the struct at `target`; options take --name VALUE, --name=VALUE, -x VALUE and
// -xVALUE, and all behind -- are operands. Bit i of *given_out: option i of the table was named. Returns ARGS_GO_ON, or
// the exit status with which to end: after --help and --version, and after a sentence about a mistake.
int args_read( const arg_table *table, int argc, char **argv, void *target, uint64_t *given_out );

// Appends a text, which the caller keeps. False where there is no memory.
bool args_texts_add( arg_texts *list, const char *text );
void args_texts_free( arg_texts *list );

// " (did you mean 'PREFIXword'?)" where a word of the list is like the typed one, else "". Good until the next call.
const char *args_suggest( const char *typed, const char *const *words, size_t count, const char *prefix );

// The index of an option's value among the words that it takes, or -1 after a sentence: "'x' is no value for --fill,
// which takes nonzero or even-odd".
int args_find_word( const char *command, const char *option, const char *value, const char *const *words,
                    size_t count );

// Would an output (NULL: none) replace one of the files that are read (NULL: not named)? ARGS_GO_ON, or the exit status
// after a sentence.
int args_spare_inputs( const char *command, const char *output, const char *const *inputs, size_t count );

// A sentence on stderr about the command line, then where to find help; returns exit status 2.
int args_refuse( const char *command, const char *format, ... ) PRINTF_LIKE( 2, 3 );
