// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A set of keys of pairs, triangles or hits that were found through fragments (bvh/fragment.h) and may be found again,
// each with two positions in leaf order. It is empty before a search and belongs to one thread.

#pragma once

#include "dualbvh/base.h"

typedef struct dbvhi_seen_pair {
	uint64_t key;
	uint32_t i, j;
} dbvhi_seen_pair;

typedef struct dbvhi_seen_pairs {
	dbvhi_seen_pair *pairs; // in the order in which they came
	size_t count, capacity;
	uint32_t *table; // 1 + the index of a note; 0 is free
	size_t slots;    // in use: a power of two
	size_t slot_capacity;
	bool failed; // out of memory: a note is missing
} dbvhi_seen_pairs;

// Make room for `count` notes; false if there is no memory, and the set is as it was.
bool dbvhi_seen_pairs_reserve( dbvhi_seen_pairs *seen, const dbvh_allocator *allocator, size_t count );
void dbvhi_seen_pairs_clear( dbvhi_seen_pairs *seen );
void dbvhi_seen_pairs_free( dbvhi_seen_pairs *seen, const dbvh_allocator *allocator );

// Returns true if the key is known, and keeps it if not, dropping all others if there is no room: for a search that may
// find the same again. Allocates nothing.
bool dbvhi_seen_pairs_recall( dbvhi_seen_pairs *seen, uint64_t key );

bool dbvhi_seen_pairs_has( const dbvhi_seen_pairs *seen, uint64_t key );

// Returns true if the key is new. Without memory it is not kept, and `failed` says so.
bool dbvhi_seen_pairs_add( dbvhi_seen_pairs *seen, const dbvh_allocator *allocator, dbvhi_seen_pair note );
