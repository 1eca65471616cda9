// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A stable merge sort, for orders that are expensive to ask: about n log2 n comparisons whatever the order. The file
// that includes this one defines MERGE_ITEM, MERGE_CONTEXT, MERGE_IS_BEHIND( context, a, b ), with pointers to items,
// and MERGE_NAME: the sort is merge_sort_NAME(). They are undefined at the end.

#include <stddef.h>
#include <string.h>

#define MERGE_JOIN_2( a, b ) a##b
#define MERGE_JOIN( a, b ) MERGE_JOIN_2( a, b )
#define MERGE_RUNS MERGE_JOIN( merge_runs_of_, MERGE_NAME )
#define MERGE_SORT MERGE_JOIN( merge_sort_, MERGE_NAME )

// Merge two runs that follow each other in `from`, the second one beginning at `middle`, into `to`.
static void MERGE_RUNS( MERGE_CONTEXT *context, const MERGE_ITEM *from, size_t middle, size_t count, MERGE_ITEM *to ) {
	size_t i = 0, j = middle;
	for ( size_t k = 0; k < count; ++k ) {
		const bool second = i == middle || ( j < count && MERGE_IS_BEHIND( context, &from[i], &from[j] ) );
		to[k] = second ? from[j++] : from[i++];
	}
}

// Sort `items`; `room` has as many.
static void MERGE_SORT( MERGE_CONTEXT *context, MERGE_ITEM *items, MERGE_ITEM *room, size_t count ) {
	MERGE_ITEM *from = items, *to = room;
	for ( size_t run = 1; run < count; run *= 2 ) {
		for ( size_t first = 0; first < count; first += 2 * run ) {
			const size_t rest = count - first;
			MERGE_RUNS( context, from + first, rest < run ? rest : run, rest < 2 * run ? rest : 2 * run, to + first );
		}
		MERGE_ITEM *swapped = from;
		from = to;
		to = swapped;
	}
	if ( from != items )
		memcpy( items, from, count * sizeof *items );
}

#undef MERGE_JOIN_2
#undef MERGE_JOIN
#undef MERGE_RUNS
#undef MERGE_SORT
#undef MERGE_ITEM
#undef MERGE_CONTEXT
#undef MERGE_IS_BEHIND
#undef MERGE_NAME
