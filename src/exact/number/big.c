// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/number/big.h"

#include "base/assert.h"
#include "base/budget.h"

#include <string.h>

int dbvhi_lowest_bit( double x ) {
	int e;
	dbvhi_decompose( x, &e );
	return e;
}

static inline int is_normal( const dbvhi_any *a ) {
	return ( a->sign == 0 ) == ( a->length == 0 ) && a->sign >= -1 && a->sign <= 1 &&
	       ( a->length == 0 || a->limb[a->length - 1] != 0 );
}

// Assert that a result fits into `room` limbs. Types are chosen so that it does (see dbvhi_big_1), so release builds do
// not check.
#define ROOM_FOR( limbs )                                                                                              \
	DBVHI_ASSERT( ( limbs ) <= room );                                                                                 \
	(void)room

void dbvhi_any_from_double( dbvhi_any *out, size_t room, double x, int unit ) {
	DBVHI_ASSERT( x - x == 0.0 );
	int e;
	const uint64_t m = dbvhi_decompose( x, &e );
	ROOM_FOR( m == 0 ? 0 : (size_t)( e - unit ) / DBVHI_LIMB_BITS + 1 );
	out->length = m == 0 ? 0 : dbvhi_limbs_set( out->limb, m, (uint32_t)( e - unit ) );
	out->sign = ( x > 0.0 ) - ( x < 0.0 );
}

void dbvhi_any_from_integer( dbvhi_any *out, size_t room, int64_t x ) {
	ROOM_FOR( 64 / DBVHI_LIMB_BITS );
	out->length = dbvhi_limbs_set( out->limb, x < 0 ? 0 - (uint64_t)x : (uint64_t)x, 0 );
	out->sign = ( x > 0 ) - ( x < 0 );
}

void dbvhi_any_copy( dbvhi_any *out, size_t room, const dbvhi_any *a ) {
	DBVHI_ASSERT( is_normal( a ) );
	ROOM_FOR( a->length );
	if ( out == a )
		return;
	out->sign = a->sign;
	out->length = a->length;
	memcpy( out->limb, a->limb, a->length * sizeof a->limb[0] );
}

int dbvhi_any_compare_size( const dbvhi_any *a, const dbvhi_any *b ) {
	DBVHI_ASSERT( is_normal( a ) && is_normal( b ) );
	return dbvhi_limbs_compare( a->limb, a->length, b->limb, b->length );
}

int dbvhi_any_compare( const dbvhi_any *a, const dbvhi_any *b ) {
	DBVHI_ASSERT( is_normal( a ) && is_normal( b ) );
	if ( a->sign != b->sign )
		return a->sign < b->sign ? -1 : 1;
	return a->sign * dbvhi_any_compare_size( a, b );
}

// Add a and b, b with the sign `b_sign` in place of its own.
static void add_signed( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b, int32_t b_sign ) {
	DBVHI_ASSERT( is_normal( a ) && is_normal( b ) );
	DBVHI_ASSERT( b_sign == 0 || b_sign == b->sign || b_sign == -b->sign );
	if ( b_sign == 0 ) {
		dbvhi_any_copy( out, room, a );
	} else if ( a->sign == 0 ) {
		dbvhi_any_copy( out, room, b );
		out->sign = b_sign;
	} else if ( a->sign == b_sign ) {
		ROOM_FOR( ( a->length > b->length ? a->length : b->length ) + (size_t)1 );
		out->length = dbvhi_limbs_add( out->limb, a->limb, a->length, b->limb, b->length );
		out->sign = b_sign;
	} else {
		const int order = dbvhi_any_compare_size( a, b );
		const dbvhi_any *more = order > 0 ? a : b, *less = order > 0 ? b : a;
		const int32_t sign = order > 0 ? a->sign : order < 0 ? b_sign : 0;
		ROOM_FOR( more->length );
		out->length = sign == 0 ? 0 : dbvhi_limbs_sub( out->limb, more->limb, more->length, less->limb, less->length );
		out->sign = sign;
	}
}

void dbvhi_any_add( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b ) {
	add_signed( out, room, a, b, b->sign );
}

void dbvhi_any_sub( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b ) {
	add_signed( out, room, a, b, -b->sign );
}

void dbvhi_any_mul( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b ) {
	DBVHI_ASSERT( is_normal( a ) && is_normal( b ) );
	DBVHI_ASSERT( out != a && out != b );
	ROOM_FOR( (size_t)a->length + b->length );
	dbvhi_count_products( (uint64_t)a->length * b->length );
	out->length = dbvhi_limbs_mul( out->limb, a->limb, a->length, b->limb, b->length );
	out->sign = a->sign * b->sign;
}

void dbvhi_any_shift( dbvhi_any *out, size_t room, const dbvhi_any *a, uint32_t bits ) {
	DBVHI_ASSERT( is_normal( a ) );
	ROOM_FOR( (size_t)a->length + bits / DBVHI_LIMB_BITS + 1 );
	out->length = dbvhi_limbs_shift_left( out->limb, a->limb, a->length, bits );
	out->sign = a->sign;
}

double dbvhi_any_lead( const dbvhi_any *a, int *exponent_out ) {
	DBVHI_ASSERT( is_normal( a ) );
	DBVHI_ASSERT( exponent_out != NULL );
	return a->sign * dbvhi_limbs_lead( a->limb, a->length, exponent_out );
}
