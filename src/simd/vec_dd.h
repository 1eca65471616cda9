// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Double-double arithmetic for kernels, lane by lane; exact/number/dd.h has it for one pair. A product gives the same
// two numbers with and without fused arithmetic, as long as nothing overflows or underflows.

#pragma once

#include "simd/vec_d.h"

// Functions of many double-doubles, which are long where a vector is several registers and a product takes 17
// operations: inlined, they would be a third of the baseline's kernels that have them. With AVX2 calls would halve the
// speed of distances.
#if defined( __AVX2__ ) || defined( DBVHI_NEON )
#define LANES_LONG LANES_INLINE
#else
#define LANES_LONG static __attribute__( ( noinline, unused ) )
#endif

// The value hi + lo; lo is at most the rounding error of the operation that made hi.
typedef struct vdd {
	vd hi, lo;
} vdd;

// Exact where |a| is no less than |b|.
LANES_INLINE vdd vdd_fast_sum( vd a, vd b ) {
	const vd s = a + b;
	return ( vdd ){ s, b - ( s - a ) };
}

// Knuth's sum, exact.
LANES_INLINE vdd vdd_exact_sum( vd a, vd b ) {
	const vd s = a + b, t = s - a;
	return ( vdd ){ s, ( a - ( s - t ) ) + ( b - t ) };
}

LANES_INLINE vdd vdd_exact_product( vd a, vd b ) {
	const vd p = a * b;
#if DBVHI_HAS_VD_FMS
	return ( vdd ){ p, vd_fms( a, b, p ) };
#else
	// Dekker's product.
	const vd ta = 0x1.0000002p27 * a, tb = 0x1.0000002p27 * b;
	const vd ah = ta - ( ta - a ), bh = tb - ( tb - b ), al = a - ah, bl = b - bh;
	return ( vdd ){ p, ( ( ah * bh - p ) + ah * bl + al * bh ) + al * bl };
#endif
}

// ------------------------------------------------------------------------------------------------
// double4_dd: three double-doubles, the last one twice, as in vec_d.h

typedef struct double4_dd {
	double4 hi, lo;
} double4_dd;

LANES_INLINE double4_dd double4_fast_sum( double4 a, double4 b ) {
	const double4 s = a + b;
	return ( double4_dd ){ s, b - ( s - a ) };
}

LANES_INLINE double4_dd double4_exact_sum( double4 a, double4 b ) {
	const double4 s = a + b, t = s - a;
	return ( double4_dd ){ s, ( a - ( s - t ) ) + ( b - t ) };
}

LANES_INLINE double4_dd double4_exact_product( double4 a, double4 b ) {
	const double4 p = a * b;
#if defined( __FMA__ ) && WIDTH >= 4
	return ( double4_dd ){ p, (double4)_mm256_fmsub_pd( (__m256d)a, (__m256d)b, (__m256d)p ) };
#else
	const double4 ta = 0x1.0000002p27 * a, tb = 0x1.0000002p27 * b;
	const double4 ah = ta - ( ta - a ), bh = tb - ( tb - b ), al = a - ah, bl = b - bh;
	return ( double4_dd ){ p, ( ( ah * bh - p ) + ah * bl + al * bh ) + al * bl };
#endif
}
