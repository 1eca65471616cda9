// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/big.h"

#include <limits.h>
#include <string.h>

// The integer m of at most 53 bits and the exponent e with |x| = m 2^e, m odd or 0, of a finite x.
static uint64_t decompose( double x, int *exponent ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	const int field = (int)( bits >> 52 & 0x7ff );
	// Without its sign, and with the bit that only subnormal numbers lack.
	const uint64_t m = ( bits & ( ( UINT64_C( 1 ) << 52 ) - 1 ) ) | ( field != 0 ? UINT64_C( 1 ) << 52 : 0 );
	if ( m == 0 ) {
		*exponent = INT_MAX;
		return 0;
	}
	const int zeros = __builtin_ctzll( m );
	*exponent = ( field != 0 ? field : 1 ) - 1075 + zeros;
	return m >> zeros;
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

// out += factor a 2^(32 shift), where the sum has room above.
static void add_product( uint32_t *out, uint32_t shift, uint64_t factor, const uint32_t *a, uint32_t na ) {
	uint64_t carry = 0;
	for ( uint32_t j = 0; j < na; ++j ) {
		carry += factor * a[j] + out[shift + j];
		out[shift + j] = (uint32_t)carry;
		carry >>= 32;
	}
	for ( uint32_t j = shift + na; carry != 0; ++j ) {
		carry += out[j];
		out[j] = (uint32_t)carry;
		carry >>= 32;
	}
}

#if defined( __SIZEOF_INT128__ ) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

__extension__ typedef unsigned __int128 uint128;

// Two limbs at a time, a quarter of the multiplications; the odd ones at the top on their own.
static void multiply( uint32_t *out, const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb ) {
	const uint32_t even_a = na & ~1u, even_b = nb & ~1u;
	for ( uint32_t i = 0; i < even_a; i += 2 ) {
		uint64_t factor, carry = 0, x, sum;
		memcpy( &factor, a + i, sizeof factor );
		for ( uint32_t j = 0; j < even_b; j += 2 ) {
			memcpy( &x, b + j, sizeof x );
			memcpy( &sum, out + i + j, sizeof sum );
			const uint128 product = (uint128)factor * x + sum + carry;
			sum = (uint64_t)product;
			carry = (uint64_t)( product >> 64 );
			memcpy( out + i + j, &sum, sizeof sum );
		}
		memcpy( out + i + even_b, &carry, sizeof carry );
	}
	if ( even_a != na )
		add_product( out, na - 1, a[na - 1], b, nb );
	if ( even_b != nb )
		add_product( out, nb - 1, b[nb - 1], a, even_a );
}

#else

static void multiply( uint32_t *out, const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb ) {
	for ( uint32_t i = 0; i < na; ++i )
		add_product( out, i, a[i], b, nb );
}

#endif

uint32_t dbvhi_limbs_mul( uint32_t *out, const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb ) {
	if ( na == 0 || nb == 0 )
		return 0;
	memset( out, 0, ( na + nb ) * sizeof( uint32_t ) );
	multiply( out, a, na, b, nb );
	uint32_t length = na + nb;
	while ( out[length - 1] == 0 )
		length -= 1;
	return length;
}

void dbvhi_big_mul( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	out->length = dbvhi_limbs_mul( out->limb, a->limb, a->length, b->limb, b->length );
	out->sign = a->sign * b->sign;
}
