// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/dyadic.h"

#include <assert.h>
#include <string.h>

#define BITS DBVHI_LIMB_BITS

static void set_zero( dbvhi_dyadic *out ) {
	out->sign = 0;
	out->exponent = 0;
	out->length = 0;
}

// Takes zero limbs off both ends; short numbers make the next product short.
static void trim( dbvhi_dyadic *x ) {
	while ( x->length > 0 && x->limb[x->length - 1] == 0 )
		x->length -= 1;
	if ( x->length == 0 ) {
		set_zero( x );
		return;
	}
	uint32_t low = 0;
	while ( x->limb[low] == 0 )
		low += 1;
	if ( low > 0 ) {
		x->length -= low;
		x->exponent += (int32_t)low;
		memmove( x->limb, x->limb + low, x->length * sizeof x->limb[0] );
	}
}

void dbvhi_dyadic_set( dbvhi_dyadic *out, double x ) {
	if ( x == 0.0 ) {
		set_zero( out );
		return;
	}
	int e;
	const uint64_t m = dbvhi_decompose( x, &e );
	// e = BITS whole + part, 0 <= part < BITS
	const int whole = ( e + BITS * 64 ) / BITS - 64;
	out->sign = x < 0.0 ? -1 : 1;
	out->exponent = whole;
	out->length = dbvhi_limbs_set( out->limb, m, (uint32_t)( e - BITS * whole ) );
	trim( out );
}

void dbvhi_dyadic_copy( dbvhi_dyadic *out, const dbvhi_dyadic *a ) {
	if ( out == a )
		return;
	out->sign = a->sign;
	out->exponent = a->exponent;
	out->length = a->length;
	memcpy( out->limb, a->limb, a->length * sizeof a->limb[0] );
}

// The limb of `x` at a place that is counted from 2^0.
static inline dbvhi_limb limb_at( const dbvhi_dyadic *x, int32_t place ) {
	const int32_t i = place - x->exponent;
	return i >= 0 && i < (int32_t)x->length ? x->limb[i] : 0;
}

static inline int32_t top_of( const dbvhi_dyadic *x ) {
	return x->exponent + (int32_t)x->length;
}

static int compare_magnitude( const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	if ( top_of( a ) != top_of( b ) )
		return top_of( a ) > top_of( b ) ? 1 : -1;
	const int32_t low = a->exponent < b->exponent ? a->exponent : b->exponent;
	for ( int32_t place = top_of( a ) - 1; place >= low; --place ) {
		const dbvhi_limb x = limb_at( a, place ), y = limb_at( b, place );
		if ( x != y )
			return x > y ? 1 : -1;
	}
	return 0;
}

// Both signs as given, neither number 0.
static void add_signed( dbvhi_dyadic *restrict out, const dbvhi_dyadic *a, const dbvhi_dyadic *b, int32_t b_sign ) {
	const int32_t low = a->exponent < b->exponent ? a->exponent : b->exponent;
	const int32_t high = top_of( a ) > top_of( b ) ? top_of( a ) : top_of( b );
	out->exponent = low;
	out->length = (uint32_t)( high - low );
	assert( out->length < DBVHI_DYADIC_LIMBS );
	if ( a->sign == b_sign ) {
		dbvhi_limb_pair carry = 0;
		for ( int32_t place = low; place < high; ++place ) {
			carry += (dbvhi_limb_pair)limb_at( a, place ) + limb_at( b, place );
			out->limb[place - low] = (dbvhi_limb)carry;
			carry >>= BITS;
		}
		if ( carry != 0 )
			out->limb[out->length++] = (dbvhi_limb)carry;
		out->sign = b_sign;
	} else {
		const int order = compare_magnitude( a, b );
		if ( order == 0 ) {
			set_zero( out );
			return;
		}
		const dbvhi_dyadic *larger = order > 0 ? a : b, *smaller = order > 0 ? b : a;
		dbvhi_limb borrow = 0;
		for ( int32_t place = low; place < high; ++place ) {
			const dbvhi_limb_pair difference =
			    (dbvhi_limb_pair)limb_at( larger, place ) - limb_at( smaller, place ) - borrow;
			out->limb[place - low] = (dbvhi_limb)difference;
			borrow = (dbvhi_limb)( difference >> BITS ) & 1;
		}
		out->sign = order > 0 ? a->sign : b_sign;
	}
	trim( out );
}

static void add( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b, int32_t b_sign ) {
	if ( b_sign == 0 ) {
		dbvhi_dyadic_copy( out, a );
	} else if ( a->sign == 0 ) {
		dbvhi_dyadic_copy( out, b );
		out->sign = b_sign;
	} else if ( out == a || out == b ) {
		dbvhi_dyadic sum;
		add_signed( &sum, a, b, b_sign );
		dbvhi_dyadic_copy( out, &sum );
	} else {
		add_signed( out, a, b, b_sign );
	}
}

void dbvhi_dyadic_add( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	add( out, a, b, b->sign );
}

void dbvhi_dyadic_sub( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	add( out, a, b, -b->sign );
}

void dbvhi_dyadic_mul( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	if ( out == a || out == b ) {
		dbvhi_dyadic product;
		dbvhi_dyadic_mul( &product, a, b );
		dbvhi_dyadic_copy( out, &product );
		return;
	}
	assert( a->length + b->length <= DBVHI_DYADIC_LIMBS );
	out->length = dbvhi_limbs_mul( out->limb, a->limb, a->length, b->limb, b->length );
	out->sign = a->sign * b->sign;
	out->exponent = a->exponent + b->exponent;
	if ( out->sign == 0 )
		set_zero( out );
}
