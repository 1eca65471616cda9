// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Names and their numbers: a hash table with open addressing. The texts stay the caller's.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_name {
	const char *text; // NULL: nothing here
	uint32_t number;
} scene_name;

typedef struct scene_names {
	scene_name *slots;
	size_t slot_count, count; // slot_count is a power of two, or 0
} scene_names;

void scene_names_free( scene_names *names );

// The number of a name, UINT32_MAX where it is not known.
uint32_t scene_names_find( const scene_names *names, const char *text );

// Adds a name that is not known yet. False where there is no memory.
bool scene_names_add( scene_names *names, const char *text, uint32_t number );
