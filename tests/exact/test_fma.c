// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// a b + c rounded once, against GMP: halfway cases and their nearest neighbours, cancellation, subnormal numbers,
// overflow.

#include "exact/number/fma.h"
#include "support/rng.h"
#include "support/rounding.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <float.h>
#include <stdio.h>

static const uint64_t seed_default = 20261124;

typedef struct operands {
	double a, b, c;
} operands;

// A finite double with any bits, or with an exponent of at most `reach`.
static double any_double( rng *r, int reach ) {
	for ( ;; ) {
		uint64_t bits = rng_u64( r );
		double x;
		if ( rng_below( r, 3 ) == 0 )
			bits &= ~UINT64_C( 0 ) << rng_below( r, 53 ); // ends in zeros
		memcpy( &x, &bits, sizeof x );
		int e;
		frexp( x, &e );
		if ( isfinite( x ) && e >= -reach && e <= reach )
			return x;
	}
}

static double sign_of( rng *r ) {
	return rng_below( r, 2 ) == 0 ? 1.0 : -1.0;
}

// A product of half a step of c, exactly or off by less than the product's own last place.
static operands near_tie( rng *r ) {
	const int exponent = (int)rng_below( r, 2098 ) - 1074;
	const double mantissa = (double)( ( rng_u64( r ) >> 11 ) | UINT64_C( 1 ) << 52 );
	operands o = { .c = rng_below( r, 40 ) == 0 ? DBL_MAX : ldexp( mantissa, exponent - 52 ) };
	int e;
	frexp( o.c, &e );
	const int half = ( e - 53 < -1074 ? -1074 : e - 53 ) - 1;
	const double off = rng_below( r, 2 ) == 0 ? 0.0 : ldexp( 1.0, -(int)rng_below( r, 52 ) - 1 );
	const int part = (int)rng_below( r, 61 ) - 30 + half / 2;
	o.a = ldexp( 1.0 + off, part );
	o.b = ldexp( 1.0 - off, half - part );
	if ( rng_below( r, 4 ) == 0 )
		o.b = ldexp( 1.0 + off, half - part );
	const double signs[2] = { sign_of( r ), sign_of( r ) };
	o.a *= signs[0];
	o.c *= signs[1];
	return o;
}

static double any_zero( rng *r ) {
	return copysign( 0.0, sign_of( r ) );
}

static operands make_operands( rng *r, uint64_t family ) {
	operands o = { any_double( r, 100 ), any_double( r, 100 ), any_double( r, 200 ) };
	if ( family == 1 )
		o = ( operands ){ any_double( r, 2000 ), any_double( r, 2000 ), any_double( r, 2000 ) };
	if ( family == 2 ) { // the sum is of the size of the product's rounding
		const int reach = rng_below( r, 2 ) == 0 ? 300 : 1100;
		do
			o = ( operands ){ .a = any_double( r, reach ), .b = any_double( r, reach ) };
		while ( isinf( o.a * o.b ) );
		o.c = -( o.a * o.b );
		for ( uint64_t steps = rng_below( r, 3 ); steps > 0 && fabs( o.c ) < DBL_MAX; --steps )
			o.c = nextafter( o.c, INFINITY );
	}
	if ( family >= 3 )
		o = near_tie( r );
	if ( rng_below( r, 50 ) == 0 ) {
		*( rng_below( r, 2 ) == 0 ? &o.c : &o.a ) = any_zero( r );
		if ( rng_below( r, 2 ) == 0 )
			o.c = any_zero( r );
	}
	return o;
}

static bool is_right( const operands *o, double x, mpq_t truth ) {
	mpq_t size;
	mpq_init( size );
	mpq_abs( size, truth );
	const bool nearest = !isnan( x ) && is_nearest_double( fabs( x ), size );
	mpq_clear( size );
	// An exact zero is -0 only as a sum of two.
	const int sign = mpq_sgn( truth );
	const bool product_negative = signbit( o->a ) != signbit( o->b );
	const bool zero_negative = ( o->a == 0.0 || o->b == 0.0 ) && o->c == 0.0 && product_negative && signbit( o->c );
	return nearest && ( signbit( x ) != 0 ) == ( sign != 0 ? sign < 0 : zero_negative );
}

static void rounded_once( void **state ) {
	(void)state;
	rng r = rng_announce( "fma: rounded once", seed_default );
	size_t halfway = 0, infinite = 0, tiny = 0, zero = 0, twice = 0;
	mpq_t truth, x;
	mpq_inits( truth, x, NULL );
	for ( size_t i = 0; i < rounds( 60000 ); ++i ) {
		const operands o = make_operands( &r, i % 6 );
		mpq_set_d( truth, o.a );
		mpq_set_d( x, o.b );
		mpq_mul( truth, truth, x );
		mpq_set_d( x, o.c );
		mpq_add( truth, truth, x );
		const double sum = dbvhi_fma_emulated( o.a, o.b, o.c ), by_instruction = dbvhi_fma( o.a, o.b, o.c );
		if ( !is_right( &o, sum, truth ) || !is_right( &o, by_instruction, truth ) )
			fail_msg( "%a * %a + %a is not %a or %a", o.a, o.b, o.c, sum, by_instruction );
		infinite += isinf( sum ) != 0;
		tiny += sum != 0.0 && fabs( sum ) < 0x1p-1022;
		zero += sum == 0.0;
		twice += isfinite( sum ) && o.a * o.b + o.c != sum;
		if ( sum != 0.0 && fabs( sum ) < DBL_MAX ) {
			set_abs_difference( x, sum, truth );
			mpq_t step;
			mpq_init( step );
			mpq_set_d( step, nextafter( fabs( sum ), INFINITY ) );
			mpq_t own;
			mpq_init( own );
			mpq_set_d( own, fabs( sum ) );
			mpq_sub( step, step, own );
			mpq_div_2exp( step, step, 1 );
			halfway += mpq_equal( x, step ) != 0;
			mpq_clears( step, own, NULL );
		}
	}
	mpq_clears( truth, x, NULL );
	printf( "fma: %zu halfway, %zu infinite, %zu subnormal, %zu zeros, %zu that two roundings miss\n", halfway,
	        infinite, tiny, zero, twice );
	assert_outcomes( halfway > 10 && infinite > 0 && tiny > 0 && zero > 0 && twice > 10 );
}

// Cases that have an exact half where one of two roundings, or a product in 64 bits, goes the other way.
static void by_hand( void **state ) {
	(void)state;
	static const struct {
		double a, b, c, sum;
	} cases[] = {
	    { 0x1p0 + 0x1p-40, 0x1p0 - 0x1p-40, 0x1.8p54, 0x1.8p54 },
	    { 0x1p1 + 0x1p-39, 0x1p0 - 0x1p-40, 0x1.0000000000001p54, 0x1.0000000000001p54 },
	    { 0x1p1, 0x1p0, 0x1.0000000000001p54, 0x1.0000000000002p54 },
	    { 0x1p-537, 0x1p-538, 0x1p-1074, 0x1p-1073 },
	    { 0x1p-537, 0x1p-538, 0x1p-1073, 0x1p-1073 },
	    { 0x1.0000000000001p-537, 0x1p-538, 0x1p-1073, 0x1.8p-1073 },
	    { 0x1p-1074, 0x1p-1074, -0x1p-1074, -0x1p-1074 },
	    { 0x1p-600, 0x1p-600, 0.0, 0.0 },
	    { 0x1p485, 0x1p485, DBL_MAX, INFINITY },
	    { 0x1p485, 0x1.fffffffffffffp484, DBL_MAX, DBL_MAX },
	    { 0x1p1023, 0x1p1, -DBL_MAX, 0x1p971 },
	    { DBL_MAX, DBL_MAX, -DBL_MAX, INFINITY },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i )
		for ( int sign = -1; sign <= 1; sign += 2 ) {
			const double sum = dbvhi_fma_emulated( sign * cases[i].a, cases[i].b, sign * cases[i].c );
			const double expected = sign * cases[i].sum;
			if ( sum != expected || ( signbit( sum ) != 0 ) != ( signbit( expected ) != 0 ) )
				fail_msg( "case %zu: %a instead of %a", i, sum, expected );
		}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( rounded_once ),
	    cmocka_unit_test( by_hand ),
	};
	return test_main( argc, argv, tests );
}
