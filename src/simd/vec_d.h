// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Vectors of doubles for kernels: eight lanes (AVX-512), four (AVX2), two (SSE2, NEON) or one. Arithmetic and
// comparisons are the compiler's operators; MASK() makes a mask of a comparison.

#pragma once

#include "simd/sse2.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined( DBVHI_SCALAR )
#define WIDTH 1
#elif defined( __AVX512F__ )
#include <immintrin.h>
#define WIDTH 8
#elif defined( __AVX2__ )
#include <immintrin.h>
#define WIDTH 4
#else
#if defined( DBVHI_NEON )
#include <arm_neon.h>
#endif
#define WIDTH 2
#endif

#define LANES_INLINE static inline __attribute__( ( always_inline ) )

#if WIDTH == 1
typedef double vd;
typedef int64_t vm;
#define MASK( condition ) ( -(int64_t)( condition ) )
#else
typedef double vd __attribute__( ( vector_size( 8 * WIDTH ) ) );
typedef int64_t vm __attribute__( ( vector_size( 8 * WIDTH ) ) );
#define MASK( condition ) ( (vm)( condition ) )
#endif

LANES_INLINE vd set( double x ) {
#if WIDTH == 1
	return x;
#else
	return x - ( vd ){ 0 };
#endif
}

LANES_INLINE vd load( const double *column, size_t i, int is_one ) {
	if ( is_one )
		return set( column[0] );
	vd x;
	memcpy( &x, column + i, sizeof x );
	return x;
}

LANES_INLINE vd choose( vm mask, vd yes, vd no ) {
#if WIDTH == 1
	return mask != 0 ? yes : no;
#elif WIDTH == 8
	return (vd)_mm512_mask_blend_pd( _mm512_movepi64_mask( (__m512i)mask ), (__m512d)no, (__m512d)yes );
#elif WIDTH == 4
	return (vd)_mm256_blendv_pd( (__m256d)no, (__m256d)yes, (__m256d)mask );
#else
	return (vd)( ( mask & (vm)yes ) | ( ~mask & (vm)no ) );
#endif
}

LANES_INLINE vd larger( vd a, vd b ) {
#if WIDTH == 8
	return (vd)_mm512_max_pd( (__m512d)a, (__m512d)b );
#elif WIDTH == 4
	return (vd)_mm256_max_pd( (__m256d)a, (__m256d)b );
#elif WIDTH == 2 && defined( DBVHI_SSE2 )
	return (vd)_mm_max_pd( (__m128d)a, (__m128d)b );
#else
	return choose( MASK( a > b ), a, b );
#endif
}

LANES_INLINE vd smaller( vd a, vd b ) {
#if WIDTH == 8
	return (vd)_mm512_min_pd( (__m512d)a, (__m512d)b );
#elif WIDTH == 4
	return (vd)_mm256_min_pd( (__m256d)a, (__m256d)b );
#elif WIDTH == 2 && defined( DBVHI_SSE2 )
	return (vd)_mm_min_pd( (__m128d)a, (__m128d)b );
#else
	return choose( MASK( a < b ), a, b );
#endif
}

LANES_INLINE vd size_of( vd a ) {
#if WIDTH == 1
	return __builtin_fabs( a );
#else
	return (vd)( (vm)a & INT64_C( 0x7fffffffffffffff ) );
#endif
}

LANES_INLINE vd root( vd a ) {
#if WIDTH == 8
	return (vd)_mm512_sqrt_pd( (__m512d)a );
#elif WIDTH == 4
	return (vd)_mm256_sqrt_pd( (__m256d)a );
#elif WIDTH == 2 && defined( DBVHI_SSE2 )
	return (vd)_mm_sqrt_pd( (__m128d)a );
#elif WIDTH == 1
	return __builtin_sqrt( a );
#else
	for ( int k = 0; k < WIDTH; ++k )
		a[k] = __builtin_sqrt( a[k] );
	return a;
#endif
}

// vd_fms(): a b - c, rounded once; only where the set has it.
#if WIDTH == 8
#define DBVHI_HAS_VD_FMS 1
LANES_INLINE vd vd_fms( vd a, vd b, vd c ) {
	return (vd)_mm512_fmsub_pd( (__m512d)a, (__m512d)b, (__m512d)c );
}
#elif WIDTH == 4 && defined( __FMA__ )
#define DBVHI_HAS_VD_FMS 1
LANES_INLINE vd vd_fms( vd a, vd b, vd c ) {
	return (vd)_mm256_fmsub_pd( (__m256d)a, (__m256d)b, (__m256d)c );
}
#elif WIDTH == 2 && defined( DBVHI_NEON )
#define DBVHI_HAS_VD_FMS 1
LANES_INLINE vd vd_fms( vd a, vd b, vd c ) {
	return (vd)vfmaq_f64( (float64x2_t)-c, (float64x2_t)a, (float64x2_t)b );
}
#else
#define DBVHI_HAS_VD_FMS 0
#endif

LANES_INLINE uint64_t bits_of( vm mask ) {
#if WIDTH == 8
	return _mm512_movepi64_mask( (__m512i)mask );
#elif WIDTH == 4
	return (uint64_t)_mm256_movemask_pd( (__m256d)mask );
#elif WIDTH == 2 && defined( DBVHI_SSE2 )
	return (uint64_t)_mm_movemask_pd( (__m128d)mask );
#elif WIDTH == 1
	return mask != 0;
#else
	uint64_t bits = 0;
	for ( int k = 0; k < WIDTH; ++k )
		bits |= (uint64_t)( mask[k] != 0 ) << k;
	return bits;
#endif
}

// ------------------------------------------------------------------------------------------------
// double4 holds a vector in space, the last coordinate twice: with a zero there gcc 12 emits instructions that valgrind
// does not know. The compiler splits it where the set has no such registers.

typedef double double4 __attribute__( ( vector_size( 32 ) ) );
typedef int64_t long4 __attribute__( ( vector_size( 32 ) ) );

LANES_INLINE double4 double4_load3( const double *p ) {
	return ( double4 ){ p[0], p[1], p[2], p[2] };
}

LANES_INLINE double4 double4_abs( double4 a ) {
	return (double4)( (long4)a & INT64_C( 0x7fffffffffffffff ) );
}

// y z x
LANES_INLINE double4 double4_next( double4 a ) {
	return ( double4 ){ a[1], a[2], a[0], a[0] };
}

// a b + c, rounded once where the set has that.
LANES_INLINE double4 double4_fma( double4 a, double4 b, double4 c ) {
#if WIDTH >= 4 && defined( __FMA__ )
	return (double4)_mm256_fmadd_pd( (__m256d)a, (__m256d)b, (__m256d)c );
#else
	return a * b + c;
#endif
}

LANES_INLINE double4 double4_max( double4 a, double4 b ) {
#if WIDTH >= 4
	return (double4)_mm256_max_pd( (__m256d)a, (__m256d)b );
#else
	const long4 more = a > b;
	return (double4)( ( more & (long4)a ) | ( ~more & (long4)b ) );
#endif
}

LANES_INLINE double4 double4_min( double4 a, double4 b ) {
#if WIDTH >= 4
	return (double4)_mm256_min_pd( (__m256d)a, (__m256d)b );
#else
	const long4 less = a < b;
	return (double4)( ( less & (long4)a ) | ( ~less & (long4)b ) );
#endif
}
