// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A number as the unevaluated sum of two doubles, the second at most half an ulp of the first: about 106 bits. Plain
// IEEE arithmetic without fused operations; contraction must be off.
//
// Every operation is off by at most 2^-103 of its result as long as nothing overflows or underflows: a sum by
// 3 u^2, a product by 7 u^2 (Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building blocks
// of double-word arithmetic", 2017, algorithms 6 and 10 without fused operations), u = 2^-53; a quotient by 2^-100.

#pragma once

#include "base/assert.h"
#include "base/inline.h"

typedef struct dbvhi_dd {
	double hi, lo;
} dbvhi_dd;

// a + b exactly, |a| >= |b| or a = 0.
DBVHI_INLINE dbvhi_dd dbvhi_dd_fast_sum( double a, double b ) {
	DBVHI_ASSERT( a == 0.0 || !( __builtin_fabs( b ) > 2.0 * __builtin_fabs( a ) ) );
	const double s = a + b;
	return ( dbvhi_dd ){ s, b - ( s - a ) };
}

// a + b exactly.
DBVHI_INLINE dbvhi_dd dbvhi_dd_sum( double a, double b ) {
	const double s = a + b;
	const double t = s - a;
	return ( dbvhi_dd ){ s, ( a - ( s - t ) ) + ( b - t ) };
}

// a * b exactly (Dekker 1971). A fused operation gives the same number.
DBVHI_INLINE dbvhi_dd dbvhi_dd_product( double a, double b ) {
	const double p = a * b;
#ifdef __FMA__
	return ( dbvhi_dd ){ p, __builtin_fma( a, b, -p ) };
#else
	const double ta = 0x1.0000002p27 * a, tb = 0x1.0000002p27 * b;
	const double ah = ta - ( ta - a ), bh = tb - ( tb - b );
	const double al = a - ah, bl = b - bh;
	return ( dbvhi_dd ){ p, ( ( ah * bh - p ) + ah * bl + al * bh ) + al * bl };
#endif
}

DBVHI_INLINE dbvhi_dd dbvhi_dd_add( dbvhi_dd a, dbvhi_dd b ) {
	dbvhi_dd s = dbvhi_dd_sum( a.hi, b.hi );
	const dbvhi_dd t = dbvhi_dd_sum( a.lo, b.lo );
	s = dbvhi_dd_fast_sum( s.hi, s.lo + t.hi );
	return dbvhi_dd_fast_sum( s.hi, s.lo + t.lo );
}

DBVHI_INLINE dbvhi_dd dbvhi_dd_negate( dbvhi_dd a ) {
	return ( dbvhi_dd ){ -a.hi, -a.lo };
}

DBVHI_INLINE dbvhi_dd dbvhi_dd_sub( dbvhi_dd a, dbvhi_dd b ) {
	return dbvhi_dd_add( a, dbvhi_dd_negate( b ) );
}

DBVHI_INLINE dbvhi_dd dbvhi_dd_mul( dbvhi_dd a, dbvhi_dd b ) {
	const dbvhi_dd p = dbvhi_dd_product( a.hi, b.hi );
	return dbvhi_dd_fast_sum( p.hi, p.lo + ( a.hi * b.lo + a.lo * b.hi ) );
}

// Two steps of long division and a last one for the rounding.
DBVHI_INLINE dbvhi_dd dbvhi_dd_div( dbvhi_dd a, dbvhi_dd b ) {
	const double first = a.hi / b.hi;
	dbvhi_dd rest = dbvhi_dd_sub( a, dbvhi_dd_mul( b, ( dbvhi_dd ){ first, 0.0 } ) );
	const double second = rest.hi / b.hi;
	rest = dbvhi_dd_sub( rest, dbvhi_dd_mul( b, ( dbvhi_dd ){ second, 0.0 } ) );
	const dbvhi_dd q = dbvhi_dd_fast_sum( first, second );
	return dbvhi_dd_add( q, ( dbvhi_dd ){ rest.hi / b.hi, 0.0 } );
}
