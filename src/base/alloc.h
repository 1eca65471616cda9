// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Memory through the caller's allocator. Sizes are checked for overflow here, once.

#pragma once

#include "dualbvh/base.h"

// Every block is aligned to a cache line, which is also the widest vector.
#define DBVHI_ALIGNMENT 64

// The given allocator, or the C library's where it is NULL. INVALID_ARGUMENT if it lacks a function.
dbvh_status dbvhi_allocator_take( const dbvh_allocator *given, dbvh_allocator *out, dbvh_error *error );

// True for the C library's allocator, which any thread may call.
bool dbvhi_allocator_is_default( const dbvh_allocator *allocator );

// count * size bytes, uninitialised; NULL if there is no memory, the product overflows, or it is 0.
void *dbvhi_alloc( const dbvh_allocator *allocator, size_t count, size_t size );

// Takes back what dbvhi_alloc( allocator, count, size ) returned. NULL is allowed.
void dbvhi_free( const dbvh_allocator *allocator, void *memory, size_t count, size_t size );

// Discards the content of a part of a block that stays allocated: the system may take the pages within it back until
// they are written again. Does nothing where the memory is not the C library's.
void dbvhi_forget( const dbvh_allocator *allocator, void *bytes, size_t count );

// Announces that a part of a block is about to be written, so that the system may back it with large pages: faulting in
// small ones costs as much as reading a file into them. Does nothing where the memory is not the C library's.
void dbvhi_want_large_pages( const dbvh_allocator *allocator, void *bytes, size_t count );

// Resizes an array to exactly `count` elements and keeps the content that fits. Large blocks of the C library grow and
// shrink in place where the system can; others are copied. On failure the old array stays as it was and false is
// returned.
bool dbvhi_resize_array( const dbvh_allocator *allocator, void *array, size_t *capacity, size_t count, size_t size );

// Copies `count` elements to `array`, which has `*capacity` of them and grows as by dbvhi_grow_array(). False without
// memory.
bool dbvhi_copy_array( const dbvh_allocator *allocator, void *array, size_t *capacity, const void *from, size_t count,
                       size_t size );

// An array that grows by doubling. On failure the old array stays as it was and false is returned.
bool dbvhi_grow( const dbvh_allocator *allocator, void **memory, size_t *capacity, size_t needed, size_t size );

// The same where `array` is the address of a pointer to any object.
bool dbvhi_grow_array( const dbvh_allocator *allocator, void *array, size_t *capacity, size_t needed, size_t size );
