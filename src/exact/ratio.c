// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/ratio.h"

#include <float.h>
#include <math.h>

void dbvhi_ratio_zero( dbvhi_ratio *out ) {
	dbvhi_wide_from_integer( &out->num, 0, 0 );
	dbvhi_wide_from_integer( &out->den, 1, 0 );
	out->unit = 0;
}

void dbvhi_ratio_copy( dbvhi_ratio *out, const dbvhi_ratio *a ) {
	dbvhi_wide_copy( &out->num, &a->num );
	dbvhi_wide_copy( &out->den, &a->den );
	out->unit = a->unit;
}

// The sign of a 2^ea - b 2^eb. May write to both.
static int compare_scaled( dbvhi_wide *a, int ea, dbvhi_wide *b, int eb ) {
	if ( a->sign == 0 || b->sign == 0 )
		return a->sign - b->sign;
	if ( ea > eb )
		dbvhi_wide_shift( a, a, (uint32_t)( ea - eb ) );
	else
		dbvhi_wide_shift( b, b, (uint32_t)( eb - ea ) );
	return dbvhi_wide_compare( a, b );
}

int dbvhi_ratio_compare( const dbvhi_ratio *a, const dbvhi_ratio *b ) {
	dbvhi_wide left, right;
	dbvhi_wide_mul( &left, &a->num, &b->den );
	dbvhi_wide_mul( &right, &b->num, &a->den );
	return compare_scaled( &left, a->unit, &right, b->unit );
}

// x = m 2^e with the step from x to the next double as the unit.
static int64_t integer_of( double x, int *e ) {
	frexp( x, e );
	*e = x == 0.0 || *e - 53 < -1074 ? -1074 : *e - 53;
	return (int64_t)ldexp( x, -*e );
}

// The sign of a - m 2^e.
static int compare_integer( const dbvhi_ratio *a, int64_t m, int e ) {
	dbvhi_wide factor, left, right;
	dbvhi_wide_from_integer( &factor, m, 0 );
	dbvhi_wide_mul( &right, &a->den, &factor );
	dbvhi_wide_copy( &left, &a->num );
	return compare_scaled( &left, a->unit, &right, e );
}

int dbvhi_ratio_compare_square( const dbvhi_ratio *a, double x ) {
	int e;
	const int64_t m = integer_of( x, &e );
	dbvhi_wide factor, square, left, right;
	dbvhi_wide_from_integer( &factor, m, 0 );
	dbvhi_wide_mul( &square, &factor, &factor );
	dbvhi_wide_mul( &right, &a->den, &square );
	dbvhi_wide_copy( &left, &a->num );
	return compare_scaled( &left, a->unit, &right, 2 * e );
}

// a = fraction 2^*exponent_out, the fraction in (0.5, 2) and off by a few units of its last place.
static double estimate( const dbvhi_ratio *a, int *exponent_out ) {
	int en, ed;
	const double n = dbvhi_wide_split( &a->num, &en ), d = dbvhi_wide_split( &a->den, &ed );
	*exponent_out = en - ed + a->unit;
	return n / d;
}

static double within_range( double x ) {
	return x < DBL_MAX ? x : DBL_MAX;
}

double dbvhi_ratio_round( const dbvhi_ratio *a ) {
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

double dbvhi_ratio_root_up( const dbvhi_ratio *a ) {
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
