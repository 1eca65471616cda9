// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/number/ratio.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>

void dbvhi_ratio_zero( dbvhi_ratio *out ) {
	dbvhi_big_from_integer( &out->num, 0 );
	dbvhi_big_from_integer( &out->den, 1 );
	out->unit = 0;
}

void dbvhi_ratio_copy( dbvhi_ratio *out, const dbvhi_ratio *a ) {
	DBVHI_ASSERT( a->den.sign > 0 );
	dbvhi_big_copy( &out->num, &a->num );
	dbvhi_big_copy( &out->den, &a->den );
	out->unit = a->unit;
}

// The same where both have their highest bits at the same place: the shifted one is no longer than the other, but for a
// limb. Kept apart, since most of the stack is here.
static __attribute__( ( noinline ) ) int compare_shifted( const dbvhi_any *a, int ea, const dbvhi_any *b, int eb ) {
	dbvhi_big_10 shifted;
	if ( ea <= eb ) {
		dbvhi_big_shift( &shifted, b, (uint32_t)( eb - ea ) );
		return dbvhi_big_compare( a, &shifted );
	}
	dbvhi_big_shift( &shifted, a, (uint32_t)( ea - eb ) );
	return dbvhi_big_compare( &shifted, b );
}

// The sign of a 2^ea - b 2^eb, neither negative.
static int compare_scaled( const dbvhi_any *a, int ea, const dbvhi_any *b, int eb ) {
	if ( a->sign == 0 || b->sign == 0 )
		return a->sign - b->sign;
	const int64_t left = ea + (int64_t)dbvhi_limbs_bits( a->limb, a->length ),
	              right = eb + (int64_t)dbvhi_limbs_bits( b->limb, b->length );
	if ( left != right )
		return left < right ? -1 : 1;
	return ea == eb ? dbvhi_big_compare( a, b ) : compare_shifted( a, ea, b, eb );
}

int dbvhi_ratio_compare( const dbvhi_ratio *a, const dbvhi_ratio *b ) {
	DBVHI_ASSERT( a->den.sign > 0 && b->den.sign > 0 );
	dbvhi_big_10 left, right;
	dbvhi_big_mul( &left, &a->num, &b->den );
	dbvhi_big_mul( &right, &b->num, &a->den );
	return compare_scaled( DBVHI_IN( &left ), a->unit, DBVHI_IN( &right ), b->unit );
}

// x = m 2^e with the step from x to the next double as the unit.
static int64_t integer_of( double x, int *e ) {
	frexp( x, e );
	*e = x == 0.0 || *e - 53 < -1074 ? -1074 : *e - 53;
	return (int64_t)ldexp( x, -*e );
}

// The sign of a - m 2^e.
static int compare_integer( const dbvhi_ratio *a, int64_t m, int e ) {
	DBVHI_ASSERT( a->den.sign > 0 );
	DBVHI_ASSERT( m >= 0 );
	dbvhi_big_1 factor;
	dbvhi_big_6 right;
	dbvhi_big_from_integer( &factor, m );
	dbvhi_big_mul( &right, &a->den, &factor );
	return compare_scaled( DBVHI_IN( &a->num ), a->unit, DBVHI_IN( &right ), e );
}

int dbvhi_ratio_compare_square( const dbvhi_ratio *a, double x ) {
	DBVHI_ASSERT( a->den.sign > 0 );
	DBVHI_ASSERT( x >= 0.0 );
	if ( isinf( x ) )
		return -1;
	int e;
	const int64_t m = integer_of( x, &e );
	dbvhi_big_1 factor, square;
	dbvhi_big_6 right;
	dbvhi_big_from_integer( &factor, m );
	dbvhi_big_mul( &square, &factor, &factor );
	dbvhi_big_mul( &right, &a->den, &square );
	return compare_scaled( DBVHI_IN( &a->num ), a->unit, DBVHI_IN( &right ), 2 * e );
}

// a = fraction 2^*exponent_out, the fraction in [0.5, 2] and off by a few units of its last place.
static double estimate( const dbvhi_ratio *a, int *exponent_out ) {
	DBVHI_ASSERT( a->num.sign > 0 && a->den.sign > 0 );
	int en, ed;
	const double n = dbvhi_big_lead( &a->num, &en ), d = dbvhi_big_lead( &a->den, &ed );
	*exponent_out = en - ed + a->unit;
	return n / d;
}

static double within_range( double x ) {
	return x < DBL_MAX ? x : DBL_MAX;
}

double dbvhi_ratio_round( const dbvhi_ratio *a ) {
	DBVHI_ASSERT( a->den.sign > 0 && a->num.sign >= 0 );
	if ( a->num.sign == 0 )
		return 0.0;
	int e;
	const double fraction = estimate( a, &e );
	double x = within_range( ldexp( fraction, e ) );
	int unit;
	int64_t m = integer_of( x, &unit );
	// Down to the last double that is not above, from an estimate that is a few steps off.
	while ( compare_integer( a, m, unit ) < 0 ) {
		x = nextafter( x, 0.0 );
		m = integer_of( x, &unit );
	}
	while ( compare_integer( a, m + 1, unit ) >= 0 ) {
		if ( x >= DBL_MAX )
			return INFINITY;
		x = nextafter( x, INFINITY );
		m = integer_of( x, &unit );
	}
	const int side = compare_integer( a, 2 * m + 1, unit - 1 );
	return side < 0 || ( side == 0 && m % 2 == 0 ) ? x : nextafter( x, INFINITY );
}

double dbvhi_any_quotient( const dbvhi_any *num, const dbvhi_any *den, int unit ) {
	DBVHI_ASSERT( den->sign != 0 );
	const int sign = num->sign * den->sign;
	dbvhi_ratio size;
	dbvhi_big_copy( &size.num, num );
	dbvhi_big_copy( &size.den, den );
	size.num.sign = sign != 0;
	size.den.sign = 1;
	size.unit = unit;
	const double rounded = dbvhi_ratio_round( &size );
	return sign < 0 ? 0.0 - rounded : rounded; // no -0
}

double dbvhi_ratio_root_up( const dbvhi_ratio *a ) {
	DBVHI_ASSERT( a->den.sign > 0 && a->num.sign >= 0 );
	if ( a->num.sign == 0 )
		return 0.0;
	int e;
	double fraction = estimate( a, &e );
	if ( e % 2 != 0 ) {
		fraction *= 2.0;
		e -= 1;
	}
	double x = within_range( ldexp( sqrt( fraction ), e / 2 ) );
	while ( dbvhi_ratio_compare_square( a, x ) > 0 ) {
		if ( x >= DBL_MAX )
			return INFINITY;
		x = nextafter( x, INFINITY );
	}
	for ( ;; ) {
		const double lower = nextafter( x, 0.0 );
		if ( dbvhi_ratio_compare_square( a, lower ) > 0 )
			return x;
		x = lower;
	}
}
