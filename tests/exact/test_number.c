// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The integers of src/exact, their quotients and dyadic numbers, against GMP. Built twice: with the limbs of this
// machine and with those of one that has no 128-bit integers.

#include "exact/number/big3.h"
#include "exact/number/dyadic.h"
#include "exact/number/ratio.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void to_mpz( mpz_t out, const dbvhi_big *a ) {
	mpz_import( out, a->length, -1, sizeof a->limb[0], 0, 0, a->limb );
	if ( a->sign < 0 )
		mpz_neg( out, out );
}

static bool equals( const dbvhi_big *a, const mpz_t truth ) {
	if ( a->sign != mpz_sgn( truth ) || ( a->length > 0 && a->limb[a->length - 1] == 0 ) )
		return false;
	mpz_t x;
	mpz_init( x );
	to_mpz( x, a );
	const bool same = mpz_cmp( x, truth ) == 0;
	mpz_clear( x );
	return same;
}

// Long runs of zeros and of ones, where carries and borrows run far; zero at times.
static void random_big( rng *r, dbvhi_big *out, uint32_t most_bits ) {
	const uint32_t bits = (uint32_t)rng_below( r, most_bits );
	mpz_t x, part;
	mpz_inits( x, part, NULL );
	for ( uint32_t have = 0; have < bits; ) {
		const uint32_t run = 1 + (uint32_t)rng_below( r, 70 );
		const uint64_t kind = rng_below( r, 3 ), some = rng_u64( r );
		mpz_mul_2exp( x, x, run );
		mpz_set_ui( part, 1 );
		mpz_mul_2exp( part, part, run );
		mpz_sub_ui( part, part, 1 );
		if ( kind == 0 )
			mpz_set_ui( part, 0 );
		else if ( kind == 2 && run < 64 )
			mpz_set_ui( part, some >> ( 64 - run ) );
		mpz_add( x, x, part );
		have += run;
	}
	size_t count = 0;
	mpz_export( out->limb, &count, -1, sizeof out->limb[0], 0, 0, x );
	out->length = (uint32_t)count;
	out->sign = mpz_sgn( x ) * ( rng_below( r, 2 ) == 0 ? 1 : -1 );
	mpz_clears( x, part, NULL );
}

static void arithmetic( void **state ) {
	(void)state;
	rng r = rng_announce( "integers: arithmetic", 41 );
	static dbvhi_big a, b, c, d, out;
	mpz_t x, y, z, truth;
	mpz_inits( x, y, z, truth, NULL );
	size_t orders[3] = { 0 };
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		const uint32_t most = i % 50 == 0 ? 9000 : i % 2 == 0 ? 300 : 1200;
		random_big( &r, &a, most );
		random_big( &r, &b, most );
		if ( i % 7 == 0 ) { // near, so that differences lose their tops
			dbvhi_big_from_integer( &c, (int64_t)rng_below( &r, 3 ) - 1 );
			dbvhi_big_add( &b, &a, &c );
		}
		to_mpz( x, &a );
		to_mpz( y, &b );
		assert_true( equals( &a, x ) && equals( &b, y ) );
		const int order = dbvhi_big_compare( &a, &b ), expected = mpz_cmp( x, y );
		assert_true( ( order > 0 ) == ( expected > 0 ) && ( order < 0 ) == ( expected < 0 ) );
		orders[order + 1] += 1;

		dbvhi_big_mul( &out, &a, &b );
		mpz_mul( truth, x, y );
		assert_true( equals( &out, truth ) );
		dbvhi_big_det2( &out, &a, &b, &b, &b );
		mpz_submul( truth, y, y );
		assert_true( equals( &out, truth ) );
		mpz_add( truth, x, y );
		dbvhi_big_add( &out, &a, &b );
		assert_true( equals( &out, truth ) );
		dbvhi_big_copy( &out, &a );
		dbvhi_big_add( &out, &out, &b ); // in place, on either side
		assert_true( equals( &out, truth ) );
		dbvhi_big_copy( &out, &b );
		dbvhi_big_add( &out, &a, &out );
		assert_true( equals( &out, truth ) );
		mpz_sub( truth, x, y );
		dbvhi_big_copy( &out, &b );
		dbvhi_big_sub( &out, &a, &out );
		assert_true( equals( &out, truth ) );
		dbvhi_big_copy( &out, &a );
		dbvhi_big_sub( &out, &out, &b );
		assert_true( equals( &out, truth ) );

		const uint32_t shift = (uint32_t)rng_below( &r, 200 );
		mpz_mul_2exp( truth, x, shift );
		dbvhi_big_shift( &out, &a, shift );
		assert_true( equals( &out, truth ) );
		dbvhi_big_copy( &out, &a );
		dbvhi_big_shift( &out, &out, shift );
		assert_true( equals( &out, truth ) );
		mpz_tdiv_q_2exp( truth, x, shift );
		out.length = dbvhi_limbs_shift_right( out.limb, a.limb, a.length, shift );
		out.sign = out.length == 0 ? 0 : a.sign;
		assert_true( equals( &out, truth ) );
		if ( a.sign != 0 ) {
			assert_int_equal( dbvhi_limbs_bits( a.limb, a.length ), mpz_sizeinbase( x, 2 ) );
			assert_int_equal( dbvhi_limbs_trailing_zeros( a.limb ), mpz_scan1( x, 0 ) );
		}

		// Within 2^-51: the top 53 bits are the same but for two units.
		int e;
		const double lead = dbvhi_big_lead( &a, &e );
		if ( a.sign == 0 ) {
			assert_true( lead == 0.0 && e == 0 );
		} else {
			long own;
			const double cut = mpz_get_d_2exp( &own, x ), scaled = ldexp( lead, e - (int)own );
			assert_true( fabs( lead ) >= 0.5 && fabs( lead ) <= 1.0 );
			assert_true( fabs( scaled - cut ) <= 0x1p-51 * fabs( cut ) + 0x1p-53 );
		}

		random_big( &r, &c, 400 );
		random_big( &r, &d, 400 );
		to_mpz( z, &c );
		mpz_mul( truth, x, y );
		mpz_submul( truth, z, z );
		dbvhi_big_det2( &out, &a, &b, &c, &c );
		assert_true( equals( &out, truth ) );
	}
	mpz_clears( x, y, z, truth, NULL );
	assert_outcomes( rounds( 20 ) < 20 || ( orders[0] > 0 && orders[1] > 0 && orders[2] > 0 ) );
}

// Any exponent, few bits at times, zeros and the ends of the range.
static double random_double( rng *r ) {
	switch ( rng_below( r, 8 ) ) {
	case 0:
		return 0.0;
	case 1:
		return ( rng_below( r, 2 ) == 0 ? 1.0 : -1.0 ) *
		       ( rng_below( r, 2 ) == 0 ? 0x1p-1074 : 0x1.fffffffffffffp1023 );
	default: {
		const double m = (double)( rng_u64( r ) >> ( 11 + rng_below( r, 53 ) ) );
		const double x = ldexp( m, (int)rng_below( r, 2046 ) - 1074 );
		return !isfinite( x ) ? 1.5 : rng_below( r, 2 ) == 0 ? x : -x;
	}
	}
}

// mpz_set_si() takes a long, which has 32 bits on some machines.
static void set_integer( mpz_t out, int64_t value ) {
	const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	mpz_import( out, 1, 1, sizeof size, 0, 0, &size );
	if ( value < 0 )
		mpz_neg( out, out );
}

static void conversions( void **state ) {
	(void)state;
	rng r = rng_announce( "integers: conversions", 42 );
	static dbvhi_big a;
	mpz_t truth;
	mpz_init( truth );
	assert_int_equal( dbvhi_lowest_bit( 0.0 ), INT_MAX );
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		const double x = random_double( &r );
		const int lowest = dbvhi_lowest_bit( x ), unit = ( x == 0.0 ? 0 : lowest ) - (int)rng_below( &r, 150 );
		dbvhi_big_from_double( &a, x, unit );
		int e;
		const double fraction = frexp( x, &e );
		mpz_set_d( truth, ldexp( fraction, 53 ) );
		if ( e - 53 - unit >= 0 )
			mpz_mul_2exp( truth, truth, (mp_bitcnt_t)( e - 53 - unit ) );
		else // the bits cut off are 0, like the unit
			mpz_tdiv_q_2exp( truth, truth, (mp_bitcnt_t)( unit - e + 53 ) );
		assert_true( equals( &a, truth ) );
		if ( x != 0.0 ) {
			dbvhi_big_from_double( &a, x, lowest );
			assert_true( ( a.limb[0] & 1 ) != 0 );
		}
		const int64_t whole = (int64_t)( rng_u64( &r ) >> rng_below( &r, 64 ) );
		dbvhi_big_from_integer( &a, i == 0 ? INT64_MIN : whole );
		set_integer( truth, i == 0 ? INT64_MIN : whole );
		assert_true( equals( &a, truth ) );
	}
	mpz_clear( truth );
}

// ------------------------------------------------------------------------------------------------
// Dyadic numbers

static void dyadic_to_mpq( mpq_t out, const dbvhi_dyadic *a ) {
	mpq_set_ui( out, 0, 1 );
	mpz_import( mpq_numref( out ), a->length, -1, sizeof a->limb[0], 0, 0, a->limb );
	const long shift = (long)a->exponent * DBVHI_LIMB_BITS;
	if ( a->sign < 0 )
		mpq_neg( out, out );
	if ( shift >= 0 )
		mpq_mul_2exp( out, out, (mp_bitcnt_t)shift );
	else
		mpq_div_2exp( out, out, (mp_bitcnt_t)-shift );
}

static bool dyadic_equals( const dbvhi_dyadic *a, const mpq_t truth ) {
	mpq_t x;
	mpq_init( x );
	dyadic_to_mpq( x, a );
	const bool same = a->sign == mpq_sgn( truth ) && mpq_equal( x, truth );
	mpq_clear( x );
	return same;
}

// Expressions in the doubles, of a few kinds: sums of products, in place too.
static void dyadics( void **state ) {
	(void)state;
	rng r = rng_announce( "integers: dyadics", 43 );
	dbvhi_dyadic a, b, c;
	mpq_t x, y, z;
	mpq_inits( x, y, z, NULL );
	size_t cancelled = 0;
	for ( size_t i = 0; i < rounds( 10000 ); ++i ) {
		const double p = random_double( &r ), q = i % 9 == 0 ? p : i % 9 == 1 ? -p : random_double( &r );
		DBVHI_DYADIC_ROOM;
		dbvhi_dyadic_set( &a, p );
		dbvhi_dyadic_set( &b, q );
		mpq_set_d( x, p );
		mpq_set_d( y, q );
		assert_true( dyadic_equals( &a, x ) && dyadic_equals( &b, y ) );
		for ( int step = 0; step < 4; ++step ) {
			switch ( rng_below( &r, 4 ) ) {
			case 0:
				dbvhi_dyadic_add( &c, &a, &b );
				mpq_add( z, x, y );
				break;
			case 1:
				dbvhi_dyadic_copy( &c, &b );
				dbvhi_dyadic_sub( &c, &a, &c );
				mpq_sub( z, x, y );
				break;
			case 2:
				dbvhi_dyadic_copy( &c, &a );
				dbvhi_dyadic_sub( &c, &c, &b );
				mpq_sub( z, x, y );
				break;
			default:
				dbvhi_dyadic_copy( &c, &a );
				dbvhi_dyadic_mul( &c, &c, &b );
				mpq_mul( z, x, y );
			}
			assert_true( dyadic_equals( &c, z ) );
			cancelled += c.sign == 0 && a.sign != 0;
			dbvhi_dyadic_copy( &a, &c );
			mpq_set( x, z );
		}
	}
	mpq_clears( x, y, z, NULL );
	assert_true( rounds( 20 ) < 20 || cancelled > 0 );
}

// A polynomial in x by Horner's rule, in rooms inside rooms and with a number that outlives each step.
static void horner( dbvhi_dyadic *out, const double *coefficients, int count, double x, bool in_small_room ) {
	dbvhi_dyadic factor, term;
	dbvhi_dyadic_set( &factor, x );
	dbvhi_dyadic_set( out, coefficients[0] );
	for ( int i = 1; i < count; ++i ) {
		DBVHI_DYADIC_SCOPE;
		dbvhi_dyadic_set( &term, coefficients[i] );
		if ( in_small_room && i == count / 2 ) {
			DBVHI_DYADIC_ROOM_OF( 64 );
			dbvhi_dyadic inner;
			horner( &inner, coefficients, count / 2, x, false );
		}
		dbvhi_dyadic_mul( out, out, &factor );
		dbvhi_dyadic_add( out, out, &term );
		DBVHI_DYADIC_KEEP( out );
	}
}

static bool horner_in_small_room( const dbvhi_dyadic *right, const double *coefficients, int count, double x ) {
	DBVHI_DYADIC_ROOM_OF( 512 );
	dbvhi_dyadic cramped, difference;
	horner( &cramped, coefficients, count, x, true );
	dbvhi_dyadic_sub( &difference, right, &cramped );
	return difference.sign == 0;
}

// An integer too long for its room moves to the heap, and has the same value.
static void small_rooms( void **state ) {
	(void)state;
	enum { COEFFICIENTS = 8 };
	rng r = rng_announce( "integers: small rooms", 47 );
	const size_t before = dbvhi_dyadic_spills();
	for ( size_t i = 0; i < rounds( 2000 ); ++i ) {
		double coefficient[COEFFICIENTS];
		for ( int k = 0; k < COEFFICIENTS; ++k )
			coefficient[k] = random_double( &r );
		const double x = random_double( &r );
		DBVHI_DYADIC_ROOM;
		dbvhi_dyadic roomy;
		horner( &roomy, coefficient, COEFFICIENTS, x, false );
		assert_true( horner_in_small_room( &roomy, coefficient, COEFFICIENTS, x ) );
	}
	printf( "%zu rooms were too small\n", dbvhi_dyadic_spills() - before );
	assert_true( rounds( 20 ) < 20 || dbvhi_dyadic_spills() - before > rounds( 2000 ) / 4 );
}

// ------------------------------------------------------------------------------------------------

// Quotients of integers against the processor's division, which rounds correctly, subnormal results included.
static void quotients( void **state ) {
	(void)state;
	rng r = rng_announce( "integers: quotients", 11 );
	size_t subnormal = 0, halves = 0;
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		// Few bits at times, so that ties are common among subnormals.
		const double n = (double)( 1 + ( rng_u64( &r ) >> ( 11 + rng_below( &r, 53 ) ) ) );
		const double d = (double)( 1 + ( rng_u64( &r ) >> ( 11 + rng_below( &r, 53 ) ) ) );
		const int down = (int)rng_below( &r, 3 ) == 0 ? 1000 + (int)rng_below( &r, 120 ) : (int)rng_below( &r, 900 );
		const double sign = rng_below( &r, 2 ) == 0 ? 1.0 : -1.0;
		const double expected = sign * ( ldexp( n, -200 ) / ldexp( d, down - 200 ) );
		dbvhi_big big_n, big_d;
		dbvhi_big_from_double( &big_n, sign * ldexp( n, -200 ), -200 );
		dbvhi_big_from_double( &big_d, ldexp( d, 60 ), 0 );
		assert_true( dbvhi_big_quotient( &big_n, &big_d, 60 - down ) == expected );
		subnormal += fabs( expected ) < 0x1p-1022;
	}
	for ( int i = 1; i < 1000; ++i ) {
		// Half way between two doubles: to the even one.
		const double n = 0x1p53 + 2.0 * i;
		dbvhi_big big_n, big_one, sum, two;
		dbvhi_big_from_double( &big_n, n, 0 );
		dbvhi_big_from_double( &big_one, 1.0, 0 );
		dbvhi_big_from_double( &two, 1.0, 0 );
		dbvhi_big_add( &sum, &big_n, &big_one );
		const double even = i % 2 == 0 ? n : n + 2.0;
		assert_true( dbvhi_big_quotient( &sum, &two, 0 ) == even );
		dbvhi_big zero;
		dbvhi_big_sub( &zero, &sum, &sum );
		assert_true( dbvhi_big_quotient( &zero, &two, 5 ) == 0.0 );
		halves += 1;
	}
	printf( "%zu subnormal quotients, %zu ties\n", subnormal, halves );
	assert_outcomes( rounds( 20 ) < 20 || subnormal > 100 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( arithmetic ),  cmocka_unit_test( conversions ), cmocka_unit_test( dyadics ),
	    cmocka_unit_test( small_rooms ), cmocka_unit_test( quotients ),
	};
	return test_main( argc, argv, tests );
}
