// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A set of hashes: a table with open addressing. All zero: empty.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_hash_set {
	uint64_t *slots;          // 0: nothing here
	size_t slot_count, count; // slot_count is a power of two, or 0
} scene_hash_set;

void scene_hash_set_free( scene_hash_set *set );

bool scene_hash_set_has( const scene_hash_set *set, uint64_t hash );

// Adds a hash, unless it is there. False where there is no memory.
bool scene_hash_set_add( scene_hash_set *set, uint64_t hash );
