// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

// Room for one more, by doubling: `array` is the address of a pointer to any object, `size` that of one element. False
// where there is no memory; nothing has changed then.
bool scene_grow( void *array, size_t *capacity, size_t count, size_t size );

// vprintf() into a new text, which the caller frees. NULL where there is no memory.
char *scene_print( const char *format, va_list arguments );

// A copy of a text, NULL where there is no memory, or no text.
char *scene_copy( const char *text );
