// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The texts of --help. On a terminal it is wrapped to its width; else each option and each item keeps its line, which
// the generators of manual pages and completion read.

#pragma once

#include "cli/args.h"

// Prints a text and a line end. A line that begins with "- ", a number, or a word and two blanks, behind its
// indentation, is an item; indented lines are otherwise kept as they are (examples).
void help_text( const char *text );

// Prints an item: its name, padded to `width`, and a text.
void help_item( const char *name, size_t width, const char *text );

// Prints the table, one option a line, in groups by what they are about.
void help_options( const arg_option *options, size_t count );
