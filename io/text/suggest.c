// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/suggest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 32 };

static size_t least( size_t a, size_t b ) {
	return a < b ? a : b;
}

// How many letters have to be put in, left out, replaced, or changed with their neighbour (Damerau 1964), without
// regard to case. Both are at most LONGEST long.
static size_t distance( const char *a, size_t na, const char *b, size_t nb ) {
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];
	for ( size_t k = 0; k <= nb; ++k )
		last[k] = k;
	for ( size_t i = 1; i <= na; ++i ) {
		row[0] = i;
		for ( size_t k = 1; k <= nb; ++k ) {
			const int x = tolower( (unsigned char)a[i - 1] ), y = tolower( (unsigned char)b[k - 1] );
			row[k] = least( least( last[k], row[k - 1] ) + 1, last[k - 1] + ( x != y ) );
			if ( i > 1 && k > 1 && x == tolower( (unsigned char)b[k - 2] ) && tolower( (unsigned char)a[i - 2] ) == y )
				row[k] = least( row[k], before[k - 2] + 1 );
		}
		size_t *const free = before;
		before = last;
		last = row;
		row = free;
	}
	return last[nb];
}

const char *suggest( const char *typed, size_t length, const char *const *words, size_t count ) {
	const char *nearest = NULL, *beginning = NULL;
	size_t nearest_distance = 0, beginnings = 0;
	if ( length == 0 || length > LONGEST )
		return NULL;
	for ( size_t i = 0; i < count; ++i ) {
		const size_t n = strlen( words[i] );
		if ( n == 0 || n > LONGEST )
			continue;
		if ( n > length && memcmp( words[i], typed, length ) == 0 ) {
			beginning = words[i];
			++beginnings;
		}
		const size_t d = distance( typed, length, words[i], n );
		if ( 3 * d <= ( length > n ? length : n ) && d < n && ( nearest == NULL || d < nearest_distance ) ) {
			nearest = words[i];
			nearest_distance = d;
		}
	}
	return nearest != NULL ? nearest : beginnings == 1 ? beginning : NULL;
}
