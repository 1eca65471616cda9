// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/big.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// The 53-bit integer m and the exponent e with |x| = m 2^e, m odd or 0.
static uint64_t decompose( double x, int *exponent ) {
	int e;
	const double fraction = frexp( fabs( x ), &e );
	uint64_t m = (uint64_t)( fraction * 0x1p53 );
	e -= 53;
	if ( m == 0 ) {
		*exponent = INT_MAX;
		return 0;
	}
	while ( ( m & 1 ) == 0 ) {
		m >>= 1;
		e += 1;
	}
	*exponent = e;
	return m;
}

int dbvhi_lowest_bit( double x ) {
	int e;
	decompose( x, &e );
	return e;
}

void dbvhi_big_from_double( dbvhi_big *out, double x, int unit ) {
	int e;
	const uint64_t m = decompose( x, &e );
	if ( m == 0 ) {
		out->sign = 0;
		out->length = 0;
		return;
	}
	const uint32_t shift = (uint32_t)( e - unit );
	const uint32_t whole = shift / 32, part = shift % 32;
	memset( out->limb, 0, whole * sizeof( uint32_t ) );
	const uint64_t low = m << part;
	const uint64_t high = part == 0 ? 0 : m >> ( 64 - part );
	out->limb[whole] = (uint32_t)low;
	out->limb[whole + 1] = (uint32_t)( low >> 32 );
	out->limb[whole + 2] = (uint32_t)high;
	out->length = whole + 3;
	while ( out->limb[out->length - 1] == 0 )
		out->length -= 1;
	out->sign = x < 0.0 ? -1 : 1;
}

void dbvhi_big_copy( dbvhi_big *out, const dbvhi_big *a ) {
	if ( out == a )
		return;
	out->sign = a->sign;
	out->length = a->length;
	memcpy( out->limb, a->limb, a->length * sizeof( uint32_t ) );
}

int dbvhi_limbs_compare( const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb ) {
	if ( na != nb )
		return na < nb ? -1 : 1;
	for ( uint32_t i = na; i-- > 0; ) {
		if ( a[i] != b[i] )
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static int compare_magnitude( const dbvhi_big *a, const dbvhi_big *b ) {
	return dbvhi_limbs_compare( a->limb, a->length, b->limb, b->length );
}

// |out| = |a| + |b|
static void add_magnitude( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	const dbvhi_big *longer = a->length >= b->length ? a : b;
	const dbvhi_big *shorter = longer == a ? b : a;
	const uint32_t length = longer->length, common = shorter->length;
	uint64_t carry = 0;
	for ( uint32_t i = 0; i < length; ++i ) {
		carry += (uint64_t)longer->limb[i] + ( i < common ? shorter->limb[i] : 0 );
		out->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	out->length = length;
	if ( carry != 0 )
		out->limb[out->length++] = (uint32_t)carry;
}

// |out| = |a| - |b|, where |a| > |b|
static void sub_magnitude( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	const uint32_t length = a->length, common = b->length;
	uint64_t borrow = 0;
	for ( uint32_t i = 0; i < length; ++i ) {
		const uint64_t difference = (uint64_t)a->limb[i] - ( i < common ? b->limb[i] : 0 ) - borrow;
		out->limb[i] = (uint32_t)difference;
		borrow = difference >> 63;
	}
	out->length = length;
	while ( out->limb[out->length - 1] == 0 )
		out->length -= 1;
}

static void add_signed( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b, int32_t b_sign ) {
	if ( b_sign == 0 ) {
		dbvhi_big_copy( out, a );
		return;
	}
	if ( a->sign == 0 ) {
		dbvhi_big_copy( out, b );
		out->sign = b_sign;
		return;
	}
	if ( a->sign == b_sign ) {
		add_magnitude( out, a, b );
		out->sign = b_sign;
		return;
	}
	const int order = compare_magnitude( a, b );
	if ( order == 0 ) {
		out->sign = 0;
		out->length = 0;
		return;
	}
	const int32_t sign = order > 0 ? a->sign : b_sign;
	if ( order > 0 )
		sub_magnitude( out, a, b );
	else
		sub_magnitude( out, b, a );
	out->sign = sign;
}

void dbvhi_big_add( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	add_signed( out, a, b, b->sign );
}

void dbvhi_big_sub( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	add_signed( out, a, b, -b->sign );
}

uint32_t dbvhi_limbs_mul( uint32_t *out, const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb ) {
	if ( na == 0 || nb == 0 )
		return 0;
	memset( out, 0, ( na + nb ) * sizeof( uint32_t ) );
	for ( uint32_t i = 0; i < na; ++i ) {
		const uint64_t factor = a[i];
		uint64_t carry = 0;
		for ( uint32_t j = 0; j < nb; ++j ) {
			carry += factor * b[j] + out[i + j];
			out[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
		out[i + nb] = (uint32_t)carry;
	}
	uint32_t length = na + nb;
	while ( out[length - 1] == 0 )
		length -= 1;
	return length;
}

void dbvhi_big_mul( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	out->length = dbvhi_limbs_mul( out->limb, a->limb, a->length, b->limb, b->length );
	out->sign = a->sign * b->sign;
}
