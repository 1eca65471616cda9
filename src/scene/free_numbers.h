// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The numbers of bodies that are free: a bit for each, and above every 64 words a word that tells which of them have
// one. Six levels hold 2^36 numbers, so that adding, removing and finding the lowest take six steps.

#pragma once

#include "base/alloc.h"
#include "base/assert.h"

#include <string.h>

#define DBVHI_FREE_LEVELS 6

// All zero: no number is free, and there is room for none.
typedef struct dbvhi_free_numbers {
	uint64_t *word[DBVHI_FREE_LEVELS];
	size_t capacity[DBVHI_FREE_LEVELS], count;
} dbvhi_free_numbers;

// Room for all numbers below `end`, so that adding them cannot fail.
static inline bool dbvhi_free_numbers_require( dbvhi_free_numbers *f, const dbvh_allocator *allocator, size_t end ) {
	size_t words = end;
	for ( int k = 0; k < DBVHI_FREE_LEVELS; ++k ) {
		words = ( words + 63 ) / 64;
		const size_t before = f->capacity[k];
		if ( !dbvhi_grow_array( allocator, &f->word[k], &f->capacity[k], words, sizeof( uint64_t ) ) )
			return false;
		if ( f->capacity[k] > before )
			memset( f->word[k] + before, 0, ( f->capacity[k] - before ) * sizeof( uint64_t ) );
	}
	return true;
}

static inline void dbvhi_free_numbers_add( dbvhi_free_numbers *f, uint32_t number ) {
	size_t at = number;
	for ( int k = 0; k < DBVHI_FREE_LEVELS; ++k, at /= 64 ) {
		DBVHI_ASSERT( at / 64 < f->capacity[k] );
		f->word[k][at / 64] |= (uint64_t)1 << at % 64;
	}
	f->count += 1;
}

static inline void dbvhi_free_numbers_remove( dbvhi_free_numbers *f, uint32_t number ) {
	size_t at = number;
	f->count -= 1;
	for ( int k = 0; k < DBVHI_FREE_LEVELS; ++k, at /= 64 ) {
		f->word[k][at / 64] &= ~( (uint64_t)1 << at % 64 );
		if ( f->word[k][at / 64] != 0 )
			return;
	}
}

// The lowest of them; there is one.
static inline uint32_t dbvhi_free_numbers_lowest( const dbvhi_free_numbers *f ) {
	DBVHI_ASSERT( f->count > 0 );
	size_t at = 0;
	for ( int k = DBVHI_FREE_LEVELS; k-- > 0; )
		at = 64 * at + (size_t)__builtin_ctzll( f->word[k][at] );
	return (uint32_t)at;
}

static inline bool dbvhi_free_numbers_copy( dbvhi_free_numbers *to, const dbvhi_free_numbers *from,
                                            const dbvh_allocator *allocator, size_t end ) {
	if ( !dbvhi_free_numbers_require( to, allocator, end ) )
		return false;
	size_t words = end;
	for ( int k = 0; k < DBVHI_FREE_LEVELS; ++k ) {
		words = ( words + 63 ) / 64;
		if ( words > 0 )
			memcpy( to->word[k], from->word[k], words * sizeof( uint64_t ) );
	}
	to->count = from->count;
	return true;
}

static inline void dbvhi_free_numbers_free( dbvhi_free_numbers *f, const dbvh_allocator *allocator ) {
	for ( int k = 0; k < DBVHI_FREE_LEVELS; ++k )
		dbvhi_free( allocator, f->word[k], f->capacity[k], sizeof( uint64_t ) );
	*f = ( dbvhi_free_numbers ){ .count = 0 };
}
