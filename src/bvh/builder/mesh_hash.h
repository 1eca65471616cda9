// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The content hash of a mesh: a sum over its triangles. Each triangle's hash includes its index, so that the sum does
// not depend on the order of summation, and parts can be hashed side by side.

#pragma once

#include "base/hash.h"
#include "base/inline.h"
#include "dualbvh/mesh.h"
#include "simd/isa.h"

#include <string.h>

// DBVHI_HASH_ODD: odd factors of the nine coordinates.
#define DBVHI_HASH_ODD                                                                                                 \
	{                                                                                                                  \
		UINT64_C( 0xd1342543de82ef95 ), UINT64_C( 0xaf251af3b0f025b5 ), UINT64_C( 0xb564ef22ec7aece5 ),                \
		    UINT64_C( 0xf72add9a6b9d5a4b ), UINT64_C( 0x9e6c63d0676a9a99 ), UINT64_C( 0xc6a4a7935bd1e995 ),            \
		    UINT64_C( 0x8cb92ba72f3d8dd7 ), UINT64_C( 0xe7037ed1a0b428db ), UINT64_C( 0xbf58476d1ce4e5b9 )             \
	}

DBVHI_INLINE uint64_t dbvhi_mesh_hash_triangle( size_t number, const double corners[9] ) {
	static const uint64_t odd[9] = DBVHI_HASH_ODD;
	uint64_t sum = ( (uint64_t)number + 1 ) * DBVHI_HASH_SEED;
	for ( int k = 0; k < 9; ++k ) {
		const double c = corners[k] + 0.0; // -0 becomes 0
		uint64_t word;
		memcpy( &word, &c, sizeof word );
		// note: numbers with few digits have them in the upper bits, where a product would keep them.
		sum += ( word ^ word >> 32 ) * odd[k];
	}
	return dbvhi_hash_mix( sum );
}

// DBVHI_HASH_BATCH triangles at most are hashed at a time.
#define DBVHI_HASH_BATCH 64

typedef struct dbvhi_hash_batch {
	double corners[DBVHI_HASH_BATCH][9];
	uint32_t number[DBVHI_HASH_BATCH];
} dbvhi_hash_batch;

typedef uint64_t dbvhi_hash_kernel( const dbvhi_hash_batch *batch, size_t count );
extern dbvhi_hash_kernel *const dbvhi_hash_table[DBVHI_ISA_COUNT];

uint64_t dbvhi_mesh_hash_part( const dbvh_mesh_view *view, size_t first, size_t end );
uint64_t dbvhi_mesh_hash_whole( uint64_t sum_of_parts, size_t count );

static inline uint64_t dbvhi_mesh_hash( const dbvh_mesh_view *view, size_t count ) {
	return dbvhi_mesh_hash_whole( dbvhi_mesh_hash_part( view, 0, count ), count );
}
