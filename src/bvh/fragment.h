// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fragments of triangles. A leaf may hold a part of a long triangle, with tighter volumes of its own. Every query
// decides on the whole triangle, and answers name that.
//
// A triangle is halved from the middle of its longest edge to the opposite corner, recursively. The path identifies a
// fragment: 1 is the whole, 2 p and 2 p + 1 are the halves of p. The corners are recomputed by the same operations
// wherever needed, so that only the path is stored.
//
// Rounding: a middle is off by at most u M in a coordinate, u = 2^-53 and M the largest coordinate of the mesh, and the
// errors of the two ends are averaged, not added. After d steps a corner is off by d u M in a coordinate, by sqrt(3) d
// u M in length. Each point of a triangle lies in some unrounded fragment; the point with the same weights in the
// rounded fragment is no farther away than a corner is off. Volumes are larger by that much, dbvhi_fragment_error(),
// than the computed corners need.

#pragma once

#include <stdint.h>

#define DBVHI_WHOLE 1
// DBVHI_FRAGMENT_STEPS bounds the halvings from a triangle to its smallest fragments.
#define DBVHI_FRAGMENT_STEPS 12
// DBVHI_FRAGMENT_LEAST: no fragment is smaller than this part of the largest coordinate, so that rounding stays far
// below the resolution of floats.
#define DBVHI_FRAGMENT_LEAST 0x1p-14

// Computes the corners of a fragment.
void dbvhi_fragment_corners( const double whole[9], uint32_t path, double corners_out[9] );

// Returns the corner that the longest edge begins at, the first of several; *square_out is its squared length.
int dbvhi_longest_edge( const double corners[9], double *square_out );

// Computes half `side` (0 or 1) of a triangle whose longest edge is `edge`.
void dbvhi_fragment_half( const double corners[9], int edge, unsigned side, double half_out[9] );

// Returns a key that orders the fragments of a triangle side by side: where a fragment begins, in units of
// 2^-DBVHI_FRAGMENT_STEPS of the whole, and in the low 16 bits its length in those units.
static inline uint32_t dbvhi_fragment_key( uint32_t path ) {
	const int steps = 31 - __builtin_clz( path );
	const uint32_t begin = ( path ^ 1u << steps ) << ( DBVHI_FRAGMENT_STEPS - steps );
	return begin << 16 | 1u << ( DBVHI_FRAGMENT_STEPS - steps );
}

static inline uint32_t dbvhi_fragment_path( uint32_t key ) {
	const int left = __builtin_ctz( key ); // halvings not taken
	return 1u << ( DBVHI_FRAGMENT_STEPS - left ) | key >> 16 >> left;
}

// Returns the bound on what corners of fragments are off, for the largest coordinate of a mesh.
static inline double dbvhi_fragment_error( double largest ) {
	return 2.0 * DBVHI_FRAGMENT_STEPS * 0x1p-53 * largest;
}
