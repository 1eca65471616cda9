// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A strict reader of command lines: a table of options, nothing guessed, nothing abbreviated.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arg_option {
	const char *name;  // without the dashes
	char letter;       // short form, or 0
	const char *value; // what its value is called in the help; NULL for an option without one
	const char *help;
} arg_option;

typedef struct args {
	const char *command; // for messages and help: "check"
	const arg_option *options;
	size_t option_count;
	char **argv;
	int argc, at;
	bool operands_only;
} args;

enum { ARG_OPERAND = -1, ARG_END = -2, ARG_BAD = -3 };

// The next argument: an index into the table, with *value set where the option has one; ARG_OPERAND with *value;
// ARG_END; or ARG_BAD, after a sentence on stderr. Takes --name VALUE, --name=VALUE, -x VALUE, -xVALUE and --.
int args_next( args *a, const char **value );

// Prints the table, one option a line.
void args_help( const arg_option *options, size_t count );

// A sentence on stderr about the command line, then where to find help; returns exit status 2.
int args_refuse( const char *command, const char *format, ... );

// Numbers on command lines and in pose files: the whole text must be one decimal number; "1e400" gives infinity and
// "nan" NaN, which the caller refuses.
bool parse_real( const char *text, double *out );
bool parse_count( const char *text, uint32_t lowest, uint32_t highest, uint32_t *out );

// `count` finite numbers with commas between them.
bool parse_reals( const char *text, double *out, int count );
