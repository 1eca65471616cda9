// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/big.h"

#include <assert.h>
#include <string.h>

int dbvhi_lowest_bit( double x ) {
	int e;
	dbvhi_decompose( x, &e );
	return e;
}

void dbvhi_big_from_double( dbvhi_big *out, double x, int unit ) {
	int e;
	const uint64_t m = dbvhi_decompose( x, &e );
	out->length = m == 0 ? 0 : dbvhi_limbs_set( out->limb, m, (uint32_t)( e - unit ) );
	out->sign = ( x > 0.0 ) - ( x < 0.0 );
}

void dbvhi_big_from_integer( dbvhi_big *out, int64_t x ) {
	out->length = dbvhi_limbs_set( out->limb, x < 0 ? 0 - (uint64_t)x : (uint64_t)x, 0 );
	out->sign = ( x > 0 ) - ( x < 0 );
}

void dbvhi_big_copy( dbvhi_big *out, const dbvhi_big *a ) {
	if ( out == a )
		return;
	out->sign = a->sign;
	out->length = a->length;
	memcpy( out->limb, a->limb, a->length * sizeof a->limb[0] );
}

static int compare_magnitude( const dbvhi_big *a, const dbvhi_big *b ) {
	return dbvhi_limbs_compare( a->limb, a->length, b->limb, b->length );
}

int dbvhi_big_compare( const dbvhi_big *a, const dbvhi_big *b ) {
	if ( a->sign != b->sign )
		return a->sign < b->sign ? -1 : 1;
	return a->sign * compare_magnitude( a, b );
}

// Where both have a sign, b that of `b_sign`.
static void add_signed( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b, int32_t b_sign ) {
	if ( b_sign == 0 ) {
		dbvhi_big_copy( out, a );
	} else if ( a->sign == 0 ) {
		dbvhi_big_copy( out, b );
		out->sign = b_sign;
	} else if ( a->sign == b_sign ) {
		out->length = dbvhi_limbs_add( out->limb, a->limb, a->length, b->limb, b->length );
		out->sign = b_sign;
	} else {
		const int order = compare_magnitude( a, b );
		const dbvhi_big *more = order > 0 ? a : b, *less = order > 0 ? b : a;
		const int32_t sign = order > 0 ? a->sign : order < 0 ? b_sign : 0;
		out->length = sign == 0 ? 0 : dbvhi_limbs_sub( out->limb, more->limb, more->length, less->limb, less->length );
		out->sign = sign;
	}
}

void dbvhi_big_add( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	add_signed( out, a, b, b->sign );
}

void dbvhi_big_sub( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	add_signed( out, a, b, -b->sign );
}

void dbvhi_big_mul( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b ) {
	assert( a->length + b->length <= DBVHI_BIG_LIMBS );
	out->length = dbvhi_limbs_mul( out->limb, a->limb, a->length, b->limb, b->length );
	out->sign = a->sign * b->sign;
}

void dbvhi_big_shift( dbvhi_big *out, const dbvhi_big *a, uint32_t bits ) {
	assert( a->length + bits / DBVHI_LIMB_BITS < DBVHI_BIG_LIMBS );
	out->length = dbvhi_limbs_shift_left( out->limb, a->limb, a->length, bits );
	out->sign = a->sign;
}

double dbvhi_big_lead( const dbvhi_big *a, int *exponent_out ) {
	return a->sign * dbvhi_limbs_lead( a->limb, a->length, exponent_out );
}
