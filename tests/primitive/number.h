// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Exact numbers m 2^e for oracles, in GMP: written as expressions. Results live in a pool until number_release() gives
// back all of them, which every case of a test does first.

#pragma once

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct num {
	mpz_ptr m;
	long e;
} num;

typedef struct vec {
	num x[3];
} vec;

enum { NUMBER_POOL = 1 << 16 };
extern mpz_t number_pool[NUMBER_POOL];
extern size_t number_used, number_made;

static inline void number_release( void ) {
	number_used = 0;
}

static inline mpz_ptr number_new( void ) {
	if ( number_used == number_made ) {
		if ( number_made == NUMBER_POOL ) {
			fputs( "a case of this test needs more numbers than the pool has\n", stderr );
			abort();
		}
		mpz_init2( number_pool[number_made++], 256 );
	}
	return number_pool[number_used++];
}

static inline num N( double x ) {
	num out = { number_new(), 0 };
	int e;
	const double f = frexp( x, &e );
	mpz_set_d( out.m, ldexp( f, 53 ) );
	out.e = x == 0.0 ? 0 : e - 53;
	// Short numbers stay short.
	if ( x != 0.0 ) {
		const unsigned long zeros = mpz_scan1( out.m, 0 );
		mpz_fdiv_q_2exp( out.m, out.m, zeros );
		out.e += (long)zeros;
	}
	return out;
}

static inline int sgn( num a ) {
	return mpz_sgn( a.m );
}

static inline num mul( num a, num b ) {
	num out = { number_new(), a.e + b.e };
	mpz_mul( out.m, a.m, b.m );
	return out;
}

static inline num add_times( num a, num b, int way ) {
	if ( sgn( b ) == 0 )
		return a;
	num out = { number_new(), a.e < b.e ? a.e : b.e };
	if ( sgn( a ) == 0 )
		out.e = b.e;
	mpz_ptr shifted = NULL;
	mpz_srcptr x = a.m, y = b.m;
	if ( sgn( a ) != 0 && a.e != b.e ) {
		shifted = number_new();
		mpz_mul_2exp( shifted, a.e > b.e ? a.m : b.m, (mp_bitcnt_t)labs( a.e - b.e ) );
		if ( a.e > b.e )
			x = shifted;
		else
			y = shifted;
	}
	if ( way > 0 )
		mpz_add( out.m, x, y );
	else
		mpz_sub( out.m, x, y );
	return out;
}

static inline num add( num a, num b ) {
	return add_times( a, b, 1 );
}

static inline num sub( num a, num b ) {
	return add_times( a, b, -1 );
}

static inline num neg( num a ) {
	num out = { number_new(), a.e };
	mpz_neg( out.m, a.m );
	return out;
}

static inline num magnitude( num a ) {
	return sgn( a ) < 0 ? neg( a ) : a;
}

static inline int cmp( num a, num b ) {
	return sgn( sub( a, b ) );
}

static inline vec V( const double x[3] ) {
	return ( vec ){ { N( x[0] ), N( x[1] ), N( x[2] ) } };
}

static inline vec vsub( vec a, vec b ) {
	return ( vec ){ { sub( a.x[0], b.x[0] ), sub( a.x[1], b.x[1] ), sub( a.x[2], b.x[2] ) } };
}

static inline vec vadd( vec a, vec b ) {
	return ( vec ){ { add( a.x[0], b.x[0] ), add( a.x[1], b.x[1] ), add( a.x[2], b.x[2] ) } };
}

static inline vec vmul( num s, vec a ) {
	return ( vec ){ { mul( s, a.x[0] ), mul( s, a.x[1] ), mul( s, a.x[2] ) } };
}

static inline num dot( vec a, vec b ) {
	return add( add( mul( a.x[0], b.x[0] ), mul( a.x[1], b.x[1] ) ), mul( a.x[2], b.x[2] ) );
}

// a b - c d
static inline num det2( num a, num b, num c, num d ) {
	return sub( mul( a, b ), mul( c, d ) );
}

static inline vec cross( vec a, vec b ) {
	return ( vec ){ { det2( a.x[1], b.x[2], a.x[2], b.x[1] ), det2( a.x[2], b.x[0], a.x[0], b.x[2] ),
	                  det2( a.x[0], b.x[1], a.x[1], b.x[0] ) } };
}

static inline num det3( vec a, vec b, vec c ) {
	return dot( a, cross( b, c ) );
}
