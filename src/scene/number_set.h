// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A set of small numbers, in the order in which they came: what one reader has not seen yet. A reader that empties its
// set takes nothing from others, because each has a set of its own.

#pragma once

#include "base/alloc.h"
#include "base/assert.h"

#include <string.h>

typedef struct dbvhi_number_set {
	uint32_t *numbers;
	size_t count, capacity;
	uint8_t *has; // by number
	size_t has_capacity;
} dbvhi_number_set;

// Room for all numbers below `end`, so that adding them cannot fail.
static inline bool dbvhi_number_set_require( dbvhi_number_set *set, const dbvh_allocator *allocator, size_t end ) {
	const size_t before = set->has_capacity;
	if ( !dbvhi_grow_array( allocator, &set->has, &set->has_capacity, end, sizeof *set->has ) )
		return false;
	if ( set->has_capacity > before )
		memset( set->has + before, 0, set->has_capacity - before );
	return dbvhi_grow_array( allocator, &set->numbers, &set->capacity, end, sizeof *set->numbers );
}

static inline void dbvhi_number_set_add( dbvhi_number_set *set, uint32_t number ) {
	DBVHI_ASSERT( number < set->has_capacity && number < set->capacity );
	if ( set->has[number] )
		return;
	set->has[number] = 1;
	set->numbers[set->count++] = number;
}

static inline void dbvhi_number_set_clear( dbvhi_number_set *set ) {
	for ( size_t i = 0; i < set->count; ++i )
		set->has[set->numbers[i]] = 0;
	set->count = 0;
}

// Makes `to`, which is empty, a copy with room for all numbers below `end`.
static inline bool dbvhi_number_set_copy( dbvhi_number_set *to, const dbvhi_number_set *from,
                                          const dbvh_allocator *allocator, size_t end ) {
	if ( !dbvhi_number_set_require( to, allocator, end ) )
		return false;
	for ( size_t i = 0; i < from->count; ++i )
		dbvhi_number_set_add( to, from->numbers[i] );
	return true;
}

static inline void dbvhi_number_set_free( dbvhi_number_set *set, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, set->numbers, set->capacity, sizeof *set->numbers );
	dbvhi_free( allocator, set->has, set->has_capacity, sizeof *set->has );
	*set = ( dbvhi_number_set ){ .count = 0 };
}
