// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Indices on a Hilbert curve, after Skilling (Programming the Hilbert curve, 2004): the cells' coordinates are turned
// into the transposed index bit by bit. Compiled for every instruction set: see fast.h.

#include "bvh/builder/fast.h"
#include "simd/kernel_name.h"

#define LANES DBVHI_CURVE_LANES

typedef uint32_t lanes __attribute__( ( vector_size( 4 * LANES ) ) );

// Spreads the bits of a number to every third bit.
static inline uint64_t spread( uint32_t x ) {
	uint64_t y = x;
	y = ( y | y << 16 ) & UINT64_C( 0x00000000ff0000ff );
	y = ( y | y << 8 ) & UINT64_C( 0x000000f00f00f00f );
	y = ( y | y << 4 ) & UINT64_C( 0x00000c30c30c30c3 );
	return ( y | y << 2 ) & UINT64_C( 0x0000249249249249 );
}

static void places_on_curve( const uint32_t cell[3][LANES], uint64_t place_out[LANES] ) {
	lanes x[3];
	__builtin_memcpy( x, cell, sizeof x );
	for ( uint32_t bit = 1u << ( DBVHI_CURVE_BITS - 1 ); bit > 1; bit >>= 1 ) {
		const uint32_t below = bit - 1;
		for ( int i = 0; i < 3; ++i ) {
			const lanes set = (lanes)( ( x[i] & bit ) != 0 );
			const lanes swapped = ( x[0] ^ x[i] ) & below & ~set;
			x[0] ^= ( set & below ) | swapped;
			x[i] ^= swapped;
		}
	}
	x[1] ^= x[0];
	x[2] ^= x[1];
	lanes turn = { 0 };
	for ( uint32_t bit = 1u << ( DBVHI_CURVE_BITS - 1 ); bit > 1; bit >>= 1 )
		turn ^= (lanes)( ( x[2] & bit ) != 0 ) & ( bit - 1 );
	for ( int i = 0; i < 3; ++i )
		x[i] ^= turn;
	for ( int l = 0; l < LANES; ++l )
		place_out[l] = spread( x[0][l] ) << 2 | spread( x[1][l] ) << 1 | spread( x[2][l] );
}

extern dbvhi_curve_kernel DBVHI_KERNEL_NAME( dbvhi_curve );
void DBVHI_KERNEL_NAME( dbvhi_curve )( const uint32_t cell[3][LANES], uint64_t place_out[LANES] ) {
	places_on_curve( cell, place_out );
}
