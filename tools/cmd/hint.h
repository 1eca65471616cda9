// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The last line on a terminal: the command that shows what was found.

#pragma once

#include <stdbool.h>

// Begins "see it: dualbvh COMMAND" where standard output is a terminal; elsewhere nothing is printed until hint_end().
void hint_begin( const char *command );

// Adds an option (NULL: an operand) and its value (NULL: none), quoted for a shell. A value that no shell takes safely,
// with control characters, makes the line disappear.
void hint_add( const char *option, const char *value );

void hint_end( void );
