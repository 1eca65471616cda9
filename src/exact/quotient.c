// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/quotient.h"

#include <math.h>
#include <string.h>

static int bit_length( const dbvhi_big *a ) {
	int bits = 32 * (int)( a->length - 1 );
	for ( uint32_t top = a->limb[a->length - 1]; top != 0; top >>= 1 )
		bits += 1;
	return bits;
}

// |out| = |a| 2^bits
static void shift_left( dbvhi_big *out, const dbvhi_big *a, int bits ) {
	const uint32_t whole = (uint32_t)bits / 32, part = (uint32_t)bits % 32;
	memset( out->limb, 0, whole * sizeof( uint32_t ) );
	uint32_t carry = 0;
	for ( uint32_t i = 0; i < a->length; ++i ) {
		const uint64_t moved = (uint64_t)a->limb[i] << part;
		out->limb[whole + i] = (uint32_t)moved | carry;
		carry = (uint32_t)( moved >> 32 );
	}
	out->length = whole + a->length;
	if ( carry != 0 )
		out->limb[out->length++] = carry;
	out->sign = 1;
}

static void double_in_place( dbvhi_big *a ) {
	uint32_t carry = 0;
	for ( uint32_t i = 0; i < a->length; ++i ) {
		const uint32_t limb = a->limb[i];
		a->limb[i] = limb << 1 | carry;
		carry = limb >> 31;
	}
	if ( carry != 0 )
		a->limb[a->length++] = carry;
}

static bool at_least( const dbvhi_big *a, const dbvhi_big *b ) {
	if ( a->length != b->length )
		return a->length > b->length;
	for ( uint32_t i = a->length; i-- > 0; ) {
		if ( a->limb[i] != b->limb[i] )
			return a->limb[i] > b->limb[i];
	}
	return true;
}

// q 2^exponent with q of 63 or 64 bits whose lowest one says whether anything not 0 follows.
static double nearest( uint64_t q, int exponent ) {
	int bits = q >> 63 != 0 ? 64 : 63;
	// The value lies in [2^(bits + exponent - 1), 2^(bits + exponent)); the lowest bit of a double is 2^-1074.
	int kept = bits + exponent + 1074;
	kept = kept < 53 ? kept : 53;
	if ( kept < 0 )
		return 0.0;
	const int dropped = bits - kept; // 10 to 64
	const uint64_t whole = dropped == 64 ? 0 : q >> dropped;
	const uint64_t rest = dropped == 64 ? q : q & ( ( UINT64_C( 1 ) << dropped ) - 1 );
	const uint64_t half = UINT64_C( 1 ) << ( dropped - 1 );
	const bool up = rest > half || ( rest == half && ( whole & 1 ) != 0 );
	return ldexp( (double)( whole + up ), exponent + dropped );
}

double dbvhi_big_quotient( const dbvhi_big *numerator, const dbvhi_big *denominator, int unit ) {
	if ( numerator->sign == 0 )
		return 0.0;
	const int shift = bit_length( numerator ) - bit_length( denominator );
	dbvhi_big rest, divisor;
	shift_left( &rest, numerator, shift < 0 ? -shift : 0 );
	shift_left( &divisor, denominator, shift > 0 ? shift : 0 );
	// Both have as many bits now, so the quotient is between 1/2 and 2 and 64 steps give 63 or 64 bits of it.
	uint64_t q = 0;
	for ( int i = 0; i < 64; ++i ) {
		q <<= 1;
		if ( at_least( &rest, &divisor ) ) {
			dbvhi_big_sub( &rest, &rest, &divisor );
			q |= 1;
		}
		if ( rest.sign == 0 ) {
			q <<= 63 - i;
			break;
		}
		double_in_place( &rest );
	}
	if ( rest.sign != 0 )
		q |= 1;
	const double magnitude = nearest( q, shift - 63 + unit );
	return ( numerator->sign == denominator->sign ? magnitude : -magnitude ) + 0.0; // no -0
}
