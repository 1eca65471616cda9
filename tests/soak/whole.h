// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The truth about triangles of whole coordinates, in 128 bits: separating axes, which the library does not use for
// triangles, so many that they are enough whatever has collapsed. Some hundred nanoseconds.

#pragma once

#include <stdbool.h>
#include <stdint.h>

// No coordinate may be larger: a projection is a product of four differences, twelve of them in all.
#define WHOLE_MAX ( INT64_C( 1 ) << 29 )

__extension__ typedef __int128 wide;

static inline bool whole_separates( const wide axis[3], const int64_t a[9], const int64_t b[9] ) {
	wide low[2], high[2];
	for ( int side = 0; side < 2; ++side ) {
		const int64_t *x = side == 0 ? a : b;
		for ( int corner = 0; corner < 3; ++corner, x += 3 ) {
			const wide at = axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
			if ( corner == 0 || at < low[side] )
				low[side] = at;
			if ( corner == 0 || at > high[side] )
				high[side] = at;
		}
	}
	return high[0] < low[1] || high[1] < low[0];
}

static inline bool whole_is_zero( const wide x[3] ) {
	return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

static inline void whole_cross( wide out[3], const wide x[3], const wide y[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = x[( k + 1 ) % 3] * y[( k + 2 ) % 3] - x[( k + 2 ) % 3] * y[( k + 1 ) % 3];
}

// Do two closed triangles, degenerate or not, share a point? Corners are moved so that the first of `a` is the origin.
static inline bool whole_triangles_meet( const int64_t a_given[9], const int64_t b_given[9] ) {
	int64_t a[9], b[9];
	wide side[6][3];
	bool any_side = false, any_normal = false;
	for ( int k = 0; k < 9; ++k ) {
		a[k] = a_given[k] - a_given[k % 3];
		b[k] = b_given[k] - a_given[k % 3];
	}
	const wide *line = side[0];
	for ( int s = 0; s < 6; ++s ) {
		const int64_t *const x = s < 3 ? a : b;
		for ( int k = 0; k < 3; ++k )
			side[s][k] = (wide)x[3 * ( ( s + 1 ) % 3 ) + k] - x[3 * ( s % 3 ) + k];
		if ( !whole_is_zero( side[s] ) ) {
			line = side[s];
			any_side = true;
		}
	}
	if ( !any_side )
		return b[0] == 0 && b[1] == 0 && b[2] == 0;
	wide normal[3] = { 0, 0, 0 };
	// The planes of both first: they part most.
	for ( int n = 0; n < 11; ++n ) {
		wide axis[3];
		if ( n < 2 )
			whole_cross( axis, side[3 * n], side[3 * n + 1] );
		else
			whole_cross( axis, side[( n - 2 ) / 3], side[3 + ( n - 2 ) % 3] );
		if ( whole_is_zero( axis ) )
			continue;
		if ( whole_separates( axis, a, b ) )
			return false;
		any_normal = true;
		for ( int k = 0; k < 3; ++k )
			normal[k] = axis[k];
	}
	if ( !any_normal ) {
		// Segments and points along one direction: on one line, or never.
		const wide from[3] = { b[0], b[1], b[2] };
		wide off[3];
		whole_cross( off, line, from );
		return whole_is_zero( off ) && !whole_separates( line, a, b );
	}
	for ( int s = 0; s < 6; ++s ) {
		if ( normal[0] * side[s][0] + normal[1] * side[s][1] + normal[2] * side[s][2] != 0 )
			return true; // not all in one plane: the axes above are those of the faces of the difference
	}
	for ( int s = 0; s < 6; ++s ) {
		wide axis[3];
		whole_cross( axis, normal, side[s] );
		if ( whole_separates( axis, a, b ) )
			return false;
	}
	return true;
}
