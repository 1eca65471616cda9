// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// For madvise(); the C library hides it from strict C.
#if defined( __linux__ )
#define _DEFAULT_SOURCE
#endif

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#if defined( __linux__ )
#include <sys/mman.h>
#endif

// Blocks of many pages are asked for in huge ones: a build touches some 600 bytes a triangle for the first time, and a
// fault for each 4 KiB of that took a quarter of its time.
#define HUGE_PAGE ( (size_t)2 << 20 )

static void *alloc_huge( size_t bytes ) {
#if defined( __linux__ ) && defined( MADV_HUGEPAGE )
	void *memory = NULL;
	if ( posix_memalign( &memory, HUGE_PAGE, bytes ) != 0 )
		return NULL;
	// Advice: where it is not taken, the pages are small ones. Only whole pages, which no other block shares.
	madvise( memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE );
	return memory;
#else
	(void)bytes;
	return NULL;
#endif
}

static void *default_alloc( void *user, size_t bytes, size_t alignment ) {
	(void)user;
	// aligned_alloc wants a multiple of the alignment.
	const size_t rounded = ( bytes + alignment - 1 ) / alignment * alignment;
	if ( rounded < bytes )
		return NULL;
	if ( rounded >= 4 * HUGE_PAGE && alignment <= HUGE_PAGE ) {
		void *memory = alloc_huge( rounded );
		if ( memory != NULL )
			return memory;
	}
	return aligned_alloc( alignment, rounded );
}

static void default_free( void *user, void *memory, size_t bytes ) {
	(void)user;
	(void)bytes;
	free( memory );
}

dbvh_allocator dbvhi_allocator_or_default( const dbvh_allocator *allocator ) {
	if ( allocator != NULL )
		return *allocator;
	return ( dbvh_allocator ){ .alloc = default_alloc, .free = default_free, .user = NULL };
}

void *dbvhi_alloc( const dbvh_allocator *allocator, size_t count, size_t size ) {
	if ( count == 0 || size == 0 || count > SIZE_MAX / size )
		return NULL;
	return allocator->alloc( allocator->user, count * size, DBVHI_ALIGNMENT );
}

void dbvhi_free( const dbvh_allocator *allocator, void *memory, size_t count, size_t size ) {
	if ( memory != NULL )
		allocator->free( allocator->user, memory, count * size );
}

bool dbvhi_grow( const dbvh_allocator *allocator, void **memory, size_t *capacity, size_t needed, size_t size ) {
	if ( needed <= *capacity )
		return true;
	size_t grown = *capacity < 8 ? 8 : *capacity;
	while ( grown < needed ) {
		if ( grown > SIZE_MAX / 2 )
			return false;
		grown *= 2;
	}
	void *fresh = dbvhi_alloc( allocator, grown, size );
	if ( fresh == NULL )
		return false;
	if ( *memory != NULL ) {
		memcpy( fresh, *memory, *capacity * size );
		dbvhi_free( allocator, *memory, *capacity, size );
	}
	*memory = fresh;
	*capacity = grown;
	return true;
}
