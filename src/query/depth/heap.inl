// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A binary heap in an array: best-first searches take the first item by HEAP_BEFORE( a, b ), pointers to HEAP_ITEM. The
// file that includes this one defines both names, and makes room before it pushes.

#include "base/assert.h"

static void heap_push( HEAP_ITEM *heap, size_t *count, const HEAP_ITEM *x ) {
	size_t at = ( *count )++;
	for ( ; at > 0 && HEAP_BEFORE( x, &heap[( at - 1 ) / 2] ); at = ( at - 1 ) / 2 )
		heap[at] = heap[( at - 1 ) / 2];
	heap[at] = *x;
}

static HEAP_ITEM heap_pop( HEAP_ITEM *heap, size_t *count ) {
	DBVHI_ASSERT( *count > 0 );
	const HEAP_ITEM top = heap[0], last = heap[--*count];
	size_t at = 0;
	for ( size_t child; ( child = 2 * at + 1 ) < *count; at = child ) {
		child += child + 1 < *count && HEAP_BEFORE( &heap[child + 1], &heap[child] );
		if ( !HEAP_BEFORE( &heap[child], &last ) )
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
	return top;
}
