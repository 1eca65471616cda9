// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The terminal that a stream goes to: its width, and whether it gets colours. Files and pipes get plain text, the same
// everywhere.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum terminal_style {
	TERMINAL_BAD,    // red
	TERMINAL_GOOD,   // green
	TERMINAL_UNSURE, // yellow
	TERMINAL_STRONG, // bold
	TERMINAL_FAINT,
} terminal_style;

bool terminal_is( FILE *stream );

// Columns of the terminal, or what COLUMNS says; 0: the stream goes to no terminal.
size_t terminal_width( FILE *stream );

// The codes that begin and end a style; "" for a stream without colours. A terminal has colours unless it is dumb,
// NO_COLOR is set (no-color.org) or CLICOLOR is 0; CLICOLOR_FORCE gives them to every stream but where NO_COLOR is set
// (bixense.com/clicolors).
const char *terminal_begin( FILE *stream, terminal_style style );
const char *terminal_end( FILE *stream );
