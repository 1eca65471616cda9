// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Texts that come from files, and what may be written of them where UTF-8 is asked for.

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The length of the UTF-8 sequence at `s`, and its character; 0 where there is none (stray, cut short, overlong, a
// surrogate, too big).
int utf8_sequence( const char *s, uint32_t *code_out );

// Does a terminal do something at this character other than to show it? Control characters of both sets (C0, C1, DEL),
// marks of direction that make what follows read in another order, and separators of lines.
bool utf8_is_control( uint32_t code );

// Prints a text for people: '?' in the place of each such character, and of each byte that is no UTF-8.
void utf8_print( FILE *file, const char *text );
