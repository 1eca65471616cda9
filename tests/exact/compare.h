// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The predicate beside the oracle.

#pragma once

#include "dualbvh/distance.h"
#include "support/triangles.h"

typedef struct tally {
	uint64_t pairs, meeting, differences;
} tally;

// The predicate's answer. A status other than OK ends the program with the pair.
bool predicate( const triangle_pair *pair );

// Prints a pair so that it can be pasted into C.
void print_pair( const char *what, const triangle_pair *pair );

// Tries `count` pairs of a family and prints the first few on which predicate and oracle differ. Pair i depends on the
// seed, the family and i alone.
void compare_family( size_t family, uint64_t seed, uint64_t first, uint64_t count, tally *out );

// The generator's state for one pair.
rng pair_rng( size_t family, uint64_t seed, uint64_t index );
