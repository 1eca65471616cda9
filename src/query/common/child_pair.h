// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The pair of nodes that follows a pair of children that a packed traversal cannot separate: one rule for all
// traversals.

#pragma once

#include "base/assert.h"
#include "bvh/packed/layout.h"

typedef struct dbvhi_child_pair {
	int32_t a, b, lanes; // nodes, and which pairs of their children: lane (i, j) is bit 4 j + i
} dbvhi_child_pair;

// Child i of a node of A and child j of one of B, which are not both leaves. A child that is a leaf, or much smaller
// than its partner, stays behind with its parent and a lane mask while the partner is divided.
static inline __attribute__( ( always_inline ) ) dbvhi_child_pair dbvhi_child_pair_of( int32_t node_a, int32_t node_b,
                                                                                       uint32_t i, uint32_t j,
                                                                                       int32_t child_a, int32_t child_b,
                                                                                       int a_larger, int b_larger ) {
	DBVHI_ASSERT( i < DBVHI_WIDTH && j < DBVHI_WIDTH );
	DBVHI_ASSERT( child_a >= 0 || child_b >= 0 );
	const int a_stays = child_a < 0 || ( b_larger && child_b >= 0 );
	const int b_stays = child_b < 0 || ( a_larger && child_a >= 0 );
	return ( dbvhi_child_pair ){ .a = a_stays ? node_a : child_a,
	                             .b = b_stays ? node_b : child_b,
	                             .lanes = a_stays   ? 0x1111 << i
	                                      : b_stays ? 0xf << ( DBVHI_WIDTH * j )
	                                                : 0xffff };
}
