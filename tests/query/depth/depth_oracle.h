// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Depths by other means than those of the library: bodies of unit cubes by enumeration of cells, convex bodies of whole
// coordinates by whole numbers.

#pragma once

#include "shapes/shapes.h"

#include <stdbool.h>
#include <stdint.h>

// A body of unit cubes with lower corners in 0 .. n - 1: cell x + n ( y + n z ). `at` moves it.
typedef struct cubes {
	bool cell[216];
	int n;
	int at[3];
} cubes;

// The penetration depth, of interiors or strict.
double oracle_cubes_depth( const cubes *a, const cubes *b, bool strict );

// The least length free, along axis `axis` in direction `sign`, of interiors; and the greatest length that is not.
void oracle_cubes_along( const cubes *a, const cubes *b, int axis, int sign, double *first_out, double *last_out );

// The greatest distance of points of both bodies from the boundary of B, at points of a grid of 1/8; the truth is at
// most sqrt( 3 ) / 16 more. Negative if they have no cube in common.
double oracle_cubes_local( const cubes *a, const cubes *b );

// The penetration depth of two convex bodies with whole coordinates below 2^10; B is moved by `move`.
double oracle_convex_depth( const shape *a, const shape *b, const double move[3] );
