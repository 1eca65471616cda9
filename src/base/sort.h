// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Sorting without memory: the C library's qsort may allocate, and queries must not.

#pragma once

#include <stddef.h>
#include <stdint.h>

// Sorts ascending, in place, in O(n log n) for any order.
void dbvhi_sort_u64( uint64_t *keys, size_t count );

// Replaces the highest key of a full heap by `key` if that is lower: the heap then holds the lowest `capacity` keys
// seen. capacity > 0.
void dbvhi_heap_replace_highest( uint64_t *heap, size_t capacity, uint64_t key );

// Makes a heap, the highest key on top, of a full array.
void dbvhi_heap_make( uint64_t *heap, size_t capacity );
