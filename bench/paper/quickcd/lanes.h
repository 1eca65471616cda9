// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Vector operations of the traversal beyond simd/vec_f.h: parts of a vector, and vectors of fewer lanes.

#pragma once

#include "simd/vec_f.h"

// Lanes of a part of which `n` are wanted; the others are 0.
VECTOR_INLINE float_part part_load( const float *p, int n ) {
#if PART_FLOATS == 16
	return (float_part)_mm512_maskz_loadu_ps( (__mmask16)( n >= 16 ? 0xffff : ( 1 << n ) - 1 ), p );
#else
	(void)n;
	float_part out;
	memcpy( &out, p, sizeof out );
	return out;
#endif
}

VECTOR_INLINE void part_store( float *p, float_part x, int n ) {
#if PART_FLOATS == 16
	_mm512_mask_storeu_ps( p, (__mmask16)( n >= 16 ? 0xffff : ( 1 << n ) - 1 ), (__m512)x );
#else
	// A side is a multiple of four floats.
	memcpy( p, &x, n < PART_FLOATS ? sizeof( float4 ) : sizeof x );
#endif
}

VECTOR_INLINE float_part part_set( float x ) {
	return x - ( float_part ){ 0 };
}

VECTOR_INLINE float_part part_min( float_part a, float_part b ) {
#if PART_FLOATS == 16
	return (float_part)_mm512_min_ps( (__m512)a, (__m512)b );
#elif PART_FLOATS == 8
	return (float_part)_mm256_min_ps( (__m256)a, (__m256)b );
#else
	return float4_min( a, b );
#endif
}

VECTOR_INLINE float_part part_max( float_part a, float_part b ) {
#if PART_FLOATS == 16
	return (float_part)_mm512_max_ps( (__m512)a, (__m512)b );
#elif PART_FLOATS == 8
	return (float_part)_mm256_max_ps( (__m256)a, (__m256)b );
#else
	return float4_max( a, b );
#endif
}

// a b + c, fused where the set has that.
VECTOR_INLINE float_part part_fma( float_part a, float_part b, float_part c ) {
#if PART_FLOATS == 16
	return (float_part)_mm512_fmadd_ps( (__m512)a, (__m512)b, (__m512)c );
#elif PART_FLOATS == 8
	return (float_part)_mm256_fmadd_ps( (__m256)a, (__m256)b, (__m256)c );
#else
	return a * b + c;
#endif
}

// Is a > b in any lane? False for NaN.
VECTOR_INLINE int part_any_greater( float_part a, float_part b ) {
#if PART_FLOATS == 16
	return _mm512_cmp_ps_mask( (__m512)a, (__m512)b, _CMP_GT_OQ ) != 0;
#elif PART_FLOATS == 8
	return _mm256_movemask_ps( _mm256_cmp_ps( (__m256)a, (__m256)b, _CMP_GT_OQ ) ) != 0;
#elif defined( __SSE2__ )
	return _mm_movemask_ps( _mm_cmpgt_ps( (__m128)a, (__m128)b ) ) != 0;
#else
	const __typeof__( a > b ) greater = a > b;
	return ( greater[0] | greater[1] | greater[2] | greater[3] ) != 0;
#endif
}
