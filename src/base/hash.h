// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A 64-bit content hash for goldens and for telling meshes apart. Not cryptographic.

#pragma once

#include <stddef.h>
#include <stdint.h>

#define DBVHI_HASH_SEED UINT64_C( 0x9e3779b97f4a7c15 )

// The finaliser of splitmix64: every input bit reaches every output bit.
static inline uint64_t dbvhi_hash_mix( uint64_t x ) {
	x = ( x ^ ( x >> 30 ) ) * UINT64_C( 0xbf58476d1ce4e5b9 );
	x = ( x ^ ( x >> 27 ) ) * UINT64_C( 0x94d049bb133111eb );
	return x ^ ( x >> 31 );
}

// Folds one word into a running hash; the order of words matters.
static inline uint64_t dbvhi_hash_word( uint64_t hash, uint64_t word ) {
	return dbvhi_hash_mix( hash * UINT64_C( 0xd1342543de82ef95 ) + word );
}
