// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Vectors of sixteen floats for kernels, made of one part of 64 bytes (AVX-512), two of 32 (AVX2), four of 16 (SSE2,
// NEON) or sixteen floats (scalar). Arithmetic is the compiler's vector arithmetic; operations without an operator are
// intrinsics, in this file only.
//
// Kernels may fuse multiplications and additions where the set can: their error bounds hold either way, and their
// answers are only "apart" or "look closer".

#pragma once

#include "simd/sse2.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined( DBVHI_SCALAR )
#define PART_FLOATS 1
#elif defined( __AVX512F__ )
#include <immintrin.h>
#define PART_FLOATS 16
#elif defined( __AVX2__ )
#include <immintrin.h>
#define PART_FLOATS 8
#else
#if defined( DBVHI_NEON )
#include <arm_neon.h>
#endif
#define PART_FLOATS 4
#endif

#define PARTS ( 16 / PART_FLOATS )
#define VECTOR_INLINE static inline __attribute__( ( always_inline ) )
#define FOR_PARTS for ( int part = 0; part < PARTS; ++part )

#if PART_FLOATS == 1
typedef float float_part;
#else
typedef float float_part __attribute__( ( vector_size( 4 * PART_FLOATS ) ) );
#endif
typedef float float4 __attribute__( ( vector_size( 16 ) ) );

typedef struct vf {
	float_part part[PARTS];
} vf;

VECTOR_INLINE float4 float4_load( const float *p ) {
	float4 x;
	memcpy( &x, p, sizeof x );
	return x;
}

VECTOR_INLINE vf vf_set( float x ) {
	vf out;
#if PART_FLOATS == 1
	FOR_PARTS out.part[part] = x;
#else
	FOR_PARTS out.part[part] = x - ( float_part ){ 0 };
#endif
	return out;
}

// abcd abcd abcd abcd: a value of each child of A, for all lanes (i, j) at 4 j + i.
VECTOR_INLINE vf vf_tile( float4 x ) {
	vf out;
#if PART_FLOATS == 16
	out.part[0] = (float_part)_mm512_broadcast_f32x4( (__m128)x );
#elif PART_FLOATS == 8
	FOR_PARTS out.part[part] = (float_part)_mm256_set_m128( (__m128)x, (__m128)x );
#elif PART_FLOATS == 4
	FOR_PARTS out.part[part] = x;
#else
	FOR_PARTS out.part[part] = x[part % 4];
#endif
	return out;
}

// aaaa bbbb cccc dddd: a value of each child of B.
VECTOR_INLINE vf vf_spread( float4 x ) {
	vf out;
#if PART_FLOATS == 16
	const __m512i order = _mm512_set_epi32( 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0 );
	out.part[0] = (float_part)_mm512_permutexvar_ps( order, _mm512_castps128_ps512( (__m128)x ) );
#elif PART_FLOATS == 8
	const __m256 pair = _mm256_castps128_ps256( (__m128)x );
	out.part[0] = (float_part)_mm256_permutevar8x32_ps( pair, _mm256_set_epi32( 1, 1, 1, 1, 0, 0, 0, 0 ) );
	out.part[1] = (float_part)_mm256_permutevar8x32_ps( pair, _mm256_set_epi32( 3, 3, 3, 3, 2, 2, 2, 2 ) );
#elif PART_FLOATS == 4
	FOR_PARTS out.part[part] = ( float4 ){ x[part], x[part], x[part], x[part] };
#else
	FOR_PARTS out.part[part] = x[part / 4];
#endif
	return out;
}

VECTOR_INLINE vf vf_load( const float *p ) {
	vf out;
	memcpy( &out, p, sizeof out );
	return out;
}

VECTOR_INLINE void vf_store( float *p, vf a ) {
	memcpy( p, &a, sizeof a );
}

VECTOR_INLINE vf vf_add( vf a, vf b ) {
	FOR_PARTS a.part[part] += b.part[part];
	return a;
}

VECTOR_INLINE vf vf_sub( vf a, vf b ) {
	FOR_PARTS a.part[part] -= b.part[part];
	return a;
}

VECTOR_INLINE vf vf_mul( vf a, vf b ) {
	FOR_PARTS a.part[part] *= b.part[part];
	return a;
}

// a b + c
VECTOR_INLINE vf vf_fma( vf a, vf b, vf c ) {
#if PART_FLOATS == 16
	a.part[0] = (float_part)_mm512_fmadd_ps( (__m512)a.part[0], (__m512)b.part[0], (__m512)c.part[0] );
#elif PART_FLOATS == 8
	FOR_PARTS a.part[part] =
	    (float_part)_mm256_fmadd_ps( (__m256)a.part[part], (__m256)b.part[part], (__m256)c.part[part] );
#elif defined( DBVHI_NEON )
	FOR_PARTS a.part[part] = vfmaq_f32( c.part[part], a.part[part], b.part[part] );
#else
	FOR_PARTS a.part[part] = a.part[part] * b.part[part] + c.part[part];
#endif
	return a;
}

// a b - c
VECTOR_INLINE vf vf_fms( vf a, vf b, vf c ) {
#if PART_FLOATS == 16
	a.part[0] = (float_part)_mm512_fmsub_ps( (__m512)a.part[0], (__m512)b.part[0], (__m512)c.part[0] );
#elif PART_FLOATS == 8
	FOR_PARTS a.part[part] =
	    (float_part)_mm256_fmsub_ps( (__m256)a.part[part], (__m256)b.part[part], (__m256)c.part[part] );
#elif defined( DBVHI_NEON )
	FOR_PARTS a.part[part] = vfmaq_f32( -c.part[part], a.part[part], b.part[part] );
#else
	FOR_PARTS a.part[part] = a.part[part] * b.part[part] - c.part[part];
#endif
	return a;
}

VECTOR_INLINE float4 float4_fma( float4 a, float4 b, float4 c ) {
#if PART_FLOATS == 16 || PART_FLOATS == 8
	return (float4)_mm_fmadd_ps( (__m128)a, (__m128)b, (__m128)c );
#elif defined( DBVHI_NEON )
	return vfmaq_f32( c, a, b );
#else
	return a * b + c;
#endif
}

// a < b ? a : b, and a > b ? a : b
VECTOR_INLINE float4 float4_min( float4 a, float4 b ) {
#if PART_FLOATS > 1 && defined( DBVHI_SSE2 )
	return (float4)_mm_min_ps( (__m128)a, (__m128)b );
#elif defined( DBVHI_NEON )
	return vbslq_f32( vcltq_f32( a, b ), a, b ); // not vminq_f32, which keeps a NaN of a
#else
	typedef int32_t int_part __attribute__( ( vector_size( 16 ) ) );
	const int_part less = a < b;
	return (float4)( ( less & (int_part)a ) | ( ~less & (int_part)b ) );
#endif
}

VECTOR_INLINE float4 float4_max( float4 a, float4 b ) {
#if PART_FLOATS > 1 && defined( DBVHI_SSE2 )
	return (float4)_mm_max_ps( (__m128)a, (__m128)b );
#elif defined( DBVHI_NEON )
	return vbslq_f32( vcgtq_f32( a, b ), a, b ); // not vmaxq_f32, which keeps a NaN of a
#else
	typedef int32_t int_part __attribute__( ( vector_size( 16 ) ) );
	const int_part more = a > b;
	return (float4)( ( more & (int_part)a ) | ( ~more & (int_part)b ) );
#endif
}

VECTOR_INLINE vf vf_abs( vf a ) {
#if PART_FLOATS == 16
	a.part[0] = (float_part)_mm512_abs_ps( (__m512)a.part[0] );
#elif PART_FLOATS == 1
	FOR_PARTS a.part[part] = __builtin_fabsf( a.part[part] );
#else
	typedef int32_t int_part __attribute__( ( vector_size( 4 * PART_FLOATS ) ) );
	FOR_PARTS a.part[part] = (float_part)( (int_part)a.part[part] & 0x7fffffff );
#endif
	return a;
}

VECTOR_INLINE vf vf_min( vf a, vf b ) {
#if PART_FLOATS == 16
	a.part[0] = (float_part)_mm512_min_ps( (__m512)a.part[0], (__m512)b.part[0] );
#elif PART_FLOATS == 8
	FOR_PARTS a.part[part] = (float_part)_mm256_min_ps( (__m256)a.part[part], (__m256)b.part[part] );
#elif PART_FLOATS == 4 && defined( DBVHI_SSE2 )
	FOR_PARTS a.part[part] = (float_part)_mm_min_ps( (__m128)a.part[part], (__m128)b.part[part] );
#elif defined( DBVHI_NEON )
	FOR_PARTS a.part[part] = float4_min( a.part[part], b.part[part] );
#else
	for ( int i = 0; i < 16; ++i ) {
		float *x = (float *)&a.part[0] + i;
		const float y = ( (const float *)&b.part[0] )[i];
		*x = *x < y ? *x : y;
	}
#endif
	return a;
}

VECTOR_INLINE vf vf_max( vf a, vf b ) {
#if PART_FLOATS == 16
	a.part[0] = (float_part)_mm512_max_ps( (__m512)a.part[0], (__m512)b.part[0] );
#elif PART_FLOATS == 8
	FOR_PARTS a.part[part] = (float_part)_mm256_max_ps( (__m256)a.part[part], (__m256)b.part[part] );
#elif PART_FLOATS == 4 && defined( DBVHI_SSE2 )
	FOR_PARTS a.part[part] = (float_part)_mm_max_ps( (__m128)a.part[part], (__m128)b.part[part] );
#elif defined( DBVHI_NEON )
	FOR_PARTS a.part[part] = float4_max( a.part[part], b.part[part] );
#else
	for ( int i = 0; i < 16; ++i ) {
		float *x = (float *)&a.part[0] + i;
		const float y = ( (const float *)&b.part[0] )[i];
		*x = *x > y ? *x : y;
	}
#endif
	return a;
}

#if defined( DBVHI_NEON )
// Returns a bit a lane of two masks.
VECTOR_INLINE uint32_t neon_bits( uint32x4_t low, uint32x4_t high ) {
	const uint8x8_t places = { 1, 2, 4, 8, 16, 32, 64, 128 };
	const uint16x8_t narrow = vcombine_u16( vmovn_u32( low ), vmovn_u32( high ) );
	return vaddv_u8( vand_u8( vmovn_u16( narrow ), places ) );
}
#endif

// a > b, a bit a lane; false for NaN.
VECTOR_INLINE uint32_t vf_greater( vf a, vf b ) {
#if PART_FLOATS == 16
	return _mm512_cmp_ps_mask( (__m512)a.part[0], (__m512)b.part[0], _CMP_GT_OQ );
#elif PART_FLOATS == 8
	uint32_t bits = 0;
	FOR_PARTS bits |=
	    (uint32_t)_mm256_movemask_ps( _mm256_cmp_ps( (__m256)a.part[part], (__m256)b.part[part], _CMP_GT_OQ ) )
	    << ( 8 * part );
	return bits;
#elif PART_FLOATS == 4 && defined( DBVHI_SSE2 )
	uint32_t bits = 0;
	FOR_PARTS bits |= (uint32_t)_mm_movemask_ps( _mm_cmpgt_ps( (__m128)a.part[part], (__m128)b.part[part] ) )
	                  << ( 4 * part );
	return bits;
#elif defined( DBVHI_NEON )
	uint32x4_t more[4];
	FOR_PARTS more[part] = vcgtq_f32( a.part[part], b.part[part] );
	return neon_bits( more[0], more[1] ) | neon_bits( more[2], more[3] ) << 8;
#else
	uint32_t bits = 0;
	for ( int i = 0; i < 16; ++i )
		bits |= (uint32_t)( ( (const float *)&a.part[0] )[i] > ( (const float *)&b.part[0] )[i] ) << i;
	return bits;
#endif
}

// ------------------------------------------------------------------------------------------------
// FEW lanes for smaller batches: eight, or four where a vector of the set holds no more. A kernel that defines
// DBVHI_WIDE_FEW gets sixteen where a vector holds as many.

typedef float float8 __attribute__( ( vector_size( 32 ) ) );
typedef int32_t int8 __attribute__( ( vector_size( 32 ) ) );

#if PART_FLOATS == 16 && defined( DBVHI_WIDE_FEW )
#define FEW 16
#elif PART_FLOATS >= 8
#define FEW 8
#else
#define FEW 4
#endif
typedef float float_few __attribute__( ( vector_size( 4 * FEW ) ) );
typedef int32_t int_few __attribute__( ( vector_size( 4 * FEW ) ) );

VECTOR_INLINE float_few few_load( const float *p ) {
	float_few x;
	memcpy( &x, p, sizeof x );
	return x;
}

VECTOR_INLINE float_few few_set( float x ) {
	return x - ( float_few ){ 0 };
}

// a b + c
VECTOR_INLINE float_few few_fma( float_few a, float_few b, float_few c ) {
#if FEW == 16
	return (float_few)_mm512_fmadd_ps( (__m512)a, (__m512)b, (__m512)c );
#elif FEW == 8
	return (float_few)_mm256_fmadd_ps( (__m256)a, (__m256)b, (__m256)c );
#else
	return float4_fma( a, b, c );
#endif
}

// a b - c
VECTOR_INLINE float_few few_fms( float_few a, float_few b, float_few c ) {
#if FEW == 16
	return (float_few)_mm512_fmsub_ps( (__m512)a, (__m512)b, (__m512)c );
#elif FEW == 8
	return (float_few)_mm256_fmsub_ps( (__m256)a, (__m256)b, (__m256)c );
#elif defined( DBVHI_NEON )
	return vfmaq_f32( -c, a, b );
#else
	return a * b - c;
#endif
}

// c - a b
VECTOR_INLINE float_few few_fnma( float_few a, float_few b, float_few c ) {
#if FEW == 16
	return (float_few)_mm512_fnmadd_ps( (__m512)a, (__m512)b, (__m512)c );
#elif FEW == 8
	return (float_few)_mm256_fnmadd_ps( (__m256)a, (__m256)b, (__m256)c );
#elif defined( DBVHI_NEON )
	return vfmaq_f32( c, -a, b );
#else
	return c - a * b;
#endif
}

// a < b ? a : b, and a > b ? a : b
VECTOR_INLINE float_few few_min( float_few a, float_few b ) {
#if FEW == 16
	return (float_few)_mm512_min_ps( (__m512)a, (__m512)b );
#elif FEW == 8
	return (float_few)_mm256_min_ps( (__m256)a, (__m256)b );
#else
	return float4_min( a, b );
#endif
}

VECTOR_INLINE float_few few_max( float_few a, float_few b ) {
#if FEW == 16
	return (float_few)_mm512_max_ps( (__m512)a, (__m512)b );
#elif FEW == 8
	return (float_few)_mm256_max_ps( (__m256)a, (__m256)b );
#else
	return float4_max( a, b );
#endif
}

VECTOR_INLINE float_few few_abs( float_few a ) {
	return (float_few)( (int_few)a & 0x7fffffff );
}

// a > b, a bit a lane; false for NaN.
VECTOR_INLINE uint32_t few_greater( float_few a, float_few b ) {
#if FEW == 16
	return _mm512_cmp_ps_mask( (__m512)a, (__m512)b, _CMP_GT_OQ );
#elif PART_FLOATS == 16
	return _mm256_cmp_ps_mask( (__m256)a, (__m256)b, _CMP_GT_OQ );
#elif PART_FLOATS == 8
	return (uint32_t)_mm256_movemask_ps( _mm256_cmp_ps( (__m256)a, (__m256)b, _CMP_GT_OQ ) );
#elif PART_FLOATS == 4 && defined( DBVHI_SSE2 )
	return (uint32_t)_mm_movemask_ps( _mm_cmpgt_ps( (__m128)a, (__m128)b ) );
#elif defined( DBVHI_NEON )
	return neon_bits( vcgtq_f32( a, b ), vdupq_n_u32( 0 ) );
#else
	const int_few bits = ( a > b ) & ( int_few ){ 1, 2, 4, 8 };
	return (uint32_t)( bits[0] | bits[1] | bits[2] | bits[3] );
#endif
}

// Six columns of a table whose rows are 24 bytes: lane k of out[c] is column c of row rows[k].
#if FEW == 16

// Each block of four lanes gets four rows, whose columns shuffles separate.
VECTOR_INLINE __m512i few_four_rows( const char *table, const uint32_t *rows ) {
#define ROW( k ) _mm_loadu_si128( (const __m128i *)( table + 24 * (size_t)rows[k] ) )
	__m512i out = _mm512_castsi128_si512( ROW( 0 ) );
	out = _mm512_inserti32x4( out, ROW( 4 ), 1 );
	out = _mm512_inserti32x4( out, ROW( 8 ), 2 );
	return _mm512_inserti32x4( out, ROW( 12 ), 3 );
#undef ROW
}

VECTOR_INLINE void few_gather_rows( const void *table, const uint32_t rows[FEW], int_few out[6] ) {
	__m512i first[4], last[4];
	for ( int r = 0; r < 4; ++r ) {
		first[r] = few_four_rows( table, rows + r );
		last[r] = few_four_rows( (const char *)table + 8, rows + r );
	}
	const __m512i a = _mm512_unpacklo_epi32( first[0], first[1] ), b = _mm512_unpacklo_epi32( first[2], first[3] );
	const __m512i c = _mm512_unpackhi_epi32( first[0], first[1] ), d = _mm512_unpackhi_epi32( first[2], first[3] );
	const __m512i e = _mm512_unpackhi_epi32( last[0], last[1] ), f = _mm512_unpackhi_epi32( last[2], last[3] );
	out[0] = (int_few)_mm512_unpacklo_epi64( a, b );
	out[1] = (int_few)_mm512_unpackhi_epi64( a, b );
	out[2] = (int_few)_mm512_unpacklo_epi64( c, d );
	out[3] = (int_few)_mm512_unpackhi_epi64( c, d );
	out[4] = (int_few)_mm512_unpacklo_epi64( e, f );
	out[5] = (int_few)_mm512_unpackhi_epi64( e, f );
}

#elif FEW == 8

// Each block of four lanes gets four rows, whose columns shuffles separate.
VECTOR_INLINE void few_gather_rows( const void *table, const uint32_t rows[FEW], int_few out[6] ) {
	__m256i first[4], last[4];
	for ( int r = 0; r < 4; ++r ) {
		const char *low = (const char *)table + 24 * (size_t)rows[r];
		const char *high = (const char *)table + 24 * (size_t)rows[4 + r];
		first[r] = _mm256_inserti128_si256( _mm256_castsi128_si256( _mm_loadu_si128( (const __m128i *)low ) ),
		                                    _mm_loadu_si128( (const __m128i *)high ), 1 );
		last[r] = _mm256_inserti128_si256( _mm256_castsi128_si256( _mm_loadu_si128( (const __m128i *)( low + 8 ) ) ),
		                                   _mm_loadu_si128( (const __m128i *)( high + 8 ) ), 1 );
	}
	const __m256i a = _mm256_unpacklo_epi32( first[0], first[1] ), b = _mm256_unpacklo_epi32( first[2], first[3] );
	const __m256i c = _mm256_unpackhi_epi32( first[0], first[1] ), d = _mm256_unpackhi_epi32( first[2], first[3] );
	const __m256i e = _mm256_unpackhi_epi32( last[0], last[1] ), f = _mm256_unpackhi_epi32( last[2], last[3] );
	out[0] = (int_few)_mm256_unpacklo_epi64( a, b );
	out[1] = (int_few)_mm256_unpackhi_epi64( a, b );
	out[2] = (int_few)_mm256_unpacklo_epi64( c, d );
	out[3] = (int_few)_mm256_unpackhi_epi64( c, d );
	out[4] = (int_few)_mm256_unpacklo_epi64( e, f );
	out[5] = (int_few)_mm256_unpackhi_epi64( e, f );
}

#elif PART_FLOATS == 4 && defined( DBVHI_SSE2 )

VECTOR_INLINE void few_gather_rows( const void *table, const uint32_t rows[FEW], int_few out[6] ) {
	__m128i first[4], last[4];
	for ( int r = 0; r < 4; ++r ) {
		const char *row = (const char *)table + 24 * (size_t)rows[r];
		first[r] = _mm_loadu_si128( (const __m128i *)row );
		last[r] = _mm_loadl_epi64( (const __m128i *)( row + 16 ) );
	}
	const __m128i a = _mm_unpacklo_epi32( first[0], first[1] ), b = _mm_unpacklo_epi32( first[2], first[3] );
	const __m128i c = _mm_unpackhi_epi32( first[0], first[1] ), d = _mm_unpackhi_epi32( first[2], first[3] );
	const __m128i e = _mm_unpacklo_epi32( last[0], last[1] ), f = _mm_unpacklo_epi32( last[2], last[3] );
	out[0] = (int_few)_mm_unpacklo_epi64( a, b );
	out[1] = (int_few)_mm_unpackhi_epi64( a, b );
	out[2] = (int_few)_mm_unpacklo_epi64( c, d );
	out[3] = (int_few)_mm_unpackhi_epi64( c, d );
	out[4] = (int_few)_mm_unpacklo_epi64( e, f );
	out[5] = (int_few)_mm_unpackhi_epi64( e, f );
}

#else

VECTOR_INLINE void few_gather_rows( const void *table, const uint32_t rows[FEW], int_few out[6] ) {
	int32_t columns[6][FEW];
	for ( int k = 0; k < FEW; ++k ) {
		int32_t row[6];
		memcpy( row, (const char *)table + 24 * (size_t)rows[k], sizeof row );
		for ( int column = 0; column < 6; ++column )
			columns[column][k] = row[column];
	}
	memcpy( out, columns, sizeof columns );
}

#endif

// Decode one of the two 16-bit numbers of a lane, in units of 1/65,536: the lower as it is, the upper with all bits
// below it, which are part of its value.
VECTOR_INLINE float_few few_from_low( int_few x ) {
	return __builtin_convertvector( x << 16, float_few );
}

VECTOR_INLINE float_few few_from_high( int_few x ) {
	return __builtin_convertvector( x, float_few );
}

VECTOR_INLINE float4 float4_sqrt( float4 a ) {
#if defined( DBVHI_SSE2 ) && PART_FLOATS != 1
	return (float4)_mm_sqrt_ps( (__m128)a );
#elif defined( DBVHI_NEON )
	return vsqrtq_f32( a );
#else
	return ( float4 ){ __builtin_sqrtf( a[0] ), __builtin_sqrtf( a[1] ), __builtin_sqrtf( a[2] ),
	                   __builtin_sqrtf( a[3] ) };
#endif
}

VECTOR_INLINE vf vf_div( vf a, vf b ) {
	FOR_PARTS a.part[part] /= b.part[part];
	return a;
}

VECTOR_INLINE vf vf_sqrt( vf a ) {
#if PART_FLOATS == 16
	a.part[0] = (float_part)_mm512_sqrt_ps( (__m512)a.part[0] );
#elif PART_FLOATS == 8
	FOR_PARTS a.part[part] = (float_part)_mm256_sqrt_ps( (__m256)a.part[part] );
#elif PART_FLOATS == 4 && defined( DBVHI_SSE2 )
	FOR_PARTS a.part[part] = (float_part)_mm_sqrt_ps( (__m128)a.part[part] );
#elif defined( DBVHI_NEON )
	FOR_PARTS a.part[part] = vsqrtq_f32( a.part[part] );
#else
	for ( int i = 0; i < 16; ++i ) {
		float *x = (float *)&a.part[0] + i;
		*x = __builtin_sqrtf( *x );
	}
#endif
	return a;
}

// a < b ? yes : no, in each lane.
VECTOR_INLINE vf vf_select_less( vf a, vf b, vf yes, vf no ) {
#if PART_FLOATS == 16
	const __mmask16 less = _mm512_cmp_ps_mask( (__m512)a.part[0], (__m512)b.part[0], _CMP_LT_OQ );
	no.part[0] = (float_part)_mm512_mask_blend_ps( less, (__m512)no.part[0], (__m512)yes.part[0] );
#elif PART_FLOATS == 8
	FOR_PARTS no.part[part] =
	    (float_part)_mm256_blendv_ps( (__m256)no.part[part], (__m256)yes.part[part],
	                                  _mm256_cmp_ps( (__m256)a.part[part], (__m256)b.part[part], _CMP_LT_OQ ) );
#elif PART_FLOATS == 1
	FOR_PARTS no.part[part] = a.part[part] < b.part[part] ? yes.part[part] : no.part[part];
#elif defined( DBVHI_NEON )
	FOR_PARTS no.part[part] = vbslq_f32( vcltq_f32( a.part[part], b.part[part] ), yes.part[part], no.part[part] );
#else
	typedef int32_t int_part __attribute__( ( vector_size( 4 * PART_FLOATS ) ) );
	FOR_PARTS {
		const int_part less = a.part[part] < b.part[part];
		no.part[part] = (float_part)( ( less & (int_part)yes.part[part] ) | ( ~less & (int_part)no.part[part] ) );
	}
#endif
	return no;
}

#define INFINITY_FLOAT __builtin_inff()

#if FEW >= 8

// Lane k is number index[k] of a table of sixteen.
VECTOR_INLINE float_few few_lookup( const float table[16], int_few index ) {
#if FEW == 16
	return (float_few)_mm512_permutexvar_ps( (__m512i)index, _mm512_loadu_ps( table ) );
#else
	const __m256 low = _mm256_permutevar8x32_ps( _mm256_loadu_ps( table ), (__m256i)index );
	const __m256 high = _mm256_permutevar8x32_ps( _mm256_loadu_ps( table + 8 ), (__m256i)index );
	return (float_few)_mm256_blendv_ps( low, high, _mm256_castsi256_ps( _mm256_slli_epi32( (__m256i)index, 28 ) ) );
#endif
}

// x < 0, a bit a lane.
VECTOR_INLINE uint32_t few_negative( int_few x ) {
#if FEW == 16
	return _mm512_movepi32_mask( (__m512i)x );
#else
	return (uint32_t)_mm256_movemask_ps( (__m256)x );
#endif
}

// Writes lane k of three vectors, for the lanes that the mask selects, one after the other to out[.] + at. Up to FEW
// elements may be written; returns the end.
VECTOR_INLINE uint32_t few_keep( int32_t *const out[3], uint32_t at, uint32_t lanes, const int_few x[3] ) {
#if FEW == 16
	for ( int i = 0; i < 3; ++i )
		_mm512_storeu_si512( out[i] + at, _mm512_maskz_compress_epi32( (__mmask16)lanes, (__m512i)x[i] ) );
	return at + (uint32_t)__builtin_popcount( lanes );
#else
	int32_t from[3][FEW];
	memcpy( from, x, sizeof from );
	for ( ; lanes != 0; lanes &= lanes - 1, ++at ) {
		for ( int i = 0; i < 3; ++i )
			out[i][at] = from[i][__builtin_ctz( lanes )];
	}
	return at;
#endif
}

#endif

// Writes the pairs of `a` with the numbers that the mask selects, the lower number in the upper half. Up to sixteen
// elements may be written; returns the number of pairs.
VECTOR_INLINE size_t vector_pairs( uint32_t a, const uint32_t numbers[16], uint32_t mask, uint64_t *pairs_out ) {
#if PART_FLOATS == 16
	const __m512i all = _mm512_loadu_si512( numbers ), mine = _mm512_set1_epi32( (int)a );
	const __m512i chosen = _mm512_maskz_compress_epi32( (__mmask16)mask, all );
	const __m512i low = _mm512_min_epu32( chosen, mine ), high = _mm512_max_epu32( chosen, mine );
	for ( int half = 0; half < 2; ++half ) {
		const __m256i l = half == 0 ? _mm512_castsi512_si256( low ) : _mm512_extracti64x4_epi64( low, 1 );
		const __m256i h = half == 0 ? _mm512_castsi512_si256( high ) : _mm512_extracti64x4_epi64( high, 1 );
		const __m512i upper = _mm512_slli_epi64( _mm512_cvtepu32_epi64( l ), 32 );
		_mm512_storeu_si512( pairs_out + 8 * half, _mm512_or_si512( upper, _mm512_cvtepu32_epi64( h ) ) );
		if ( __builtin_popcount( mask ) <= 8 )
			break;
	}
	return (size_t)__builtin_popcount( mask );
#else
	size_t count = 0;
	for ( ; mask != 0; mask &= mask - 1 ) {
		const uint32_t b = numbers[__builtin_ctz( mask )], low = a < b ? a : b, high = a < b ? b : a;
		pairs_out[count++] = (uint64_t)low << 32 | high;
	}
	return count;
#endif
}
