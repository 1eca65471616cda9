// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A set of keys of pairs, triangles or hits that were found through fragments (bvh/fragment.h) and may be found again,
// each with two positions in leaf order. It is empty before a search and belongs to one thread.

#pragma once

#include "dualbvh/base.h"

typedef struct dbvhi_note {
	uint64_t key;
	uint32_t i, j;
} dbvhi_note;

typedef struct dbvhi_noted {
	dbvhi_note *notes; // in the order in which they came
	size_t count, capacity;
	uint32_t *table; // 1 + the index of a note; 0 is free
	size_t slots;    // in use: a power of two
	size_t slot_capacity;
	bool failed; // out of memory: a note is missing
} dbvhi_noted;

// Make room for `count` notes; false if there is no memory, and the set is as it was.
bool dbvhi_noted_reserve( dbvhi_noted *noted, const dbvh_allocator *allocator, size_t count );
void dbvhi_noted_clear( dbvhi_noted *noted );
void dbvhi_noted_free( dbvhi_noted *noted, const dbvh_allocator *allocator );

// Returns true if the key is known, and keeps it if not, dropping all others if there is no room: for a search that may
// find the same again. Allocates nothing.
bool dbvhi_noted_recall( dbvhi_noted *noted, uint64_t key );

bool dbvhi_noted_has( const dbvhi_noted *noted, uint64_t key );

// Returns true if the key is new. Without memory it is not kept, and `failed` says so.
bool dbvhi_noted_add( dbvhi_noted *noted, const dbvh_allocator *allocator, dbvhi_note note );
