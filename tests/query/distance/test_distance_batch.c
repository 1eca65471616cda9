// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of distances and clearances: what single calls say, bit by bit, on any number of threads.

#include "dualbvh/distance.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 20261122;

enum { COUNT = 40, REFUSED = 17 };

typedef struct scene {
	dbvh_tree *a, *b;
	dbvh_pose pose_a, poses[COUNT];
} scene;

static scene make( rng *r ) {
	scene s = { .pose_a = random_pose( r, 1.0 ) };
	shape x = { 0 }, y = { 0 };
	shape_add_torus( &x, 1.0, 0.3, 20, 12 );
	add_soup( &y, r, 200, 0.1, 0.2, false );
	s.a = tree_of( &x, &keeps_reference );
	s.b = tree_of( &y, &keeps_reference );
	for ( int i = 0; i < COUNT; ++i )
		s.poses[i] = random_pose( r, 3.0 );
	shape_free( &x );
	shape_free( &y );
	return s;
}

static void done( scene *s ) {
	dbvh_tree_destroy( s->a );
	dbvh_tree_destroy( s->b );
}

static bool same_distance( dbvh_distance_result x, dbvh_distance_result y ) {
	x.status = y.status = DBVH_OK;
	return x.found == y.found && memcmp( &x.distance, &y.distance, sizeof x.distance ) == 0 && x.pair.a == y.pair.a &&
	       x.pair.b == y.pair.b && memcmp( x.point_a, y.point_a, sizeof x.point_a ) == 0 &&
	       memcmp( x.between, y.between, sizeof x.between ) == 0;
}

static void distances( void **state ) {
	(void)state;
	rng r = rng_announce( "distance batch: distances", seed_default );
	scene s = make( &r );
	s.poses[REFUSED].rot[0][0] += 0.25;
	size_t apart = 0;
	for ( uint32_t threads = 0; threads < 4; ++threads ) {
		const dbvh_batch_options options = { .thread_count = threads, .grain = threads };
		dbvh_distance_result results[COUNT], one;
		dbvh_error error;
		assert_int_equal( dbvh_distance_batch( s.a, &s.pose_a, s.b, s.poses, COUNT, NULL, &options, results, &error ),
		                  DBVH_NOT_RIGID );
		assert_int_equal( error.element, REFUSED );
		for ( int i = 0; i < COUNT; ++i ) {
			const dbvh_status status = dbvh_distance( s.a, &s.pose_a, s.b, &s.poses[i], NULL, NULL, &one, NULL );
			assert_int_equal( status, results[i].status );
			assert_true( same_distance( one, results[i] ) );
			apart += one.distance > 0.0;
		}
	}
	assert_outcomes( apart > 0 && apart < 4 * ( COUNT - 1 ) );
	assert_int_equal( dbvh_distance_batch( s.a, NULL, s.b, NULL, 0, NULL, NULL, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_distance_batch( s.a, NULL, s.b, NULL, 1, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_distance_batch( NULL, NULL, s.b, NULL, 0, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	done( &s );
}

static bool cancel( void *user ) {
	*(int *)user += 1;
	return true;
}

static void budgets( void **state ) {
	(void)state;
	rng r = rng_announce( "distance batch: budgets", seed_default );
	scene s = make( &r );
	const dbvh_budget little = { .max_work = 300 };
	const dbvh_distance_query query = { .policy = DBVH_POLICY_DUAL, .budget = &little };
	dbvh_distance_result results[COUNT], one;
	const dbvh_batch_options options = { .thread_count = 2 };
	assert_int_equal( dbvh_distance_batch( s.a, NULL, s.b, s.poses, COUNT, &query, &options, results, NULL ),
	                  DBVH_BUDGET_SPENT );
	for ( int i = 0; i < COUNT; ++i ) {
		assert_int_equal( dbvh_distance( s.a, NULL, s.b, &s.poses[i], &query, NULL, &one, NULL ), results[i].status );
		assert_true( same_distance( one, results[i] ) && one.at_least == results[i].at_least );
	}
	done( &s );
}

// A caller who gives up is asked once; what has not been begun then stays without an answer.
static void cancellation( void **state ) {
	(void)state;
	shape x = { 0 }, y = { 0 };
	shape_add_torus( &x, 1.0, 0.3, 40, 24 );
	shape_add_torus( &y, 1.0, 0.28, 40, 24 );
	dbvh_tree *a = tree_of( &x, &keeps_reference ), *b = tree_of( &y, &keeps_reference );
	dbvh_pose poses[COUNT];
	for ( int i = 0; i < COUNT; ++i )
		poses[i] = dbvh_pose_identity();
	int asked = 0;
	const dbvh_budget none = { .is_cancelled = cancel, .user = &asked };
	const dbvh_batch_options alone = { .thread_count = 1 };
	const dbvh_distance_query query = { .policy = DBVH_POLICY_DUAL, .budget = &none };
	dbvh_distance_result distances_out[COUNT];
	assert_int_equal( dbvh_distance_batch( a, NULL, b, poses, COUNT, &query, &alone, distances_out, NULL ),
	                  DBVH_CANCELLED );
	assert_int_equal( asked, 1 );
	assert_int_equal( distances_out[COUNT - 1].status, DBVH_CANCELLED );
	const dbvh_clearance_query near = { .max_distance = 0.015, .policy = DBVH_POLICY_DUAL, .budget = &none };
	dbvh_clearance_result clearances_out[COUNT];
	assert_int_equal( dbvh_check_clearance_batch( a, NULL, b, poses, COUNT, &near, &alone, clearances_out, NULL ),
	                  DBVH_CANCELLED );
	assert_int_equal( asked, 2 );
	assert_int_equal( clearances_out[COUNT - 1].status, DBVH_CANCELLED );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &x );
	shape_free( &y );
}

typedef struct told {
	size_t calls, last, most; // most: after so many elements it is enough
} told;

static bool tell( void *user, size_t begun, size_t count ) {
	told *t = user;
	t->calls += 1;
	t->last = begun;
	return begun <= count && begun < t->most;
}

// A progress callback does not change answers; one that cancels keeps those that are finished.
static void progress( void **state ) {
	(void)state;
	enum { MANY = 1000 };
	shape x = { 0 };
	shape_add_torus( &x, 1.0, 0.3, 20, 12 );
	dbvh_tree *a = tree_of( &x, &keeps_reference );
	rng r = rng_announce( "distance batch: progress", seed_default );
	static dbvh_pose poses[MANY];
	static dbvh_distance_result plain[MANY], seen[MANY];
	for ( int i = 0; i < MANY; ++i )
		poses[i] = random_pose( &r, 3.0 );
	assert_int_equal( dbvh_distance_batch( a, NULL, a, poses, MANY, NULL, NULL, plain, NULL ), DBVH_OK );
	for ( uint32_t threads = 1; threads < 4; ++threads ) {
		told t = { .most = SIZE_MAX };
		dbvh_batch_options options = { .thread_count = threads, .progress = tell, .user = &t };
		assert_int_equal( dbvh_distance_batch( a, NULL, a, poses, MANY, NULL, &options, seen, NULL ), DBVH_OK );
		for ( int i = 0; i < MANY; ++i )
			assert_true( same_distance( plain[i], seen[i] ) );
		// If another thread has done all the work, the calling one has nothing to report.
		assert_true( t.last <= MANY && ( threads > 1 || t.calls > 3 ) );
		t = ( told ){ .most = 200 };
		const dbvh_status status = dbvh_distance_batch( a, NULL, a, poses, MANY, NULL, &options, seen, NULL );
		assert_true( status == DBVH_CANCELLED || threads > 1 );
		size_t finished = 0;
		for ( int i = 0; i < MANY; ++i ) {
			assert_true( seen[i].status == DBVH_OK || seen[i].status == DBVH_CANCELLED );
			assert_true( seen[i].status != DBVH_OK || same_distance( plain[i], seen[i] ) );
			finished += seen[i].status == DBVH_OK;
		}
		assert_true( finished > 100 && ( threads > 1 || finished < MANY ) );
	}
	dbvh_tree_destroy( a );
	shape_free( &x );
}

static void clearances( void **state ) {
	(void)state;
	rng r = rng_announce( "distance batch: clearances", seed_default );
	scene s = make( &r );
	dbvh_clearance_query query = { .max_distance = 0.3, .find = DBVH_FIND_ALL };
	dbvh_clearance_result counted[COUNT], results[COUNT], one;
	size_t begin[COUNT + 1] = { 0 };
	assert_int_equal( dbvh_check_clearance_batch( s.a, &s.pose_a, s.b, s.poses, COUNT, &query, NULL, counted, NULL ),
	                  DBVH_OK );
	for ( int i = 0; i < COUNT; ++i )
		begin[i + 1] = begin[i] + counted[i].pair_count;
	assert_true( begin[COUNT] > 0 );
	dbvh_pair *pairs = malloc( begin[COUNT] * sizeof *pairs ), *own = malloc( begin[COUNT] * sizeof *own );
	assert_true( pairs != NULL && own != NULL );
	size_t within = 0;
	for ( uint32_t threads = 1; threads < 4; ++threads ) {
		const dbvh_batch_options options = { .thread_count = threads };
		query.pairs = pairs;
		query.pair_capacity = begin[COUNT];
		query.pair_begin = begin;
		assert_int_equal(
		    dbvh_check_clearance_batch( s.a, &s.pose_a, s.b, s.poses, COUNT, &query, &options, results, NULL ),
		    DBVH_OK );
		for ( int i = 0; i < COUNT; ++i ) {
			const dbvh_clearance_query single = {
			    .max_distance = 0.3, .find = DBVH_FIND_ALL, .pairs = own, .pair_capacity = begin[COUNT] };
			assert_int_equal( dbvh_check_clearance( s.a, &s.pose_a, s.b, &s.poses[i], &single, NULL, &one, NULL ),
			                  DBVH_OK );
			assert_true( one.within == results[i].within && one.pair_count == results[i].pair_written );
			assert_memory_equal( own, pairs + begin[i], one.pair_count * sizeof *own );
			within += one.within;
		}
	}
	assert_true( within > 0 && within < 3 * COUNT );
	free( pairs );
	free( own );
	done( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( distances ), cmocka_unit_test( budgets ),    cmocka_unit_test( cancellation ),
	    cmocka_unit_test( progress ),  cmocka_unit_test( clearances ),
	};
	return test_main( argc, argv, tests );
}
