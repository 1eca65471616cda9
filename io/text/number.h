// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Numbers as text, both ways. Nothing here depends on a locale: nobody sets one.

#pragma once

#include <stdbool.h>
#include <stdint.h>

// Numbers on command lines and in pose files: the whole text must be one decimal number; "1e400" gives infinity and
// "nan" NaN, which the caller refuses.
bool parse_real( const char *text, double *out );
bool parse_count( const char *text, uint32_t lowest, uint32_t highest, uint32_t *out );

// `count` finite numbers with commas between them.
bool parse_reals( const char *text, double *out, int count );

enum { REAL_ROOM = 32 };

// The fewest digits, from 15 to 17, that read back as the same double. Returns `text`.
const char *real_text( double x, char text[REAL_ROOM] );
