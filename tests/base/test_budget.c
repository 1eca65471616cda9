// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meters and purses: where they stop, whom they ask, and that all threads hear of it.

#include "base/budget.h"
#include "base/parallel.h"
#include "support/rng.h"
#include "support/unit.h"

static void no_budget_never_ends( void **state ) {
	(void)state;
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, NULL );
	for ( int i = 0; i < 1000; ++i )
		assert_true( dbvhi_meter_charge( &meter, UINT64_MAX / 500 ) );
	assert_int_equal( dbvhi_purse_status( &purse ), DBVH_OK );
	const dbvh_budget none = { 0 };
	dbvhi_meter_open( &meter, &purse, &none );
	for ( int i = 0; i < 100000; ++i )
		assert_true( dbvhi_meter_charge( &meter, 1 + (uint64_t)i ) );
	assert_int_equal( dbvhi_meter_spent( &meter ), 5000050000 );
}

// One thread stops at exactly the charge that takes it above the limit, and stays stopped.
static void stops_at_the_limit( void **state ) {
	(void)state;
	rng r = rng_announce( "budget", 1 );
	for ( int round = 0; round < 2000; ++round ) {
		const uint64_t limit = 1 + rng_below( &r, round % 2 == 0 ? 100 : 30000 ), most = 1 + rng_below( &r, 5000 );
		const dbvh_budget budget = { .max_work = limit };
		dbvhi_purse purse;
		dbvhi_meter meter;
		dbvhi_meter_open( &meter, &purse, &budget );
		uint64_t sum = 0;
		for ( ;; ) {
			const uint64_t work = rng_below( &r, most + 1 );
			sum += work;
			const bool goes_on = dbvhi_meter_charge( &meter, work );
			assert_int_equal( goes_on, sum <= limit );
			assert_int_equal( dbvhi_meter_spent( &meter ), sum );
			assert_int_equal( dbvhi_purse_status( &purse ), goes_on ? DBVH_OK : DBVH_BUDGET_SPENT );
			if ( !goes_on )
				break;
		}
		assert_false( dbvhi_meter_charge( &meter, 0 ) );
		assert_false( dbvhi_meter_charge( &meter, 1 ) );
		dbvhi_meter late;
		dbvhi_meter_join( &late, &purse );
		assert_false( dbvhi_meter_charge( &late, 0 ) );
	}
}

// The lower of two limits holds: that of one call and that of all of them.
static void the_lower_limit_holds( void **state ) {
	(void)state;
	static const uint64_t limits[][3] = { { 10, 20, 10 }, { 20, 10, 10 },       { 0, 10, 10 },
	                                      { 10, 0, 10 },  { 9000, 5000, 5000 }, { 5000, 9000, 5000 } };
	for ( size_t i = 0; i < sizeof limits / sizeof *limits; ++i ) {
		const dbvh_budget budget = { .max_work = limits[i][0], .max_total = limits[i][1] };
		dbvhi_purse purse;
		dbvhi_meter meter;
		dbvhi_meter_open( &meter, &purse, &budget );
		uint64_t done = 0;
		while ( dbvhi_meter_charge( &meter, 1 ) )
			++done;
		assert_true( done == limits[i][2] );
	}
}

typedef struct patience {
	int asked, last;
} patience;

static bool out_of_patience( void *user ) {
	patience *p = user;
	return ++p->asked == p->last;
}

static void asks_now_and_then( void **state ) {
	(void)state;
	patience p = { .last = 7 };
	const dbvh_budget budget = { .is_cancelled = out_of_patience, .user = &p };
	dbvhi_purse purse;
	dbvhi_meter meter, other;
	dbvhi_meter_open( &meter, &purse, &budget );
	dbvhi_meter_join( &other, &purse );
	// The other thread's meter never asks.
	for ( int i = 0; i < 100000; ++i )
		assert_true( dbvhi_meter_charge( &other, 1 ) );
	assert_int_equal( p.asked, 0 );
	uint64_t steps = 0;
	while ( dbvhi_meter_charge( &meter, 1 ) )
		steps += 1;
	assert_int_equal( p.asked, 7 );
	assert_true( steps > 7 * 1000 && steps < 7 * 10000 );
	assert_int_equal( dbvhi_purse_status( &purse ), DBVH_CANCELLED );
	assert_false( dbvhi_meter_charge( &meter, 1 ) );
	steps = 0;
	while ( dbvhi_meter_charge( &other, 1 ) )
		steps += 1;
	assert_true( steps < 10000 );
	assert_int_equal( p.asked, 7 );
}

typedef struct crowd {
	dbvhi_purse purse;
	dbvhi_meter first;
	_Atomic uint64_t steps;
} crowd;

static void work_on( void *context, size_t index, uint32_t thread ) {
	crowd *c = context;
	dbvhi_meter own, *meter = thread == 0 ? &c->first : &own;
	if ( thread != 0 )
		dbvhi_meter_join( &own, &c->purse );
	(void)index;
	uint64_t steps = 0;
	while ( steps < 1000000 && dbvhi_meter_charge( meter, 1 ) )
		steps += 1;
	atomic_fetch_add( &c->steps, steps );
}

// Threads that spend from one purse stop together, each at most a few thousand steps late.
static void threads_share_a_purse( void **state ) {
	(void)state;
	const uint32_t threads = dbvhi_thread_count( 4 );
	const dbvh_budget budget = { .max_work = 200000 };
	crowd c = { .steps = 0 };
	dbvhi_meter_open( &c.first, &c.purse, &budget );
	dbvhi_parallel_for( 16, 1, threads, work_on, &c );
	assert_int_equal( dbvhi_purse_status( &c.purse ), DBVH_BUDGET_SPENT );
	const uint64_t steps = atomic_load( &c.steps );
	assert_true( steps + 20000 > budget.max_work && steps < budget.max_work + 10000 * threads );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( no_budget_never_ends ),  cmocka_unit_test( stops_at_the_limit ),
	    cmocka_unit_test( the_lower_limit_holds ), cmocka_unit_test( asks_now_and_then ),
	    cmocka_unit_test( threads_share_a_purse ),
	};
	return test_main( argc, argv, tests );
}
