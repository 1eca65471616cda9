// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Hashes four triangles side by side: see mesh_hash.h. Compiled for every instruction set.

#include "base/assert.h"
#include "bvh/builder/mesh_hash.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

typedef uint64_t word4 __attribute__( ( vector_size( 32 ) ) );

static const uint64_t odd[9] = DBVHI_HASH_ODD;

LANES_INLINE word4 four( uint64_t x ) {
	return ( word4 ){ x, x, x, x };
}

LANES_INLINE word4 words_of( double4 x ) {
	const word4 word = (word4)( x + ( double4 ){ 0.0, 0.0, 0.0, 0.0 } ); // -0 becomes 0
	return word ^ word >> 32;
}

// Returns the sum of eight of the nine products of a triangle, in four parts.
LANES_INLINE word4 eight_products( const double corners[9] ) {
	double4 x, y;
	memcpy( &x, corners, sizeof x );
	memcpy( &y, corners + 4, sizeof y );
	return words_of( x ) * ( word4 ){ odd[0], odd[1], odd[2], odd[3] } +
	       words_of( y ) * ( word4 ){ odd[4], odd[5], odd[6], odd[7] };
}

// Returns the horizontal sums of four vectors.
LANES_INLINE word4 sums_of( const word4 v[4] ) {
	const word4 a = ( word4 ){ v[0][0], v[1][0], v[0][2], v[1][2] } + ( word4 ){ v[0][1], v[1][1], v[0][3], v[1][3] };
	const word4 b = ( word4 ){ v[2][0], v[3][0], v[2][2], v[3][2] } + ( word4 ){ v[2][1], v[3][1], v[2][3], v[3][3] };
	return ( word4 ){ a[0], a[1], b[0], b[1] } + ( word4 ){ a[2], a[3], b[2], b[3] };
}

// dbvhi_hash_mix() for four words.
LANES_INLINE word4 mix( word4 x ) {
	x = ( x ^ x >> 30 ) * four( UINT64_C( 0xbf58476d1ce4e5b9 ) );
	x = ( x ^ x >> 27 ) * four( UINT64_C( 0x94d049bb133111eb ) );
	return x ^ x >> 31;
}

extern dbvhi_hash_kernel DBVHI_KERNEL_NAME( dbvhi_hash );
uint64_t DBVHI_KERNEL_NAME( dbvhi_hash )( const dbvhi_hash_batch *batch, size_t count ) {
	word4 sum = four( 0 );
	size_t i = 0;
	DBVHI_ASSERT( count <= DBVHI_HASH_BATCH );
	for ( ; i + 4 <= count; i += 4 ) {
		const double( *c )[9] = batch->corners + i;
		const uint32_t *n = batch->number + i;
		const word4 products[4] = { eight_products( c[0] ), eight_products( c[1] ), eight_products( c[2] ),
		                            eight_products( c[3] ) };
		const word4 last = words_of( ( double4 ){ c[0][8], c[1][8], c[2][8], c[3][8] } );
		const word4 number = { n[0], n[1], n[2], n[3] };
		sum += mix( ( number + four( 1 ) ) * four( DBVHI_HASH_SEED ) + sums_of( products ) + last * four( odd[8] ) );
	}
	uint64_t out = sum[0] + sum[1] + sum[2] + sum[3];
	for ( ; i < count; ++i )
		out += dbvhi_mesh_hash_triangle( batch->number[i], batch->corners[i] );
	return out;
}
