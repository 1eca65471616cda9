// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/number/fma.h"

#include "exact/number/dd.h"
#include "exact/number/ratio.h"

#include <math.h>
#include <stdbool.h>

// a + b rounded to odd: exact, or of the two doubles around the sum the one whose last bit is set.
static double sum_to_odd( double a, double b ) {
	const dbvhi_dd sum = dbvhi_dd_sum( a, b );
	uint64_t bits;
	memcpy( &bits, &sum.hi, sizeof bits );
	if ( sum.lo != 0.0 && bits % 2 == 0 )
		bits += ( sum.lo > 0.0 ) == ( sum.hi > 0.0 ) ? 1 : UINT64_MAX; // away from zero, or towards it
	double odd;
	memcpy( &odd, &bits, sizeof odd );
	return odd;
}

// Boldo and Melquiond ("Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008):
// the first three sums are exact, and what is rounded to odd does not move the last rounding.
static double multiply_add_in_doubles( double a, double b, double c ) {
	const dbvhi_dd product = dbvhi_dd_product( a, b );
	const dbvhi_dd low = dbvhi_dd_sum( c, product.lo );
	const dbvhi_dd high = dbvhi_dd_sum( product.hi, low.hi );
	return high.hi + sum_to_odd( low.lo, high.lo );
}

// The sum as an integer times a power of two, which is rounded.
static double multiply_add_in_integers( double a, double b, double c ) {
	const int unit_a = dbvhi_lowest_bit( a ), unit_b = dbvhi_lowest_bit( b ), unit_c = dbvhi_lowest_bit( c );
	const int unit = unit_a + unit_b < unit_c ? unit_a + unit_b : unit_c;
	dbvhi_big_1 factor_a, factor_b, one;
	dbvhi_big_2 sum, addend;
	dbvhi_big_from_double( &factor_a, a, unit_a );
	dbvhi_big_from_double( &factor_b, b, unit_b );
	dbvhi_big_from_double( &addend, c, unit );
	dbvhi_big_mul( &sum, &factor_a, &factor_b );
	dbvhi_big_shift( &sum, &sum, (uint32_t)( unit_a + unit_b - unit ) );
	dbvhi_big_add( &sum, &sum, &addend );
	dbvhi_big_from_integer( &one, 1 );
	return copysign( dbvhi_big_quotient( &sum, &one, unit ), sum.sign );
}

// Are products of it exact in two doubles? Those of two such numbers are multiples of 2^-904 and below 2^801, so that
// they change the largest double by less than half a step. Sums of doubles do not underflow.
static bool is_moderate( double x ) {
	return fabs( x ) >= 0x1p-400 && fabs( x ) <= 0x1p400;
}

double dbvhi_fma_emulated( double a, double b, double c ) {
	DBVHI_ASSERT( isfinite( a ) && isfinite( b ) && isfinite( c ) );
	if ( a == 0.0 || b == 0.0 )
		return a * b + c;
	return is_moderate( a ) && is_moderate( b ) ? multiply_add_in_doubles( a, b, c )
	                                            : multiply_add_in_integers( a, b, c );
}
