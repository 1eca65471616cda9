// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What has been found by its fragments (bvh/fragment.h), which may find it again: a set of keys, each with two places
// in leaf order that it was found at. It is empty before a search and belongs to one thread.

#pragma once

#include "dualbvh/base.h"

typedef struct dbvhi_note {
	uint64_t key;
	uint32_t i, j;
} dbvhi_note;

typedef struct dbvhi_noted {
	dbvhi_note *notes; // as they came
	size_t count, capacity;
	uint32_t *table; // 1 + the place of a note; 0 is free
	size_t slots;    // in use: a power of two
	size_t slot_capacity;
	bool failed; // there was no memory for one
} dbvhi_noted;

// Makes room for so many; false where there is no memory, and the set is as it was.
bool dbvhi_noted_reserve( dbvhi_noted *noted, const dbvh_allocator *allocator, size_t count );
void dbvhi_noted_clear( dbvhi_noted *noted );
void dbvhi_noted_free( dbvhi_noted *noted, const dbvh_allocator *allocator );

// For a search that may as well find the same again: returns true if the key is known, and keeps it if not, in the
// place of all others where there is no room. Takes no memory.
bool dbvhi_noted_recall( dbvhi_noted *noted, uint64_t key );

bool dbvhi_noted_has( const dbvhi_noted *noted, uint64_t key );

// Returns true if the key is new. Where there is no memory it is not kept, and `failed` says so.
bool dbvhi_noted_add( dbvhi_noted *noted, const dbvh_allocator *allocator, dbvhi_note note );
