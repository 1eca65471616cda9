// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of poses and queries split over threads say what dbvh_collide() says on one thread.

#include "base/parallel.h"
#include "query/collide/collide.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 1;
static const uint32_t thread_counts[] = { 1, 2, 3, 8 };
enum { THREAD_COUNTS = 4 };

static void *must_alloc( size_t count, size_t size ) {
	void *const memory = calloc( count > 0 ? count : 1, size );
	assert_non_null( memory );
	return memory;
}

// ------------------------------------------------------------------------------------------------
// Batches

typedef struct scene {
	dbvh_tree *a, *b;
	dbvh_pose pose_a;
	dbvh_pose *poses;
	dbvh_status *expected;
	size_t count;
} scene;

static scene make_scene( rng *r, size_t count ) {
	shape torus = { 0 }, soup = { 0 };
	shape_add_torus( &torus, 1.0, 0.4, 40, 24 );
	add_soup( &soup, r, 300, 0.15, 0.1, false );
	scene s = { .a = tree_of( &torus, &keeps_reference ),
	            .b = tree_of( &soup, &keeps_reference ),
	            .pose_a = random_pose( r, 1.0 ),
	            .count = count };
	shape_free( &torus );
	shape_free( &soup );
	s.poses = must_alloc( count, sizeof *s.poses );
	s.expected = must_alloc( count, sizeof *s.expected );
	for ( size_t i = 0; i < count; ++i )
		s.poses[i] = random_pose( r, 3.5 );
	return s;
}

static void free_scene( scene *s ) {
	dbvh_tree_destroy( s->a );
	dbvh_tree_destroy( s->b );
	free( s->poses );
	free( s->expected );
}

// One pose after the other.
static void ask_singly( const scene *s, const dbvh_pose *pose_a, const dbvh_collide_query *query, const size_t *begin,
                        dbvh_collide_result *results ) {
	for ( size_t i = 0; i < s->count; ++i ) {
		dbvh_collide_query one = *query;
		if ( begin != NULL ) {
			one.pairs += begin[i];
			one.pair_capacity = begin[i + 1] - begin[i];
		}
		const dbvh_status status = dbvh_collide( s->a, pose_a, s->b, &s->poses[i], &one, NULL, &results[i], NULL );
		assert_int_equal( status, s->expected[i] );
		results[i].status = status;
	}
}

static void check_batches( const scene *s, const dbvh_pose *pose_a, const dbvh_collide_query *query,
                           const size_t *begin, dbvh_status status, int64_t element ) {
	const size_t room = query->pair_capacity + 1;
	dbvh_pair *const pairs = must_alloc( room, sizeof *pairs ), *const same = must_alloc( room, sizeof *same );
	dbvh_collide_result *const results = must_alloc( s->count, sizeof *results );
	dbvh_collide_result *const truth = must_alloc( s->count, sizeof *truth );
	dbvh_collide_query mine = *query;
	memset( same, 0x77, room * sizeof *same );
	mine.pairs = same;
	ask_singly( s, pose_a, &mine, begin, truth );
	for ( size_t t = 0; t < THREAD_COUNTS; ++t ) {
		for ( uint32_t grain = 0; grain < 8; grain += 7 ) {
			const dbvh_batch_options options = { .thread_count = thread_counts[t], .grain = grain };
			memset( pairs, 0x77, room * sizeof *pairs );
			memset( results, 0x55, s->count * sizeof *results );
			mine.pairs = pairs;
			mine.pair_begin = begin;
			dbvh_error error;
			assert_int_equal(
			    dbvh_collide_batch( s->a, pose_a, s->b, s->poses, s->count, &mine, &options, results, &error ),
			    status );
			assert_int_equal( error.status, status );
			assert_true( error.element == element );
			assert_memory_equal( results, truth, s->count * sizeof *results );
			assert_memory_equal( pairs, same, room * sizeof *pairs );
		}
	}
	free( pairs );
	free( same );
	free( results );
	free( truth );
}

static void batch_is_many_queries( void **state ) {
	(void)state;
	rng r = rng_announce( "batch", seed_default );
	scene s = make_scene( &r, rounds( 150 ) );
	dbvh_collide_result *const results = must_alloc( s.count, sizeof *results );
	size_t *const begin = must_alloc( s.count + 1, sizeof *begin );
	const dbvh_policy policies[] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DUAL, DBVH_POLICY_RAPID };
	for ( int from = 0; from < 2; ++from ) {
		const dbvh_pose *const pose_a = from == 0 ? NULL : &s.pose_a;
		for ( size_t p = 0; p < 3; ++p ) {
			check_batches( &s, pose_a, &( dbvh_collide_query ){ .policy = policies[p] }, NULL, DBVH_OK, -1 );
			dbvh_collide_query all = { .find = DBVH_FIND_ALL, .policy = policies[p] };
			check_batches( &s, pose_a, &all, NULL, DBVH_OK, -1 );

			// Twice: the first time to know how much room there must be.
			assert_int_equal( dbvh_collide_batch( s.a, pose_a, s.b, s.poses, s.count, &all, NULL, results, NULL ),
			                  DBVH_OK );
			size_t meeting = 0;
			for ( size_t i = 0; i < s.count; ++i ) {
				begin[i + 1] = begin[i] + results[i].pair_count;
				meeting += results[i].verdict == DBVH_INTERSECTING;
			}
			printf( "batch: %zu poses, %zu meet, %zu pairs\n", s.count, meeting, begin[s.count] );
			assert_outcomes( meeting > s.count / 10 && meeting < s.count - s.count / 10 );
			all.pair_capacity = begin[s.count];
			check_batches( &s, pose_a, &all, begin, DBVH_OK, -1 );
			// Too little room, too much, none, with gaps before the first region and after the last.
			begin[0] = 3;
			for ( size_t i = 0; i < s.count; ++i )
				begin[i + 1] = begin[i] + rng_below( &r, 40 ) * ( i % 5 != 0 );
			all.pair_capacity = begin[s.count] + 5;
			check_batches( &s, pose_a, &all, begin, DBVH_OK, -1 );
			begin[0] = 0;
		}
	}
	free( results );
	free( begin );
	free_scene( &s );
}

static void bad_poses_spoil_nothing( void **state ) {
	(void)state;
	rng r = rng_announce( "batch: bad poses", seed_default + 1 );
	scene s = make_scene( &r, 90 );
	size_t bad = 0;
	for ( size_t i = 4; i < s.count; i += 1 + rng_below( &r, 9 ), ++bad ) {
		switch ( bad % 3 ) {
		case 0:
			s.poses[i].rot[1][0] = -s.poses[i].rot[1][0] + 0.1;
			s.expected[i] = DBVH_NOT_RIGID;
			break;
		case 1:
			s.poses[i].pos[2] = NAN;
			s.expected[i] = DBVH_NOT_FINITE;
			break;
		default:
			s.poses[i].rot[0][0] = -INFINITY;
			s.expected[i] = DBVH_NOT_FINITE;
			break;
		}
	}
	printf( "batch: %zu of %zu poses are bad\n", bad, s.count );
	size_t begin[91];
	for ( size_t i = 0; i <= s.count; ++i )
		begin[i] = 20 * i;
	check_batches( &s, NULL, &( dbvh_collide_query ){ 0 }, NULL, DBVH_NOT_RIGID, 4 );
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL, .pair_capacity = begin[s.count] };
	check_batches( &s, &s.pose_a, &all, begin, DBVH_NOT_RIGID, 4 );
	free_scene( &s );
}

static void refusals( void **state ) {
	(void)state;
	rng r = rng_announce( "batch: refusals", seed_default + 2 );
	scene s = make_scene( &r, 3 );
	dbvh_collide_result results[3];
	static const dbvh_collide_result zero[3];
	dbvh_error error;
	// Nothing to do is no mistake.
	assert_int_equal( dbvh_collide_batch( s.a, NULL, s.b, NULL, 0, NULL, NULL, NULL, &error ), DBVH_OK );
	assert_true( error.element == -1 && error.status == DBVH_OK );
	assert_int_equal( dbvh_collide_batch( s.a, NULL, s.b, s.poses, 3, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );

	const size_t down[] = { 0, 4, 2, 8 }, beyond[] = { 0, 4, 8, 9 }, good[] = { 0, 4, 8, 8 };
	dbvh_pair pairs[8];
	dbvh_pose nan_pose = s.pose_a;
	nan_pose.pos[0] = NAN;
	const struct {
		const dbvh_tree *a, *b;
		const dbvh_pose *pose_a, *poses;
		dbvh_collide_query query;
		const size_t *begin;
		dbvh_status status;
	} cases[] = {
	    { NULL, s.b, NULL, s.poses, { .find = DBVH_FIND_ANY }, NULL, DBVH_INVALID_ARGUMENT },
	    { s.a, NULL, NULL, s.poses, { .find = DBVH_FIND_ANY }, NULL, DBVH_INVALID_ARGUMENT },
	    { s.a, s.b, NULL, NULL, { .find = DBVH_FIND_ANY }, NULL, DBVH_INVALID_ARGUMENT },
	    { s.a, s.b, NULL, s.poses, { .find = (dbvh_find)7 }, NULL, DBVH_INVALID_ARGUMENT },
	    { s.a, s.b, &nan_pose, s.poses, { .find = DBVH_FIND_ANY }, NULL, DBVH_NOT_FINITE },
	    { s.a, s.b, NULL, s.poses, { .find = DBVH_FIND_ALL, .pair_capacity = 8 }, good, DBVH_INVALID_ARGUMENT },
	    { s.a,
	      s.b,
	      NULL,
	      s.poses,
	      { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 8 },
	      NULL,
	      DBVH_INVALID_ARGUMENT },
	    { s.a,
	      s.b,
	      NULL,
	      s.poses,
	      { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 8 },
	      down,
	      DBVH_INVALID_ARGUMENT },
	    { s.a,
	      s.b,
	      NULL,
	      s.poses,
	      { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 8 },
	      beyond,
	      DBVH_INVALID_ARGUMENT },
	    { s.a, s.b, NULL, s.poses, { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 8 }, good, DBVH_OK },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		dbvh_collide_query query = cases[i].query;
		query.pair_begin = cases[i].begin;
		memset( results, 0x55, sizeof results );
		assert_int_equal( dbvh_collide_batch( cases[i].a, cases[i].pose_a, cases[i].b, cases[i].poses, 3, &query, NULL,
		                                      results, &error ),
		                  cases[i].status );
		assert_int_equal( error.status, cases[i].status );
		assert_true( error.element == -1 && ( error.text[0] == '\0' ) == ( cases[i].status == DBVH_OK ) );
		if ( cases[i].status != DBVH_OK )
			assert_memory_equal( results, zero, sizeof zero );
	}
	free_scene( &s );
}

// ------------------------------------------------------------------------------------------------
// One query on several threads

// dbvh_collide() with that many threads, but really split over pieces even without OpenMP. *split_out: the query was
// found heavy.
static dbvh_status ask( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, dbvh_collide_query query,
                        uint32_t thread_count, dbvh_workspace *w, dbvh_collide_result *result, bool *split_out ) {
	const uint64_t untouched = UINT64_C( 0x7fff77777fff7777 ); // no pair of these meshes
	query.thread_count = thread_count;
	dbvh_status status = DBVH_OK;
	// Handing out is seen by what it leaves in the workspace of the second thread.
	if ( thread_count > 1 ) {
		status = dbvhi_workspace_require( w, a, b, query.pair_capacity );
		if ( status == DBVH_OK )
			status = dbvhi_workspace_require_parallel( w, a, b, query.pair_capacity, thread_count );
		if ( status != DBVH_OK )
			return status;
		w->helpers[0]->lowest_key = untouched;
	}
	if ( thread_count > 1 && dbvhi_thread_count( thread_count ) == 1 ) {
		const dbvhi_collide_options ready = { .ready_threads = thread_count };
		status = dbvhi_collide_checked( a, NULL, b, pose, &ready, &query, w, result );
	} else {
		status = dbvh_collide( a, NULL, b, pose, &query, w, result, NULL );
	}
	*split_out = thread_count > 1 && w->helpers[0]->lowest_key != untouched;
	return status;
}

typedef struct split_tally {
	size_t queries, meeting, split;
} split_tally;

static void check_split( split_tally *sum, const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose ) {
	dbvh_workspace *w = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &w, NULL ), DBVH_OK );
	dbvh_collide_result alone, first_split, result;
	bool split = false, first_was_split = false;
	assert_int_equal( ask( a, b, pose, ( dbvh_collide_query ){ .find = DBVH_FIND_ALL }, 1, w, &alone, &split ),
	                  DBVH_OK );
	const size_t count = alone.pair_count;
	dbvh_pair *const truth = must_alloc( count + 2, sizeof *truth ), *const pairs =
	                                                                     must_alloc( count + 2, sizeof *pairs );
	const dbvh_collide_query full = { .find = DBVH_FIND_ALL, .pairs = truth, .pair_capacity = count };
	assert_int_equal( ask( a, b, pose, full, 1, w, &alone, &split ), DBVH_OK );
	assert_int_equal( alone.pair_written, count );
	const size_t capacities[] = { 0, 1, count / 2, count / 7, count + 2, count };
	const size_t step = is_short_run()     ? 4
	                    : rounds( 10 ) < 4 ? 2
	                                       : 1,
	             repeats = is_short_run()     ? 3
	                       : rounds( 10 ) < 4 ? 6
	                                          : 12;
	for ( size_t c = 0; c < 6; c += step ) {
		for ( size_t t = 1; t < THREAD_COUNTS; ++t ) {
			const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = capacities[c] };
			const size_t written = capacities[c] < count ? capacities[c] : count;
			memset( pairs, 0x77, ( count + 2 ) * sizeof *pairs );
			assert_int_equal( ask( a, b, pose, query, thread_counts[t], w, &result, &split ), DBVH_OK );
			assert_int_equal( result.verdict, alone.verdict );
			assert_memory_equal( &result.first, &alone.first, sizeof result.first );
			assert_int_equal( result.pair_count, count );
			assert_int_equal( result.pair_written, written );
			assert_memory_equal( pairs, truth, written * sizeof *pairs );
			for ( size_t i = written; i < count + 2; ++i )
				assert_true( pairs[i].a == 0x77777777 && pairs[i].b == 0x77777777 );
			if ( c == 0 && t == 1 ) {
				first_split = result;
				first_was_split = split;
			}
			assert_memory_equal( &result.counters, &first_split.counters, sizeof result.counters );
			assert_int_equal( split, first_was_split );
		}
	}
	sum->split += first_was_split;
	// First contact, several times each, since threads do not run the same way twice.
	for ( size_t n = 0; n < repeats; ++n ) {
		const dbvh_collide_query query = { .find = DBVH_FIND_ANY };
		assert_int_equal( ask( a, b, pose, query, thread_counts[1 + n % 3], w, &result, &split ), DBVH_OK );
		if ( n == 0 )
			first_split = result;
		assert_memory_equal( &result, &first_split, sizeof result );
		assert_int_equal( result.verdict, alone.verdict );
		assert_int_equal( result.pair_count, count > 0 );
		bool found = count == 0;
		for ( size_t i = 0; i < count && !found; ++i )
			found = truth[i].a == result.first.a && truth[i].b == result.first.b;
		assert_true( found );
	}
	sum->split += split;
	sum->queries += 1;
	sum->meeting += count > 0;
	free( truth );
	free( pairs );
	dbvh_workspace_destroy( w );
}

static void heavy_queries_are_split( void **state ) {
	(void)state;
	rng r = rng_announce( "heavy", seed_default + 3 );
	split_tally sum = { 0 };
	shape inner = { 0 };
	shape_add_sphere( &inner, 1.0, 120, 120 );
	dbvh_tree *const a = tree_of( &inner, &keeps_reference );
	const double gaps[] = { 1e-3, 1e-4, 0.0, -1e-5 };
	for ( size_t g = is_short_run() ? 1 : 0; g < 4; g += is_short_run() ? 2 : 1 ) {
		shape outer = { 0 };
		shape_add_sphere( &outer, 1.0 + gaps[g], 120, 120 );
		dbvh_tree *const b = tree_of( &outer, &keeps_reference );
		check_split( &sum, a, b, NULL );
		// A little turned, so that facets meet facets at every angle.
		const dbvh_pose turned = random_pose( &r, 1e-4 );
		check_split( &sum, a, b, &turned );
		dbvh_tree_destroy( b );
		shape_free( &outer );
	}
	dbvh_tree_destroy( a );
	shape_free( &inner );

	shape statue = { 0 };
	shape_add_statue( &statue );
	dbvh_tree *const figure = tree_of( &statue, &keeps_reference );
	for ( int i = 0; i < 3; ++i ) {
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[i] = i == 0 ? 0.0 : 0.01;
		check_split( &sum, figure, figure, &pose );
	}
	dbvh_tree_destroy( figure );
	shape_free( &statue );
	printf( "heavy: %zu scenes, %zu meet, of twice as many queries %zu were split\n", sum.queries, sum.meeting,
	        sum.split );
	assert_outcomes( sum.meeting >= 4 && sum.meeting < sum.queries && sum.split >= 5 );
}

// Being allowed more threads changes nothing for small and odd meshes: single triangles, trees of unequal depth.
static void light_queries_are_not( void **state ) {
	(void)state;
	rng r = rng_announce( "light", seed_default + 4 );
	split_tally sum = { 0 };
	for ( size_t round = rounds( 60 ); round-- > 0; ) {
		shape a = { 0 }, b = { 0 };
		add_soup( &a, &r, 1 + rng_below( &r, 12 ), 0.4, 0.2, round % 2 == 0 );
		add_soup( &b, &r, round % 3 == 0 ? 1 : 1 + rng_below( &r, 400 ), 0.3, 0.2, round % 2 == 0 );
		dbvh_tree *const tree_a = tree_of( &a, &keeps_reference ), *const tree_b = tree_of( &b, &keeps_reference );
		const dbvh_pose pose = random_pose( &r, 0.7 );
		check_split( &sum, tree_a, tree_b, &pose );
		check_split( &sum, tree_b, tree_a, &pose );
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "light: %zu scenes, %zu meet, %zu split\n", sum.queries, sum.meeting, sum.split );
	assert_outcomes( sum.meeting > 0 && sum.meeting < sum.queries );
	assert_int_equal( sum.split, 0 );
}

// ------------------------------------------------------------------------------------------------
// Memory

static void no_memory_at_any_request( void **state ) {
	(void)state;
	rng r = rng_announce( "batch: memory", seed_default + 5 );
	scene s = make_scene( &r, 20 );
	enum { ROOM = 20 };
	dbvh_pair pairs[20 * ROOM];
	size_t begin[21];
	for ( size_t i = 0; i <= s.count; ++i )
		begin[i] = ROOM * i;
	const dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = begin[s.count], .pair_begin = begin };
	const dbvh_collide_query one = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = ROOM, .thread_count = 3 };
	dbvh_collide_result truth[20], results[20], single;
	static const dbvh_collide_result zero[20];
	const dbvh_batch_options plain = { .thread_count = 1 };
	assert_int_equal( dbvh_collide_batch( s.a, NULL, s.b, s.poses, 20, &query, &plain, truth, NULL ), DBVH_OK );
	size_t failures = 0, successes = 0;
	for ( size_t fail_at = 1; fail_at < 60; ++fail_at ) {
		ledger books = { .fail_at = fail_at };
		const dbvh_allocator allocator = ledger_allocator( &books );
		dbvh_workspace *w = NULL;
		if ( dbvh_workspace_create( &allocator, &w, NULL ) != DBVH_OK ) {
			failures += 1;
			continue;
		}
		const dbvh_batch_options options = { .thread_count = 3, .workspace = w };
		dbvh_error error;
		bool split;
		dbvh_status status = dbvh_collide_batch( s.a, NULL, s.b, s.poses, 20, &query, &options, results, &error );
		if ( status != DBVH_OK ) {
			assert_int_equal( status, DBVH_OUT_OF_MEMORY );
			assert_int_equal( error.status, DBVH_OUT_OF_MEMORY );
			assert_memory_equal( results, zero, sizeof zero );
		}
		if ( status == DBVH_OK )
			status = dbvh_collide( s.a, NULL, s.b, &s.poses[0], &one, w, &single, NULL );
		if ( status != DBVH_OK ) {
			assert_int_equal( status, DBVH_OUT_OF_MEMORY );
			failures += 1;
		} else {
			successes += 1;
		}
		// With memory again all is well, and from then on nothing is asked for.
		books.fail_at = 0;
		assert_int_equal( dbvh_workspace_reserve_threads( w, s.a, s.b, ROOM, 3, NULL ), DBVH_OK );
		assert_int_equal( ask( s.a, s.b, &s.poses[0], one, 3, w, &single, &split ), DBVH_OK );
		const size_t calls = books.calls;
		assert_int_equal( dbvh_collide_batch( s.a, NULL, s.b, s.poses, 20, &query, &options, results, &error ),
		                  DBVH_OK );
		assert_int_equal( ask( s.a, s.b, &s.poses[0], one, 2, w, &single, &split ), DBVH_OK );
		assert_memory_equal( results, truth, sizeof truth );
		assert_int_equal( books.calls, calls );
		dbvh_workspace_destroy( w );
		assert_true( books.live == 0 && books.bytes == 0 && books.mistakes == 0 );
	}
	printf( "batch: memory failed %zu times, sufficed %zu times\n", failures, successes );
	assert_true( failures > 5 && successes > 5 );
	free_scene( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( batch_is_many_queries ),
	    cmocka_unit_test( bad_poses_spoil_nothing ),
	    cmocka_unit_test( refusals ),
	    cmocka_unit_test( heavy_queries_are_split ),
	    cmocka_unit_test( light_queries_are_not ),
	    cmocka_unit_test( no_memory_at_any_request ),
	};
	return test_main( argc, argv, tests );
}
