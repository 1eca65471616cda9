// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fragments of triangles. A leaf need not hold a triangle whole: a long one is divided into fragments, each with
// volumes of its own, so that nodes are small where the mesh is. What is asked about a fragment is decided on its whole
// triangle, and answers name that.
//
// A triangle is halved from the middle of its longest edge to the corner opposite, and its halves again. A fragment is
// known by the path to it: 1 is the whole, 2 p and 2 p + 1 the halves of p. Its corners follow from that by the same
// operations wherever they are needed, so that no more is kept of it than the path.
//
// Middles are rounded: by u M in a coordinate at most, u = 2^-53 and M the largest coordinate of the mesh, and the
// errors of the two ends do not add up but are averaged. After d steps a corner is off by d u M in a coordinate, by
// sqrt(3) d u M in all. Each point of a triangle lies in a fragment as it would be without rounding, and has the same
// weights in the one that is rounded: so it is no farther from that than a corner is off. By so much,
// dbvhi_fragment_error(), volumes are larger than what their corners need.

#pragma once

#include <stdint.h>

#define DBVHI_WHOLE 1
// Steps from a triangle to its smallest fragments, at most.
#define DBVHI_FRAGMENT_STEPS 12
// No fragment is smaller than this part of the largest coordinate, so that rounding stays far below what floats can
// tell.
#define DBVHI_FRAGMENT_LEAST 0x1p-14

// The corners of a fragment.
void dbvhi_fragment_corners( const double whole[9], uint32_t path, double corners_out[9] );

// The longest edge of a triangle, by the corner it begins at; the first of several. *square_out is its squared length.
int dbvhi_longest_edge( const double corners[9], double *square_out );

// Where `side` is 0 or 1: one half of a triangle whose longest edge is known.
void dbvhi_fragment_half( const double corners[9], int edge, unsigned side, double half_out[9] );

// Which order fragments of a triangle lie in, side by side: where one begins, in parts of the whole of which there are
// 2^DBVHI_FRAGMENT_STEPS, and below that how many of these it has.
static inline uint32_t dbvhi_fragment_key( uint32_t path ) {
	const int steps = 31 - __builtin_clz( path );
	const uint32_t begin = ( path ^ 1u << steps ) << ( DBVHI_FRAGMENT_STEPS - steps );
	return begin << 16 | 1u << ( DBVHI_FRAGMENT_STEPS - steps );
}

static inline uint32_t dbvhi_fragment_path( uint32_t key ) {
	const int left = __builtin_ctz( key ); // of the steps
	return 1u << ( DBVHI_FRAGMENT_STEPS - left ) | key >> 16 >> left;
}

// In a mesh whose largest coordinate is this.
static inline double dbvhi_fragment_error( double largest ) {
	return 2.0 * DBVHI_FRAGMENT_STEPS * 0x1p-53 * largest;
}
