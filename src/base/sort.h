// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Sorting without memory: the C library's qsort may allocate, and queries must not.

#pragma once

#include <stddef.h>
#include <stdint.h>

// Ascending, in place, O(n log n) whatever the order.
void dbvhi_sort_u64( uint64_t *keys, size_t count );

// Keeps the lowest `capacity` keys seen so far as a heap with the highest on top: puts `key` in the place of the
// highest if it is lower. The heap is full, capacity > 0.
void dbvhi_heap_replace_highest( uint64_t *heap, size_t capacity, uint64_t key );

// Arranges a full array as such a heap.
void dbvhi_heap_make( uint64_t *heap, size_t capacity );
