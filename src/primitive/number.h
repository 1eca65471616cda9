// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Three kinds of numbers with the same operations, in which every predicate of core.inl is evaluated until one of them
// knows the sign: doubles with a bound of their error, pairs of doubles with such a bound, and exact ones.
//
// The bounds are running ones: if |x - X| <= dx and |y - Y| <= dy, the rounded sum is off by at most dx + dy + u |sum|
// and the rounded product by |x| dy + |y| dx + dx dy + u |product| + 2^-1074, u = 2^-53, the last where it underflows.
// The bounds are rounded themselves, each by less than 4u relatively, and a formula is less than 1,000 operations deep:
// sign() asks for 2^-40 more than the bound. Where a number overflows, its bound is infinite or NaN, and no sign is
// known.
//
// Pairs: exact/number/dd.h has the errors of its operations. Dekker's product loses its last part below 2^-969, and
// what it loses is below 2^-1000.

#pragma once

#include "base/inline.h"
#include "exact/number/dd.h"
#include "exact/number/dyadic.h"

#include <math.h>

#define DBVHI_UNKNOWN 2 // beside the signs -1, 0 and 1

// ------------------------------------------------------------------------------------------------
// Doubles

typedef struct near_number {
	double v, e;
} near_number;

DBVHI_INLINE void near_set( near_number *out, double x ) {
	*out = ( near_number ){ x, 0.0 };
}

DBVHI_INLINE void near_copy( near_number *out, const near_number *a ) {
	*out = *a;
}

DBVHI_INLINE void near_set_dd( near_number *out, dbvhi_dd x ) {
	*out = ( near_number ){ x.hi, fabs( x.lo ) };
}

// x - y
DBVHI_INLINE void near_difference( near_number *out, double x, double y ) {
	const dbvhi_dd s = dbvhi_dd_sum( x, -y );
	*out = ( near_number ){ s.hi, fabs( s.lo ) };
}

DBVHI_INLINE void near_add( near_number *out, const near_number *a, const near_number *b ) {
	const double v = a->v + b->v;
	*out = ( near_number ){ v, a->e + b->e + 0x1p-53 * fabs( v ) };
}

DBVHI_INLINE void near_sub( near_number *out, const near_number *a, const near_number *b ) {
	const double v = a->v - b->v;
	*out = ( near_number ){ v, a->e + b->e + 0x1p-53 * fabs( v ) };
}

DBVHI_INLINE void near_mul( near_number *out, const near_number *a, const near_number *b ) {
	// An exact zero stays exact: it means no motion, or a normal along an axis.
	const bool zero = ( a->v == 0.0 && a->e == 0.0 ) || ( b->v == 0.0 && b->e == 0.0 );
	const double v = a->v * b->v;
	const double e = fabs( a->v ) * b->e + fabs( b->v ) * a->e + a->e * b->e + 0x1p-53 * fabs( v ) + 0x1p-1074;
	*out = zero ? ( near_number ){ 0.0, 0.0 } : ( near_number ){ v, e };
}

DBVHI_INLINE int near_sign( const near_number *a ) {
	const double bound = a->e + 0x1p-40 * a->e;
	if ( a->v > bound )
		return 1;
	if ( a->v < -bound )
		return -1;
	return a->v == 0.0 && a->e == 0.0 ? 0 : DBVHI_UNKNOWN;
}

DBVHI_INLINE void near_abs( near_number *out, const near_number *a ) {
	*out = ( near_number ){ fabs( a->v ), a->e };
}

// max( a, 0 )
DBVHI_INLINE void near_positive( near_number *out, const near_number *a ) {
	const bool below = near_sign( a ) == -1;
	*out = below ? ( near_number ){ 0.0, 0.0 } : ( near_number ){ a->v > 0.0 ? a->v : a->v == a->v ? 0.0 : a->v, a->e };
}

DBVHI_INLINE double near_value( const near_number *a ) {
	return a->v;
}

// ------------------------------------------------------------------------------------------------
// Pairs of doubles

typedef struct pair_number {
	dbvhi_dd v;
	double e;
} pair_number;

DBVHI_INLINE void pair_set( pair_number *out, double x ) {
	*out = ( pair_number ){ { x, 0.0 }, 0.0 };
}

DBVHI_INLINE void pair_set_dd( pair_number *out, dbvhi_dd x ) {
	*out = ( pair_number ){ x, 0.0 };
}

DBVHI_INLINE void pair_copy( pair_number *out, const pair_number *a ) {
	*out = *a;
}

DBVHI_INLINE void pair_difference( pair_number *out, double x, double y ) {
	*out = ( pair_number ){ dbvhi_dd_sum( x, -y ), 0.0 };
}

// note: sums and products are called, not inlined: few questions come here, and they would be a tenth of the
// predicates' code.
static __attribute__( ( noinline, unused ) ) void pair_add( pair_number *out, const pair_number *a,
                                                            const pair_number *b ) {
	const dbvhi_dd v = dbvhi_dd_add( a->v, b->v );
	*out = ( pair_number ){ v, a->e + b->e + 0x1p-102 * fabs( v.hi ) };
}

static __attribute__( ( noinline, unused ) ) void pair_sub( pair_number *out, const pair_number *a,
                                                            const pair_number *b ) {
	const dbvhi_dd v = dbvhi_dd_sub( a->v, b->v );
	*out = ( pair_number ){ v, a->e + b->e + 0x1p-102 * fabs( v.hi ) };
}

static __attribute__( ( noinline, unused ) ) void pair_mul( pair_number *out, const pair_number *a,
                                                            const pair_number *b ) {
	const bool zero = ( a->v.hi == 0.0 && a->e == 0.0 ) || ( b->v.hi == 0.0 && b->e == 0.0 );
	const dbvhi_dd v = dbvhi_dd_mul( a->v, b->v );
	const double x = fabs( a->v.hi ) * ( 1.0 + 0x1p-50 ), y = fabs( b->v.hi ) * ( 1.0 + 0x1p-50 );
	const double e = x * b->e + y * a->e + a->e * b->e + 0x1p-102 * fabs( v.hi ) + 0x1p-1000;
	*out = zero ? ( pair_number ){ { 0.0, 0.0 }, 0.0 } : ( pair_number ){ v, e };
}

DBVHI_INLINE int pair_sign( const pair_number *a ) {
	const double bound = a->e + 0x1p-40 * a->e;
	// The low part is at most half an ulp of the high one, which 2^-40 of the bound does not cover.
	const double size = fabs( a->v.hi ) * ( 1.0 - 0x1p-50 );
	if ( size > bound )
		return a->v.hi > 0.0 ? 1 : -1;
	return a->v.hi == 0.0 && a->e == 0.0 ? 0 : DBVHI_UNKNOWN;
}

DBVHI_INLINE void pair_abs( pair_number *out, const pair_number *a ) {
	*out = a->v.hi < 0.0 ? ( pair_number ){ dbvhi_dd_negate( a->v ), a->e } : *a;
}

DBVHI_INLINE void pair_positive( pair_number *out, const pair_number *a ) {
	const bool below = pair_sign( a ) == -1;
	*out = below ? ( pair_number ){ { 0.0, 0.0 }, 0.0 } : a->v.hi < 0.0 ? ( pair_number ){ { 0.0, 0.0 }, a->e } : *a;
}

DBVHI_INLINE double pair_value( const pair_number *a ) {
	return a->v.hi;
}

// ------------------------------------------------------------------------------------------------
// Exact numbers

typedef dbvhi_dyadic exact_number;

#define exact_set dbvhi_dyadic_set
#define exact_copy dbvhi_dyadic_copy
#define exact_add dbvhi_dyadic_add
#define exact_sub dbvhi_dyadic_sub
#define exact_mul dbvhi_dyadic_mul

static inline void exact_difference( exact_number *out, double x, double y ) {
	DBVHI_DYADIC_SCOPE;
	dbvhi_dyadic a, b;
	dbvhi_dyadic_set( &a, x );
	dbvhi_dyadic_set( &b, y );
	dbvhi_dyadic_sub( out, &a, &b );
	DBVHI_DYADIC_KEEP( out );
}

static inline void exact_set_dd( exact_number *out, dbvhi_dd x ) {
	exact_difference( out, x.hi, -x.lo );
}

static inline int exact_sign( const exact_number *a ) {
	return a->sign;
}

static inline void exact_abs( exact_number *out, const exact_number *a ) {
	dbvhi_dyadic_copy( out, a );
	out->sign = out->sign != 0 ? 1 : 0;
}

static inline void exact_positive( exact_number *out, const exact_number *a ) {
	if ( a->sign > 0 )
		dbvhi_dyadic_copy( out, a );
	else
		dbvhi_dyadic_set( out, 0.0 );
}

// Only for guesses, which exact numbers need not make.
static inline double exact_value( const exact_number *a ) {
	(void)a;
	return NAN;
}
