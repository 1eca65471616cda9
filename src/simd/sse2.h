// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Vectors of 16 bytes in SSE2's names, which WebAssembly's SIMD128 has under others. DBVHI_SSE2 is defined where either
// is there. Each operation gives the bits that SSE2 gives, also for NaN, but for conversions that are out of range.

#pragma once

#if defined( __SSE2__ )

#include <emmintrin.h>
#define DBVHI_SSE2

#elif defined( __wasm_simd128__ )

#include <wasm_simd128.h>
#define DBVHI_SSE2

typedef v128_t __m128, __m128d, __m128i;

// a < b ? a : b, and a > b ? a : b: the second where either is NaN, as pmin and pmax have it of their first.
#define _mm_min_ps( a, b ) wasm_f32x4_pmin( b, a )
#define _mm_max_ps( a, b ) wasm_f32x4_pmax( b, a )
#define _mm_min_pd( a, b ) wasm_f64x2_pmin( b, a )
#define _mm_max_pd( a, b ) wasm_f64x2_pmax( b, a )

#define _mm_sqrt_ps( a ) wasm_f32x4_sqrt( a )
#define _mm_sqrt_pd( a ) wasm_f64x2_sqrt( a )
#define _mm_cmpgt_ps( a, b ) wasm_f32x4_gt( a, b )
#define _mm_movemask_ps( a ) wasm_i32x4_bitmask( a )
#define _mm_movemask_pd( a ) wasm_i64x2_bitmask( a )
#define _mm_cvttps_epi32( a ) wasm_i32x4_trunc_sat_f32x4( a )

#define _mm_loadu_si128( p ) wasm_v128_load( p )
#define _mm_loadl_epi64( p ) wasm_v128_load64_zero( p )
#define _mm_unpacklo_epi32( a, b ) wasm_i32x4_shuffle( a, b, 0, 4, 1, 5 )
#define _mm_unpackhi_epi32( a, b ) wasm_i32x4_shuffle( a, b, 2, 6, 3, 7 )
#define _mm_unpacklo_epi64( a, b ) wasm_i64x2_shuffle( a, b, 0, 2 )
#define _mm_unpackhi_epi64( a, b ) wasm_i64x2_shuffle( a, b, 1, 3 )

#endif
