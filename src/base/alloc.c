// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/alloc.h"

#include "base/assert.h"
#include "base/os.h"
#include "base/status.h"

#include <string.h>

static void *default_alloc( void *user, size_t bytes, size_t alignment ) {
	(void)user;
	return dbvhi_os_alloc( bytes, alignment );
}

static void default_free( void *user, void *memory, size_t bytes ) {
	(void)user;
	(void)bytes;
	dbvhi_os_free( memory );
}

dbvh_status dbvhi_allocator_take( const dbvh_allocator *given, dbvh_allocator *out, dbvh_error *error ) {
	*out = ( dbvh_allocator ){ .alloc = default_alloc, .free = default_free, .user = NULL };
	if ( given == NULL )
		return DBVH_OK;
	if ( given->alloc == NULL || given->free == NULL )
		return dbvhi_error_null( error, given->alloc == NULL ? "allocator.alloc" : "allocator.free" );
	*out = *given;
	return DBVH_OK;
}

bool dbvhi_allocator_is_default( const dbvh_allocator *allocator ) {
	return allocator->alloc == default_alloc;
}

void *dbvhi_alloc( const dbvh_allocator *allocator, size_t count, size_t size ) {
	DBVHI_ASSERT( allocator->alloc != NULL );
	if ( count == 0 || size == 0 || count > SIZE_MAX / size )
		return NULL;
	return allocator->alloc( allocator->user, count * size, DBVHI_ALIGNMENT );
}

void dbvhi_free( const dbvh_allocator *allocator, void *memory, size_t count, size_t size ) {
	DBVHI_ASSERT( allocator->free != NULL );
	DBVHI_ASSERT( memory == NULL || ( count > 0 && size > 0 ) );
	if ( memory != NULL )
		allocator->free( allocator->user, memory, count * size );
}

void dbvhi_forget( const dbvh_allocator *allocator, void *bytes, size_t count ) {
	if ( dbvhi_allocator_is_default( allocator ) )
		dbvhi_os_forget_pages( bytes, count );
}

void dbvhi_want_large_pages( const dbvh_allocator *allocator, void *bytes, size_t count ) {
	if ( dbvhi_allocator_is_default( allocator ) )
		dbvhi_os_want_large_pages( bytes, count );
}

// LARGE_BLOCK is where glibc begins to give a block its own pages: realloc() then remaps these instead of copying their
// content, and the two copies never exist at once.
#define LARGE_BLOCK ( (size_t)1 << 25 )

static bool resize( const dbvh_allocator *allocator, void **memory, size_t *capacity, size_t count, size_t size ) {
	DBVHI_ASSERT( size > 0 && count > 0 );
	DBVHI_ASSERT( ( *memory == NULL ) == ( *capacity == 0 ) );
	if ( count == *capacity )
		return true;
	if ( count > SIZE_MAX / size )
		return false;
	const size_t kept = count < *capacity ? count : *capacity;
	if ( kept >= LARGE_BLOCK / size && dbvhi_allocator_is_default( allocator ) ) {
		void *moved = dbvhi_os_realloc( *memory, count * size, DBVHI_ALIGNMENT );
		if ( moved == NULL )
			return false;
		const bool is_aligned = (uintptr_t)moved % DBVHI_ALIGNMENT == 0;
		*memory = moved;
		*capacity = is_aligned ? count : kept;
		// note: other C libraries do not align what realloc() returns; such a block is copied below.
		if ( is_aligned )
			return true;
	}
	void *fresh = dbvhi_alloc( allocator, count, size );
	if ( fresh == NULL )
		return false;
	if ( *memory != NULL ) {
		memcpy( fresh, *memory, kept * size );
		dbvhi_free( allocator, *memory, *capacity, size );
	}
	*memory = fresh;
	*capacity = count;
	return true;
}

bool dbvhi_resize_array( const dbvh_allocator *allocator, void *array, size_t *capacity, size_t count, size_t size ) {
	void *memory;
	memcpy( &memory, array, sizeof memory );
	const bool resized = resize( allocator, &memory, capacity, count, size );
	memcpy( array, &memory, sizeof memory );
	return resized;
}

bool dbvhi_grow( const dbvh_allocator *allocator, void **memory, size_t *capacity, size_t needed, size_t size ) {
	DBVHI_ASSERT( size > 0 );
	if ( needed <= *capacity )
		return true;
	size_t grown = *capacity < 8 ? 8 : *capacity;
	while ( grown < needed ) {
		if ( grown > SIZE_MAX / 2 )
			return false;
		grown *= 2;
	}
	return resize( allocator, memory, capacity, grown, size );
}

bool dbvhi_grow_array( const dbvh_allocator *allocator, void *array, size_t *capacity, size_t needed, size_t size ) {
	void *memory;
	memcpy( &memory, array, sizeof memory );
	const bool grown = dbvhi_grow( allocator, &memory, capacity, needed, size );
	memcpy( array, &memory, sizeof memory );
	return grown;
}

bool dbvhi_copy_array( const dbvh_allocator *allocator, void *array, size_t *capacity, const void *from, size_t count,
                       size_t size ) {
	if ( count == 0 )
		return true;
	if ( !dbvhi_grow_array( allocator, array, capacity, count, size ) )
		return false;
	void *memory;
	memcpy( &memory, array, sizeof memory );
	memcpy( memory, from, count * size );
	return true;
}
