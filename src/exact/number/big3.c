// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/number/big3.h"

#include "base/assert.h"

static const dbvhi_any *at( dbvhi_any3 a, int k ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	return (const dbvhi_any *)( (const char *)a.first + (size_t)k * a.bytes );
}

static dbvhi_any *out_at( dbvhi_any *first, size_t bytes, int k ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	return (dbvhi_any *)( (char *)first + (size_t)k * bytes );
}

static size_t room_of( size_t bytes ) {
	DBVHI_ASSERT( bytes > sizeof( dbvhi_any ) );
	return ( bytes - sizeof( dbvhi_any ) ) / sizeof( dbvhi_limb );
}

void dbvhi_any3_sub( dbvhi_any *out, size_t out_bytes, dbvhi_any3 a, dbvhi_any3 b ) {
	for ( int k = 0; k < 3; ++k )
		dbvhi_any_sub( out_at( out, out_bytes, k ), room_of( out_bytes ), at( a, k ), at( b, k ) );
}

// out + a b, or - a b. The product has no more limbs than there is room for in the sum: most are short, and only long
// ones are to pay for a long term with stack.
#define ADD_PRODUCT( name, type )                                                                                      \
	static __attribute__( ( noinline ) ) void name( dbvhi_any *out, size_t room, const dbvhi_any *a,                   \
	                                                const dbvhi_any *b, int sign ) {                                   \
		type term;                                                                                                     \
		dbvhi_big_mul( &term, a, b );                                                                                  \
		term.sign *= sign;                                                                                             \
		dbvhi_any_add( out, room, out, DBVHI_IN( &term ) );                                                            \
	}
ADD_PRODUCT( add_short_product, dbvhi_big_4 )
ADD_PRODUCT( add_long_product, dbvhi_big )

static void add_product( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b, int sign ) {
	DBVHI_ASSERT( sign == 1 || sign == -1 );
	if ( room <= DBVHI_DEGREE_LIMBS( 4 ) )
		add_short_product( out, room, a, b, sign );
	else
		add_long_product( out, room, a, b, sign );
}

void dbvhi_any3_dot( dbvhi_any *out, size_t room, dbvhi_any3 a, dbvhi_any3 b ) {
	dbvhi_any_mul( out, room, at( a, 0 ), at( b, 0 ) );
	for ( int k = 1; k < 3; ++k )
		add_product( out, room, at( a, k ), at( b, k ), 1 );
}

void dbvhi_any_det2( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b, const dbvhi_any *c,
                     const dbvhi_any *d ) {
	dbvhi_any_mul( out, room, a, b );
	add_product( out, room, c, d, -1 );
}

void dbvhi_any3_cross( dbvhi_any *out, size_t out_bytes, dbvhi_any3 a, dbvhi_any3 b ) {
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		dbvhi_any_det2( out_at( out, out_bytes, k ), room_of( out_bytes ), at( a, k1 ), at( b, k2 ), at( a, k2 ),
		                at( b, k1 ) );
	}
}
