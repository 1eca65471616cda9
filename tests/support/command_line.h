// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command line of every test program:
//
//   --list             the names of its tests, one a line
//   --filter PATTERN   only tests whose name holds PATTERN; * stands for anything, ? for one character. After a slash,
//   a
//                      second pattern chooses among the cases of a test that has named ones: --filter oracles/sphere
//   --seed N           the seed of the random tests, in place of DUALBVH_SEED
//   --help             these options
//
// Some take --part K/N, so that several processes can divide the work, and operands.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Optional operands and options of a test program; all zero for none.
typedef struct test_usage {
	const char *operands; // text for --help: "[POSES]"; NULL: there are none
	bool parts;           // --part is taken
} test_usage;

typedef struct test_command_line {
	const char *const *operands;
	size_t operand_count;
	uint64_t part, parts; // part 1 of 1 if nothing is said
} test_command_line;

// Reads the options. `names` is the first name of `count`, and `stride` bytes lie from each to the next. Ends the
// program for --list and --help, and with status 2 for what it does not understand and a filter that chooses nothing.
test_command_line test_command_line_read( int argc, char **argv, test_usage usage, const char *const *names,
                                          size_t count, size_t stride );

// Does the filter choose this test? And this case of a test, by what follows the slash?
bool test_is_chosen( const char *name );
bool test_case_is_chosen( const char *name );

// Is everything chosen, tests and cases? Only then can a test demand that both outcomes were seen.
bool test_everything_is_chosen( void );

// Operand i as a number, which may be written as 1e6; `fallback` where it is not given. Ends the program with status 2
// where it is not a positive whole number.
uint64_t test_operand( const test_command_line *line, size_t i, uint64_t fallback );
