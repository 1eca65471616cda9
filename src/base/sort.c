// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/sort.h"

#include "base/assert.h"

#include <stdbool.h>

static bool is_heap( const uint64_t *heap, size_t count ) {
	for ( size_t i = 1; i < count; ++i ) {
		if ( heap[( i - 1 ) / 2] < heap[i] )
			return false;
	}
	return true;
}

static bool is_sorted( const uint64_t *keys, size_t count ) {
	for ( size_t i = 1; i < count; ++i ) {
		if ( keys[i - 1] > keys[i] )
			return false;
	}
	return true;
}

static void sift_down( uint64_t *heap, size_t count, size_t root ) {
	DBVHI_ASSERT( root < count );
	const uint64_t key = heap[root];
	for ( ;; ) {
		size_t child = 2 * root + 1;
		if ( child >= count )
			break;
		if ( child + 1 < count && heap[child + 1] > heap[child] )
			child += 1;
		if ( heap[child] <= key )
			break;
		heap[root] = heap[child];
		root = child;
	}
	heap[root] = key;
}

void dbvhi_heap_make( uint64_t *heap, size_t capacity ) {
	DBVHI_ASSERT( heap != NULL || capacity == 0 );
	for ( size_t i = capacity / 2; i-- > 0; )
		sift_down( heap, capacity, i );
	DBVHI_VALIDATE( is_heap( heap, capacity ) );
}

void dbvhi_heap_replace_highest( uint64_t *heap, size_t capacity, uint64_t key ) {
	DBVHI_ASSERT( capacity > 0 );
	DBVHI_VALIDATE( is_heap( heap, capacity ) );
	if ( key < heap[0] ) {
		heap[0] = key;
		sift_down( heap, capacity, 0 );
	}
}

static void insertion_sort( uint64_t *keys, size_t count ) {
	for ( size_t i = 1; i < count; ++i ) {
		const uint64_t key = keys[i];
		size_t j = i;
		for ( ; j > 0 && keys[j - 1] > key; --j )
			keys[j] = keys[j - 1];
		keys[j] = key;
	}
}

static void heap_sort( uint64_t *keys, size_t count ) {
	DBVHI_ASSERT( keys != NULL || count == 0 );
	dbvhi_heap_make( keys, count );
	for ( size_t last = count; last-- > 1; ) {
		const uint64_t highest = keys[0];
		keys[0] = keys[last];
		keys[last] = highest;
		sift_down( keys, last, 0 );
	}
}

static uint64_t median_of_three( uint64_t a, uint64_t b, uint64_t c ) {
	if ( a > b ) {
		const uint64_t t = a;
		a = b;
		b = t;
	}
	return c <= a ? a : ( c >= b ? b : c );
}

// Quicksort that turns to heapsort once it has gone deeper than a good pivot would (Musser 1997).
static void intro_sort( uint64_t *keys, size_t count, int depth_left ) {
	while ( count > 24 ) {
		if ( depth_left-- == 0 ) {
			heap_sort( keys, count );
			return;
		}
		const uint64_t pivot = median_of_three( keys[0], keys[count / 2], keys[count - 1] );
		size_t low = 0, high = count - 1;
		for ( ;; ) {
			while ( keys[low] < pivot )
				low += 1;
			while ( keys[high] > pivot )
				high -= 1;
			if ( low >= high )
				break;
			const uint64_t t = keys[low];
			keys[low++] = keys[high];
			keys[high--] = t;
		}
		intro_sort( keys + high + 1, count - high - 1, depth_left );
		count = high + 1;
	}
	insertion_sort( keys, count );
}

static void sort_few( uint64_t *keys, size_t count ) {
	int depth = 2;
	for ( size_t n = count; n > 1; n >>= 1 )
		depth += 2;
	intro_sort( keys, count, depth );
}

enum {
	DIGIT = 8,
	FEW = 128,  // so many keys are sorted by comparing them
	LEVELS = 3, // each takes 4 KiB of stack
};

static int highest_bit( uint64_t x ) {
	int bit = -1;
	for ( int step = 32; step > 0; step /= 2 ) {
		if ( x >> step != 0 ) {
			x >>= step;
			bit += step;
		}
	}
	return bit + (int)x;
}

// Sort by the highest digit in which any keys differ, in place (McIlroy, Bostic and McIlroy 1993, "American flag
// sort"), then what has that digit in common. Comparing costs a wrong guess of the processor every other time, this
// none.
static void radix_sort( uint64_t *keys, size_t count, int levels_left ) {
	uint64_t differing = 0;
	for ( size_t i = 1; i < count; ++i )
		differing |= keys[i] ^ keys[0];
	if ( differing == 0 )
		return;
	const int top = highest_bit( differing ), shift = top >= DIGIT ? top - DIGIT + 1 : 0;
	const uint64_t mask = ( 1 << DIGIT ) - 1;
	size_t next[1 << DIGIT] = { 0 }, end[1 << DIGIT];
	for ( size_t i = 0; i < count; ++i )
		next[keys[i] >> shift & mask] += 1;
	for ( size_t d = 0, sum = 0; d <= mask; ++d ) {
		sum += next[d];
		end[d] = sum;
		next[d] = sum - next[d];
	}
	for ( size_t d = 0; d <= mask; ++d ) {
		while ( next[d] < end[d] ) {
			uint64_t key = keys[next[d]];
			for ( size_t to; ( to = (size_t)( key >> shift & mask ) ) != d; ) {
				const uint64_t other = keys[next[to]];
				keys[next[to]++] = key;
				key = other;
			}
			keys[next[d]++] = key;
		}
	}
	for ( size_t d = 0, begin = 0; shift > 0 && d <= mask; begin = end[d++] ) {
		if ( end[d] - begin > FEW && levels_left > 1 )
			radix_sort( keys + begin, end[d] - begin, levels_left - 1 );
		else
			sort_few( keys + begin, end[d] - begin );
	}
}

void dbvhi_sort_u64( uint64_t *keys, size_t count ) {
	DBVHI_ASSERT( keys != NULL || count == 0 );
	if ( count > FEW )
		radix_sort( keys, count, LEVELS );
	else
		sort_few( keys, count );
	DBVHI_VALIDATE( is_sorted( keys, count ) );
}
