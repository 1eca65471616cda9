// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Memory through the caller's allocator. Sizes are checked for overflow here, once.

#pragma once

#include "dualbvh/base.h"

// Every block is aligned to a cache line, which is also the widest vector.
#define DBVHI_ALIGNMENT 64

// The given allocator, or the C library's where it is NULL. INVALID_ARGUMENT if it lacks a function.
dbvh_status dbvhi_allocator_take( const dbvh_allocator *given, dbvh_allocator *out, dbvh_error *error );

// Is it the C library's, which any thread may call?
bool dbvhi_allocator_is_default( const dbvh_allocator *allocator );

// count * size bytes, uninitialised; NULL if there is no memory, the product overflows, or it is 0.
void *dbvhi_alloc( const dbvh_allocator *allocator, size_t count, size_t size );

// Takes back what dbvhi_alloc( allocator, count, size ) returned. NULL is allowed.
void dbvhi_free( const dbvh_allocator *allocator, void *memory, size_t count, size_t size );

// What is in these bytes of a block is not needed any more, though the block is: the system may have the pages that lie
// in them back until they are written again. Does nothing where the memory is not the C library's.
void dbvhi_forget( const dbvh_allocator *allocator, void *bytes, size_t count );

// These bytes of a block are going to be written: the system may give large pages, one by one they cost as much as
// reading a file into them. Does nothing where the memory is not the C library's.
void dbvhi_want_large_pages( const dbvh_allocator *allocator, void *bytes, size_t count );

// An array of exactly so many elements, of which it keeps what fits. Large blocks of the C library are enlarged and cut
// off in place where the system can, others copied. On failure the old array stays as it was and false is returned.
bool dbvhi_resize_array( const dbvh_allocator *allocator, void *array, size_t *capacity, size_t count, size_t size );

// An array that grows by doubling. On failure the old array stays as it was and false is returned.
bool dbvhi_grow( const dbvh_allocator *allocator, void **memory, size_t *capacity, size_t needed, size_t size );

// The same where `array` is the address of a pointer to any object.
bool dbvhi_grow_array( const dbvh_allocator *allocator, void *array, size_t *capacity, size_t needed, size_t size );
