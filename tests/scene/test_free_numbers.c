// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The lowest free number against a look at all of them: numbers of several levels, in every order.

#include "scene/free_numbers.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 300000 };

static bool is_free[MOST];

static uint32_t lowest( uint32_t from ) {
	while ( !is_free[from] )
		++from;
	return from;
}

static void same_as_looking_at_all( void **state ) {
	(void)state;
	rng r = rng_announce( "free_numbers", 76 );
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	dbvhi_free_numbers f = { .count = 0 };
	size_t end = 0, taken = 0;
	for ( size_t step = 0; step < rounds( 2000 ); ++step ) {
		if ( end == 0 || ( rng_below( &r, 4 ) == 0 && end < MOST ) ) { // more numbers
			end += 1 + rng_below( &r, rng_below( &r, 4 ) == 0 ? 20000 : 70 );
			end = end < MOST ? end : MOST;
			assert_true( dbvhi_free_numbers_require( &f, &allocator, end ) );
		}
		for ( uint64_t i = rng_below( &r, 30 ); i > 0; --i ) {
			const uint32_t number = (uint32_t)rng_below( &r, end );
			if ( is_free[number] )
				dbvhi_free_numbers_remove( &f, number );
			else
				dbvhi_free_numbers_add( &f, number );
			is_free[number] = !is_free[number];
		}
		if ( step % 50 == 49 ) {
			dbvhi_free_numbers copy = { .count = 0 };
			assert_true( dbvhi_free_numbers_copy( &copy, &f, &allocator, end ) );
			dbvhi_free_numbers_free( &f, &allocator );
			f = copy;
		}
		for ( uint64_t i = rng_below( &r, 40 ); i > 0 && f.count > 0; --i ) {
			const uint32_t number = dbvhi_free_numbers_lowest( &f );
			assert_int_equal( number, lowest( 0 ) );
			dbvhi_free_numbers_remove( &f, number );
			is_free[number] = false;
			taken += 1;
		}
	}
	dbvhi_free_numbers_free( &f, &allocator );
	assert_outcomes( taken > 0 && end > 64 * 64 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( same_as_looking_at_all ) };
	return test_main( argc, argv, tests );
}
