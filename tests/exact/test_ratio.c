// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rounding of quotients: halfway cases, and everything from below the smallest double to beyond the largest.

#include "exact/number/ratio.h"
#include "support/rng.h"
#include "support/rounding.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <stdio.h>

static const uint64_t seed_default = 20261123;

static void rounding( void **state ) {
	(void)state;
	rng r = rng_announce( "ratio: rounding", seed_default + 3 );
	size_t halfway = 0, infinite = 0, tiny = 0, orders[3] = { 0 };
	static dbvhi_ratio ratio, other;
	mpq_t truth, previous, x;
	mpq_inits( truth, previous, x, NULL );
	const size_t count = rounds( 4000 );
	for ( size_t i = 0; i < count; ++i ) {
		const int64_t num = (int64_t)( rng_u64( &r ) >> ( 1 + rng_below( &r, 12 ) ) ) + 1;
		const int64_t den = i % 2 == 0 ? 1 : (int64_t)( rng_u64( &r ) >> ( 1 + rng_below( &r, 62 ) ) ) + 1;
		const int unit = (int)rng_below( &r, 2300 ) - 1180;
		dbvhi_big_from_integer( &ratio.num, num );
		dbvhi_big_from_integer( &ratio.den, den );
		ratio.unit = unit;
		// long has 32 bits on Windows.
		mpz_import( mpq_numref( truth ), 1, -1, sizeof num, 0, 0, &num );
		mpz_import( mpq_denref( truth ), 1, -1, sizeof den, 0, 0, &den );
		mpq_canonicalize( truth );
		if ( unit >= 0 )
			mpq_mul_2exp( truth, truth, (mp_bitcnt_t)unit );
		else
			mpq_div_2exp( truth, truth, (mp_bitcnt_t)-unit );
		const double rounded = dbvhi_ratio_round( &ratio ), root = dbvhi_ratio_root_up( &ratio );
		assert_true( is_nearest_double( rounded, truth ) );
		assert_true( is_root_up( root, truth ) );
		infinite += isinf( rounded );
		tiny += rounded < 0x1p-1022;
		if ( isfinite( rounded ) ) {
			// Halfway between two doubles: as far from this one as from a neighbour.
			mpq_t own;
			mpq_init( own );
			set_abs_difference( own, rounded, truth );
			for ( int side = 0; side < 2; ++side ) {
				const double neighbour = nextafter( rounded, side == 0 ? 0.0 : INFINITY );
				if ( isfinite( neighbour ) && mpq_sgn( own ) != 0 ) {
					set_abs_difference( x, neighbour, truth );
					halfway += mpq_equal( x, own ) != 0;
				}
			}
			mpq_clear( own );
		}
		if ( i > 0 ) {
			const int order = dbvhi_ratio_compare( &ratio, &other ), expected = mpq_cmp( truth, previous );
			assert_true( ( order > 0 ) == ( expected > 0 ) && ( order < 0 ) == ( expected < 0 ) );
			orders[order + 1] += 1;
		}
		if ( i % 3 == 0 ) {
			dbvhi_ratio_copy( &other, &ratio );
			mpq_set( previous, truth );
		}
	}
	mpq_clears( truth, previous, x, NULL );
	printf( "ratio: rounding: %zu halfway, %zu infinite, %zu below the normal doubles\n", halfway, infinite, tiny );
	assert_outcomes( halfway > 10 && infinite > 10 && tiny > 10 && orders[0] > 10 && orders[2] > 10 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( rounding ),
	};
	return test_main( argc, argv, tests );
}
