// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The layout of the packed form, as the kernels read it: wide nodes as structures of arrays. Lengths are in the mesh's
// unit, positions relative to a centre that the header keeps in double.

#pragma once

#include "base/assert.h"

#include <stdint.h>

// DBVHI_WIDTH is the number of children of a node, and of triangles of a leaf.
#define DBVHI_WIDTH 4

// The oriented box of a child, relative to the centre of its sphere, in steps of radius / DBVHI_STEPS, extents rounded
// up.
typedef struct dbvhi_packed_box {
	int32_t pair[5]; // two numbers each, see the enumerators
	int32_t child;   // index of a node, or ~ that of a leaf
} dbvhi_packed_box;

// The numbers in the pairs: the offset of the box's centre from the sphere's, the half extents (ascending but for
// rounding), and the rotation from the box to the mesh as a quaternion w x y z of any length. The lower number of a
// pair is its lower 16 bits, the upper one all 32 bits over 65,536: the lower bits are part of its value, so that
// decoding needs no mask.
enum {
	DBVHI_OFFSET_0,
	DBVHI_OFFSET_1,
	DBVHI_OFFSET_2,
	DBVHI_HALF_0,
	DBVHI_HALF_1,
	DBVHI_HALF_2,
	DBVHI_TURN_W,
	DBVHI_TURN_X,
	DBVHI_TURN_Y,
	DBVHI_TURN_Z,
};

static inline double dbvhi_packed_number( const dbvhi_packed_box *box, int which ) {
	DBVHI_ASSERT( (unsigned)which < 10 );
	const int32_t pair = box->pair[which / 2];
	return which % 2 == 0 ? (double)(int16_t)( pair & 0xffff ) : (double)pair / 65536.0;
}

// The spheres of a node's four children, read for every pair of nodes, are one cache line. The box of child i of node n
// is box 4 n + i, read only for pairs whose spheres overlap. A lane without a child has the radius DBVHI_NO_CHILD,
// whose sphere overlaps none.
typedef struct dbvhi_packed_spheres {
	float centre[3][DBVHI_WIDTH];
	float radius[DBVHI_WIDTH];
} dbvhi_packed_spheres;

#define DBVHI_STEPS 32700.0f
#define DBVHI_NO_CHILD ( -0x1p100f )

// Up to four triangles relative to a local origin. Unused lanes repeat the first.
typedef struct dbvhi_packed_leaf {
	float corner[3][3][DBVHI_WIDTH]; // [corner][coordinate][triangle]
	float origin[3];
	uint32_t sizes; // two floats rounded up to 16 bits: the largest |coordinate| of a corner, the longest edge
	uint32_t first_and_count; // leaf index of the first triangle * 4 + number of triangles - 1
} dbvhi_packed_leaf;

// Decode the upper and the lower half of `sizes`.
static inline float dbvhi_packed_size( uint32_t sizes ) {
	union {
		uint32_t bits;
		float value;
	} out = { .bits = sizes & 0xffff0000u };
	return out.value;
}

static inline float dbvhi_packed_edge( uint32_t sizes ) {
	return dbvhi_packed_size( sizes << 16 );
}

_Static_assert( sizeof( dbvhi_packed_spheres ) == 64, "a node is a line and" );
_Static_assert( sizeof( dbvhi_packed_box ) == 24, "24 bytes for each of its children" );
_Static_assert( sizeof( dbvhi_packed_leaf ) == 164, "a leaf is 41 bytes a triangle" );

// DBVHI_SIZE_RATIO: a child this many times larger than its partner, by the radius, is opened alone.
#define DBVHI_SIZE_RATIO 3.0f
