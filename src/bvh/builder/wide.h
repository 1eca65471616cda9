// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Vectors of four floats or doubles, one for each coordinate or axis, for loops of a build that the compiler does not
// vectorise. Arithmetic is the compiler's; minimum and maximum have no operator. Every operation rounds as its scalar
// does, so that the tree does not depend on the instruction set.

#pragma once

#include "simd/sse2.h"

#include <stdint.h>

#define WIDE_INLINE static inline __attribute__( ( always_inline ) )

typedef float f4 __attribute__( ( vector_size( 16 ) ) );
typedef int32_t i4 __attribute__( ( vector_size( 16 ) ) );
typedef double d4 __attribute__( ( vector_size( 32 ), aligned( 32 ) ) );

WIDE_INLINE f4 f4_min( f4 a, f4 b ) {
#if defined( DBVHI_SSE2 )
	return (f4)_mm_min_ps( (__m128)a, (__m128)b );
#else
	for ( int k = 0; k < 4; ++k )
		a[k] = a[k] < b[k] ? a[k] : b[k];
	return a;
#endif
}

WIDE_INLINE f4 f4_max( f4 a, f4 b ) {
#if defined( DBVHI_SSE2 )
	return (f4)_mm_max_ps( (__m128)a, (__m128)b );
#else
	for ( int k = 0; k < 4; ++k )
		a[k] = a[k] > b[k] ? a[k] : b[k];
	return a;
#endif
}

// Truncates numbers in the range of an integer.
WIDE_INLINE i4 f4_to_int( f4 a ) {
#if defined( DBVHI_SSE2 )
	return (i4)_mm_cvttps_epi32( (__m128)a );
#else
	return ( i4 ){ (int32_t)a[0], (int32_t)a[1], (int32_t)a[2], (int32_t)a[3] };
#endif
}

WIDE_INLINE f4 f4_set( float x ) {
	return ( f4 ){ x, x, x, x };
}
