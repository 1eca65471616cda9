// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Keys put into buckets and sorted inside each: O(n log n) whatever the mesh, the same result on every machine.
//
// In two passes over the same things: count each, begin, put each, sort.

#pragma once

#include "base/assert.h"
#include "dualbvh/base.h"

typedef struct dbvhi_buckets {
	size_t bucket_count, key_capacity;
	size_t *begin; // bucket_count + 1
	uint64_t *keys;
} dbvhi_buckets;

// All zero on failure.
bool dbvhi_buckets_alloc( dbvhi_buckets *buckets, const dbvh_allocator *allocator, size_t bucket_count,
                          size_t key_capacity );
void dbvhi_buckets_free( dbvhi_buckets *buckets, const dbvh_allocator *allocator );

// Forgets everything. There must be at least one bucket.
void dbvhi_buckets_clear( dbvhi_buckets *buckets );

static inline void dbvhi_buckets_count( dbvhi_buckets *buckets, size_t bucket ) {
	DBVHI_ASSERT( bucket < buckets->bucket_count );
	buckets->begin[bucket + 1] += 1;
}

// Between counting and putting.
void dbvhi_buckets_begin( dbvhi_buckets *buckets );

static inline void dbvhi_buckets_put( dbvhi_buckets *buckets, size_t bucket, uint64_t key ) {
	DBVHI_ASSERT( bucket < buckets->bucket_count );
	DBVHI_ASSERT( buckets->begin[bucket] < buckets->key_capacity );
	buckets->keys[buckets->begin[bucket]++] = key;
}

// Ascending in each bucket, which then is keys[begin[i]] up to, and without, keys[begin[i + 1]].
void dbvhi_buckets_sort( dbvhi_buckets *buckets );
