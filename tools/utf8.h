// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Texts that come from files, and what may be written of them where UTF-8 is asked for.

#pragma once

#include <stdint.h>

// The length of the UTF-8 sequence at `s`, and its character; 0 where there is none (stray, cut short, overlong, a
// surrogate, too big).
int utf8_sequence( const char *s, uint32_t *code_out );
