// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// State of one traversal of two packed trees: its input, stacks and queues, and results.

#pragma once

#include "base/assert.h"
#include "bvh/packed_layout.h"

// Two triangles that the kernel could not separate.
typedef struct dbvhi_candidate {
	uint32_t a, b; // triangles in leaf order
} dbvhi_candidate;

// Pairs of children that are compared by their boxes at a time.
#define DBVHI_BOX_BATCH 8
// Pairs that wait for the test of boxes while there are spheres to test, so that neither stage waits for the results of
// the other.
#define DBVHI_BOX_AHEAD 24
// Capacity of the queue; its rest is moved to the beginning when the end comes near.
#define DBVHI_BOX_QUEUE 256

typedef struct dbvhi_box_queue {
	uint32_t a[DBVHI_BOX_QUEUE], b[DBVHI_BOX_QUEUE];
	float offset[3][DBVHI_BOX_QUEUE]; // from the centre of a's sphere to that of b's
	float radius_a[DBVHI_BOX_QUEUE], radius_b[DBVHI_BOX_QUEUE];
} dbvhi_box_queue;

// Size that the caches of one core may be expected to hold.
#define DBVHI_NEAR_BYTES ( 3 << 20 )

// Length of the quaternion `turn`: small, so that the fourth power of the length of its product with one in 65,536ths
// stays a float.
#define DBVHI_TURN_LENGTH 0x1p-36
// Dividend of the squares of two quaternions in 65,536ths, 2^124 to 2^128: the quotient is no subnormal float.
#define DBVHI_NORM_SCALE 0x1p60f

// Further test of a pair of nodes that is about to be divided, or of leaves: are they apart?
struct dbvhi_packed_run;
typedef int dbvhi_packed_separated( struct dbvhi_packed_run *run, int32_t a, int32_t b );

// Further test by the ellipsoids of two nodes: the pairs of children that are left, as a mask.
typedef int32_t dbvhi_packed_ellipsoids( struct dbvhi_packed_run *run, int32_t a, int32_t b );

typedef struct dbvhi_packed_run {
	const dbvhi_packed_spheres *spheres_a, *spheres_b;
	const dbvhi_packed_box *boxes_a, *boxes_b;
	const dbvhi_packed_leaf *leaves_a, *leaves_b;
	uint32_t node_count_a, node_count_b;
	float rot[3][3], pos[3]; // frame of A from frame of B, both about their centres
	float turn[4];           // the rotation nearest to rot, a quaternion w x y z of about the length DBVHI_TURN_LENGTH
	float turn_scale;        // 2 / ( DBVHI_NORM_SCALE * the square of that length )
	float margin;            // error of a sphere's position
	float margin_relative;   // all other errors, relative to the two radii
	double column[3][4];     // columns of the exact rot and, below, position: they place the origin of a leaf
	double pos_exact[4];
	float unit;         // leaves are tested in units of 1 / unit, a power of two
	float origin_error; // error of a leaf's origin placed by these, in those units
	float rot_unit[3][3];
	// Stack of pairs of nodes whose children are to be compared, and which pairs of them: lane (i, j) is bit 4 j + i.
	int32_t *stack_a, *stack_b, *stack_lanes;
	uint32_t stack_count, stack_capacity;
	uint32_t stack_cautious;  // at this height the search becomes strictly depth first
	int32_t *leaf_a, *leaf_b; // room for DBVHI_LEAF_QUEUE
	uint32_t leaf_count;
	uint32_t whole_a, whole_b;   // leaves of a mesh that is compared as a whole (dbvhi_whole); 0: not
	uint32_t first_only;         // the search ends with the first contact
	uint32_t is_large;           // the trees are larger than DBVHI_NEAR_BYTES together
	dbvhi_candidate *candidates; // room for DBVHI_CANDIDATES
	uint32_t candidate_count;
	uint32_t keeps_contacts;     // pairs that floats know to meet are kept as contacts, not as candidates
	uint32_t contact_count;      // from the end of the candidates' room backwards
	uint32_t box_begin, box_end; // part of the queue of boxes that is in use
	uint64_t node_tests;         // vectors of 16 pairs of spheres compared
	uint64_t box_tests;          // pairs of boxes
	uint64_t leaf_tests;         // vectors of 16 pairs of triangles
	uint32_t small_next;         // for trees of few leaves: the next leaf of B
	uint64_t pause;              // at so many node_tests the kernel returns as if there were candidates
	dbvhi_box_queue *queue;
	// Test of pairs of leaves of which floats cannot separate most triangles; NULL: none. Triangles looked at in vain,
	// and with success.
	dbvhi_packed_separated *leaves_separated;
	uint64_t flat_spent, flat_gained;
	// Test of pairs of nodes that both have a mark, or if `mixed` one of them; NULL: none. The marks are NULL for a
	// tree without ellipsoids.
	dbvhi_packed_ellipsoids *ellipsoids;
	const uint8_t *marks_a, *marks_b;
	uint32_t mixed;
	// Test of pairs of nodes as groups of triangles (self/groups.h); NULL: none. Triangles looked at in vain, and
	// pairs of triangles spared.
	int ( *groups_separated )( struct dbvhi_packed_run *run, int32_t a, int32_t b, uint32_t lanes );
	uint64_t group_spent, group_gained;
	uint64_t more_steps;     // steps to charge beside tests of nodes and leaves
	const void *context;     // for these tests: the pair of meshes
	double ellipsoid_margin; // error of the offset between two ellipsoids
	uint64_t ellipsoid_pair_tests, ellipsoid_box_tests, ellipsoid_separated;
	uint32_t ellipsoid_budget; // how many tests may still separate nothing
} dbvhi_packed_run;

// The first stage of the traversal alone: the pairs of children of two nodes whose spheres may overlap, a bit each.
typedef uint32_t dbvhi_sphere_kernel( const dbvhi_packed_run *run, int32_t node_a, int32_t node_b );

// Queues of pairs of leaves are emptied when they hold this many; a batch of boxes adds up to as many as it has.
#define DBVHI_LEAF_BATCH 16
#define DBVHI_LEAF_QUEUE ( DBVHI_LEAF_BATCH + 3 * DBVHI_BOX_BATCH )
// Most contacts that wait for the next batch of candidates.
#define DBVHI_CONTACTS 56
// Room for sixteen candidates a pair of leaves, on top of those left for the next batch.
#define DBVHI_CANDIDATES ( 16 * DBVHI_LEAF_QUEUE + DBVHI_CONTACTS + 8 )

// The i-th of the contacts.
static inline dbvhi_candidate *dbvhi_packed_contact( const dbvhi_packed_run *run, uint32_t i ) {
	DBVHI_ASSERT( run->candidate_count + i < DBVHI_CANDIDATES );
	return &run->candidates[DBVHI_CANDIDATES - 1 - i];
}
// Vector tests of nodes after which a search for the first contact expects no early one.
#define DBVHI_EAGER_TESTS 40
// Vector tests of nodes up to which it also chooses the next pair by how deep spheres overlap.
#define DBVHI_CHOOSY_TESTS 24

// The height of the stack, for trees of these depths, from which on the queue of boxes is emptied after every pair of
// nodes. From there the search is depth first: a pair is replaced by at most 16, one level further down in at least one
// tree, so it grows by no more than as much again, by what was in the queue, and by a vector's width that stores may
// write past the end.
#define DBVHI_PACKED_CAUTIOUS( depth_a, depth_b ) ( 16 * ( ( depth_a ) + ( depth_b ) + 1 ) )
#define DBVHI_PACKED_STACK( depth_a, depth_b ) ( 2 * DBVHI_PACKED_CAUTIOUS( depth_a, depth_b ) + 64 )

// The pair of nodes that follows a pair of children that a traversal cannot separate: one rule for all traversals.
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
