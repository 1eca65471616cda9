// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh/ompl.hpp against OMPL itself. ompl.cpp has the questions.

#include "ompl.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

static void nothing_wrong( const char *complaint ) {
	if ( complaint != NULL )
		fail_msg( "%s", complaint );
}

static uint64_t seed_of( const char *what, uint64_t number ) {
	rng r = rng_announce( what, number );
	return rng_below( &r, UINT32_MAX );
}

static void states( void **state ) {
	(void)state;
	nothing_wrong( ompl_states( seed_of( "ompl: states", 181 ), (int)rounds( 400 ) ) );
}

static void motions( void **state ) {
	(void)state;
	nothing_wrong( ompl_motions( seed_of( "ompl: motions", 182 ), (int)rounds( 200 ) ) );
}

static void thin_plate( void **state ) {
	(void)state;
	nothing_wrong( ompl_thin_plate() );
}

static void free_body( void **state ) {
	(void)state;
	nothing_wrong( ompl_free_body( seed_of( "ompl: free body", 183 ), (int)rounds( 100 ) ) );
}

static void plan( void **state ) {
	(void)state;
	nothing_wrong( ompl_plan( seed_of( "ompl: plan", 184 ) ) );
}

static void threads( void **state ) {
	(void)state;
	nothing_wrong( ompl_threads( seed_of( "ompl: threads", 185 ) ) );
}

static void refusals( void **state ) {
	(void)state;
	nothing_wrong( ompl_refusals() );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( states ),    cmocka_unit_test( motions ), cmocka_unit_test( thin_plate ),
	    cmocka_unit_test( free_body ), cmocka_unit_test( plan ),    cmocka_unit_test( threads ),
	    cmocka_unit_test( refusals ),
	};
	return test_main( argc, argv, tests );
}
