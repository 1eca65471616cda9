// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/wide.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define BITS DBVHI_LIMB_BITS

static void trim( dbvhi_wide *a ) {
	while ( a->length > 0 && a->limb[a->length - 1] == 0 )
		a->length -= 1;
	if ( a->length == 0 )
		a->sign = 0;
}

void dbvhi_wide_from_integer( dbvhi_wide *out, int64_t m, uint32_t e ) {
	out->length = 0;
	out->sign = m < 0 ? -1 : m > 0;
	if ( m == 0 )
		return;
	uint64_t rest = m < 0 ? 0 - (uint64_t)m : (uint64_t)m;
	const uint32_t whole = e / BITS, part = e % BITS;
	memset( out->limb, 0, whole * sizeof out->limb[0] );
	out->length = whole;
	// The low limb takes what fits beside the shift, the others follow.
	out->limb[out->length++] = (dbvhi_limb)( (dbvhi_limb)rest << part );
	for ( uint32_t taken = BITS - part; taken < 64; taken += BITS )
		out->limb[out->length++] = (dbvhi_limb)( rest >> taken );
	trim( out );
}

// |x| = m 2^e with an integer m.
static uint64_t decompose( double x, int *e ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	const int exponent = (int)( bits >> 52 & 0x7ff );
	const uint64_t fraction = bits & ( ( UINT64_C( 1 ) << 52 ) - 1 );
	*e = ( exponent == 0 ? 1 : exponent ) - 1075;
	return exponent == 0 ? fraction : fraction | UINT64_C( 1 ) << 52;
}

int dbvhi_wide_lowest_bit( double x ) {
	int e;
	const uint64_t m = decompose( x, &e );
	return m == 0 ? INT_MAX : e + __builtin_ctzll( m );
}

void dbvhi_wide_from_double( dbvhi_wide *out, double x, int unit ) {
	int e;
	const uint64_t m = decompose( x, &e );
	// Bits below the unit are 0.
	const int64_t integer = (int64_t)( m == 0 || e >= unit ? m : m >> ( unit - e ) );
	dbvhi_wide_from_integer( out, x < 0.0 ? -integer : integer, m == 0 || e < unit ? 0 : (uint32_t)( e - unit ) );
}

void dbvhi_wide_copy( dbvhi_wide *out, const dbvhi_wide *a ) {
	if ( out == a )
		return;
	out->sign = a->sign;
	out->length = a->length;
	memcpy( out->limb, a->limb, a->length * sizeof out->limb[0] );
}

static int compare_magnitude( const dbvhi_wide *a, const dbvhi_wide *b ) {
	if ( a->length != b->length )
		return a->length < b->length ? -1 : 1;
	for ( uint32_t i = a->length; i-- > 0; ) {
		if ( a->limb[i] != b->limb[i] )
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

int dbvhi_wide_compare( const dbvhi_wide *a, const dbvhi_wide *b ) {
	if ( a->sign != b->sign )
		return a->sign < b->sign ? -1 : 1;
	return a->sign * compare_magnitude( a, b );
}

// |out| = |a| + |b|
static void add_magnitude( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b ) {
	const dbvhi_wide *longer = a->length >= b->length ? a : b;
	const dbvhi_wide *shorter = longer == a ? b : a;
	const uint32_t length = longer->length, common = shorter->length;
	dbvhi_limb_pair carry = 0;
	for ( uint32_t i = 0; i < length; ++i ) {
		carry += (dbvhi_limb_pair)longer->limb[i] + ( i < common ? shorter->limb[i] : 0 );
		out->limb[i] = (dbvhi_limb)carry;
		carry >>= BITS;
	}
	out->length = length;
	if ( carry != 0 )
		out->limb[out->length++] = (dbvhi_limb)carry;
}

// |out| = |a| - |b|, where |a| > |b|
static void sub_magnitude( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b ) {
	const uint32_t length = a->length, common = b->length;
	dbvhi_limb borrow = 0;
	for ( uint32_t i = 0; i < length; ++i ) {
		const dbvhi_limb_pair difference = (dbvhi_limb_pair)a->limb[i] - ( i < common ? b->limb[i] : 0 ) - borrow;
		out->limb[i] = (dbvhi_limb)difference;
		borrow = (dbvhi_limb)( difference >> BITS ) & 1;
	}
	out->length = length;
	trim( out );
}

static void add_signed( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b, int32_t b_sign ) {
	if ( b_sign == 0 ) {
		dbvhi_wide_copy( out, a );
		return;
	}
	if ( a->sign == 0 || a->sign == b_sign ) {
		add_magnitude( out, a, b );
		out->sign = b_sign;
		return;
	}
	const int order = compare_magnitude( a, b );
	const int32_t sign = order > 0 ? a->sign : b_sign;
	if ( order == 0 ) {
		out->sign = 0;
		out->length = 0;
		return;
	}
	if ( order > 0 )
		sub_magnitude( out, a, b );
	else
		sub_magnitude( out, b, a );
	out->sign = sign;
}

void dbvhi_wide_add( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b ) {
	add_signed( out, a, b, b->sign );
}

void dbvhi_wide_sub( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b ) {
	add_signed( out, a, b, -b->sign );
}

void dbvhi_wide_mul( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b ) {
	out->sign = a->sign * b->sign;
	out->length = 0;
	if ( out->sign == 0 )
		return;
	const uint32_t na = a->length, nb = b->length;
	for ( uint32_t i = 0; i < na; ++i ) {
		const dbvhi_limb_pair factor = a->limb[i];
		dbvhi_limb_pair carry = 0;
		for ( uint32_t j = 0; j < nb; ++j ) {
			carry += factor * b->limb[j] + ( i > 0 ? out->limb[i + j] : 0 );
			out->limb[i + j] = (dbvhi_limb)carry;
			carry >>= BITS;
		}
		out->limb[i + nb] = (dbvhi_limb)carry;
	}
	out->length = na + nb;
	trim( out );
}

void dbvhi_wide_shift( dbvhi_wide *out, const dbvhi_wide *a, uint32_t bits ) {
	const uint32_t whole = bits / BITS, part = bits % BITS, length = a->length;
	out->sign = a->sign;
	if ( length == 0 ) {
		out->length = 0;
		return;
	}
	// From the top, so that out may be a.
	dbvhi_limb above = 0;
	for ( uint32_t i = length; i-- > 0; ) {
		const dbvhi_limb_pair moved = (dbvhi_limb_pair)a->limb[i] << part;
		const dbvhi_limb high = (dbvhi_limb)( moved >> BITS );
		if ( i + 1 == length )
			above = high;
		else
			out->limb[i + 1 + whole] |= high;
		out->limb[i + whole] = (dbvhi_limb)moved;
	}
	out->length = length + whole;
	if ( above != 0 )
		out->limb[out->length++] = above;
	memset( out->limb, 0, whole * sizeof out->limb[0] );
}

double dbvhi_wide_split( const dbvhi_wide *a, int *exponent_out ) {
	*exponent_out = 0;
	if ( a->length == 0 )
		return 0.0;
	double sum = 0.0;
	const uint32_t limbs = a->length < 128 / BITS + 1 ? a->length : 128 / BITS + 1;
	for ( uint32_t i = 0; i < limbs; ++i )
		sum += ldexp( (double)a->limb[a->length - 1 - i], -(int)( BITS * i ) );
	int e;
	const double fraction = frexp( sum, &e );
	*exponent_out = e + (int)( BITS * ( a->length - 1 ) );
	return fraction;
}
