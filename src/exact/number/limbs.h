// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Natural numbers as arrays of limbs, the lowest first: what the exact numbers (big.h, dyadic.h, ratio.h) are made of.
// A number of length 0 is zero; otherwise the top limb is not 0. Results are lengths. Room is the caller's business.

#pragma once

#include "base/assert.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#if defined( __SIZEOF_INT128__ )
typedef uint64_t dbvhi_limb;
__extension__ typedef unsigned __int128 dbvhi_limb_pair;
#define DBVHI_LIMB_BITS 64
#else
typedef uint32_t dbvhi_limb;
typedef uint64_t dbvhi_limb_pair;
#define DBVHI_LIMB_BITS 32
#endif

static inline uint32_t dbvhi_limbs_trim( const dbvhi_limb *a, uint32_t length ) {
	while ( length > 0 && a[length - 1] == 0 )
		length -= 1;
	return length;
}

// |x| = m 2^*exponent_out, m odd and below 2^53, of a finite x that is not 0; m is 0 and the exponent INT_MAX for 0.
static inline uint64_t dbvhi_decompose( double x, int *exponent_out ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	const int field = (int)( bits >> 52 & 0x7ff );
	// Without its sign, and with the bit that only subnormal numbers lack.
	const uint64_t m = ( bits & ( ( UINT64_C( 1 ) << 52 ) - 1 ) ) | ( field != 0 ? UINT64_C( 1 ) << 52 : 0 );
	if ( m == 0 ) {
		*exponent_out = INT_MAX;
		return 0;
	}
	const int zeros = __builtin_ctzll( m );
	*exponent_out = ( field != 0 ? field : 1 ) - 1075 + zeros;
	return m >> zeros;
}

// m 2^shift. Room for 64 + shift bits, and a limb.
static inline uint32_t dbvhi_limbs_set( dbvhi_limb *out, uint64_t m, uint32_t shift ) {
	if ( m == 0 )
		return 0;
	uint32_t length = shift / DBVHI_LIMB_BITS;
	const uint32_t part = shift % DBVHI_LIMB_BITS;
	memset( out, 0, length * sizeof out[0] );
	// The lowest limb takes what fits beside the shift, the others follow.
	out[length++] = (dbvhi_limb)( (dbvhi_limb)m << part );
	for ( uint32_t taken = DBVHI_LIMB_BITS - part; taken < 64; taken += DBVHI_LIMB_BITS )
		out[length++] = (dbvhi_limb)( m >> taken );
	return dbvhi_limbs_trim( out, length );
}

static inline int dbvhi_limbs_compare( const dbvhi_limb *a, uint32_t na, const dbvhi_limb *b, uint32_t nb ) {
	DBVHI_ASSERT( na == 0 || a[na - 1] != 0 );
	DBVHI_ASSERT( nb == 0 || b[nb - 1] != 0 );
	if ( na != nb )
		return na < nb ? -1 : 1;
	for ( uint32_t i = na; i-- > 0; ) {
		if ( a[i] != b[i] )
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

// a + b, room for a limb more than the longer has; a - b, where a is not less. `out` may be either.
static inline uint32_t dbvhi_limbs_add( dbvhi_limb *out, const dbvhi_limb *a, uint32_t na, const dbvhi_limb *b,
                                        uint32_t nb ) {
	if ( na < nb ) {
		const dbvhi_limb *const longer = b;
		const uint32_t length = nb;
		b = a;
		nb = na;
		a = longer;
		na = length;
	}
	dbvhi_limb carry = 0;
	uint32_t i = 0;
	for ( ; i < nb; ++i ) {
		const dbvhi_limb_pair sum = (dbvhi_limb_pair)a[i] + b[i] + carry;
		out[i] = (dbvhi_limb)sum;
		carry = (dbvhi_limb)( sum >> DBVHI_LIMB_BITS );
	}
	for ( ; i < na; ++i ) {
		out[i] = a[i] + carry;
		carry = carry != 0 && out[i] == 0;
	}
	if ( carry != 0 )
		out[na] = 1;
	return carry != 0 ? na + 1 : na;
}

static inline uint32_t dbvhi_limbs_sub( dbvhi_limb *out, const dbvhi_limb *a, uint32_t na, const dbvhi_limb *b,
                                        uint32_t nb ) {
	DBVHI_ASSERT( na >= nb );
	dbvhi_limb borrow = 0;
	uint32_t i = 0;
	for ( ; i < nb; ++i ) {
		const dbvhi_limb_pair difference = (dbvhi_limb_pair)a[i] - b[i] - borrow;
		out[i] = (dbvhi_limb)difference;
		borrow = (dbvhi_limb)( difference >> DBVHI_LIMB_BITS ) & 1;
	}
	for ( ; i < na; ++i ) {
		const dbvhi_limb before = a[i];
		out[i] = before - borrow;
		borrow = borrow != 0 && before == 0;
	}
	return dbvhi_limbs_trim( out, na );
}

// a b, room for na + nb. `out` is neither.
static inline uint32_t dbvhi_limbs_mul( dbvhi_limb *out, const dbvhi_limb *a, uint32_t na, const dbvhi_limb *b,
                                        uint32_t nb ) {
	DBVHI_ASSERT( out != a && out != b );
	if ( na == 0 || nb == 0 )
		return 0;
	// The first row sets what the others add to.
	dbvhi_limb carry = 0;
	for ( uint32_t j = 0; j < nb; ++j ) {
		const dbvhi_limb_pair product = (dbvhi_limb_pair)a[0] * b[j] + carry;
		out[j] = (dbvhi_limb)product;
		carry = (dbvhi_limb)( product >> DBVHI_LIMB_BITS );
	}
	out[nb] = carry;
	for ( uint32_t i = 1; i < na; ++i ) {
		carry = 0;
		for ( uint32_t j = 0; j < nb; ++j ) {
			const dbvhi_limb_pair product = (dbvhi_limb_pair)a[i] * b[j] + out[i + j] + carry;
			out[i + j] = (dbvhi_limb)product;
			carry = (dbvhi_limb)( product >> DBVHI_LIMB_BITS );
		}
		out[i + nb] = carry;
	}
	return dbvhi_limbs_trim( out, na + nb );
}

// a 2^shift, room for a limb more than that has; a / 2^shift, rounded down. `out` may be a.
uint32_t dbvhi_limbs_shift_left( dbvhi_limb *out, const dbvhi_limb *a, uint32_t na, uint32_t shift );
uint32_t dbvhi_limbs_shift_right( dbvhi_limb *out, const dbvhi_limb *a, uint32_t na, uint32_t shift );

// How many bits a number has, and how many zeros end it. The latter is not asked of zero.
uint32_t dbvhi_limbs_bits( const dbvhi_limb *a, uint32_t na );
uint32_t dbvhi_limbs_trailing_zeros( const dbvhi_limb *a );

// The number as fraction 2^*exponent_out, the fraction in [0.5, 1] and within 2^-51 of it; 0 and 0 for zero.
double dbvhi_limbs_lead( const dbvhi_limb *a, uint32_t na, int *exponent_out );
