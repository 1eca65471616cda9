// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees are shared between threads, workspaces are not: the same queries on several threads at once give the same
// answers, counters included. Made with POSIX threads, so that ThreadSanitizer sees all of it (libgomp it does not).

#include "support/scene.h"
#include "support/unit.h"

#include <pthread.h>
#include <string.h>

#define THREADS 4
#define MOST_PAIRS 4096

typedef struct job {
	const dbvh_tree *a, *b;
	const dbvh_pose *poses;
	size_t count, shift;
	dbvh_collide_result *results;
	uint64_t hash; // hash over all pairs
	bool own_workspace, failed;
} job;

static dbvh_collide_query query_of( size_t i, dbvh_pair *pairs ) {
	return ( dbvh_collide_query ){ .find = i % 3 == 0 ? DBVH_FIND_ANY : DBVH_FIND_ALL,
	                               .policy = (dbvh_policy)( i % 5 ),
	                               .pairs = pairs,
	                               .pair_capacity = i % 2 != 0 ? MOST_PAIRS : 16 };
}

// Every thread asks all the questions, each in an order of its own.
static void *work( void *argument ) {
	job *const j = argument;
	dbvh_workspace *workspace = NULL;
	dbvh_pair *const pairs = calloc( MOST_PAIRS, sizeof *pairs );
	j->failed = pairs == NULL || ( j->own_workspace && dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK );
	for ( size_t n = 0; n < j->count && !j->failed; ++n ) {
		const size_t i = ( n + j->shift ) % j->count;
		const dbvh_collide_query query = query_of( i, pairs );
		dbvh_collide_result *const result = &j->results[i];
		j->failed = dbvh_collide( j->a, NULL, j->b, &j->poses[i], &query, workspace, result, NULL ) != DBVH_OK;
		// A sum does not depend on the order.
		uint64_t hash = i;
		for ( size_t k = 0; k < result->pair_written; ++k )
			hash = ( hash ^ ( (uint64_t)pairs[k].a << 32 | pairs[k].b ) ) * UINT64_C( 0x9e3779b97f4a7c15 );
		j->hash += hash;
	}
	// Reading a tree in other ways at the same time.
	if ( dbvh_tree_get_stats( j->a ).triangle_count == 0 || dbvh_tree_validate( j->b, NULL ) != DBVH_OK )
		j->failed = true;
	dbvh_workspace_destroy( workspace );
	free( pairs );
	return NULL;
}

static void same_answers_on_all_threads( void **state ) {
	(void)state;
	rng r = rng_announce( "threads", 1 );
	const size_t count = rounds( 300 );
	shape torus = { 0 }, soup = { 0 };
	shape_add_torus( &torus, 1.0, 0.4, 40, 24 );
	add_soup( &soup, &r, 800, 0.15, 0.1, false );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.thread_count = 1;
	options.reference = true;
	dbvh_tree *trees[2] = { NULL, NULL };
	const dbvh_mesh_view views[2] = { shape_view( &torus ), shape_view( &soup ) };
	for ( int i = 0; i < 2; ++i )
		assert_int_equal( dbvh_tree_build( &views[i], &options, NULL, &trees[i], NULL ), DBVH_OK );
	dbvh_pose *const poses = calloc( count, sizeof *poses );
	dbvh_collide_result *const results = calloc( ( THREADS + 1 ) * count, sizeof *results );
	assert_true( poses != NULL && results != NULL );
	for ( size_t i = 0; i < count; ++i )
		poses[i] = random_pose( &r, i % 2 == 0 ? 1.6 : 5.0 ); // near, mostly meeting; far, mostly apart

	job jobs[THREADS + 1];
	pthread_t threads[THREADS];
	for ( size_t i = 0; i <= THREADS; ++i )
		jobs[i] = ( job ){ .a = trees[0],
		                   .b = trees[1],
		                   .poses = poses,
		                   .count = count,
		                   .shift = i * count / ( THREADS + 1 ),
		                   .results = results + i * count,
		                   .own_workspace = i % 2 == 0 };
	for ( size_t i = 0; i < THREADS; ++i )
		assert_int_equal( pthread_create( &threads[i], NULL, work, &jobs[i] ), 0 );
	for ( size_t i = 0; i < THREADS; ++i )
		assert_int_equal( pthread_join( threads[i], NULL ), 0 );
	work( &jobs[THREADS] ); // alone

	size_t meeting = 0;
	for ( size_t i = 0; i < count; ++i )
		meeting += jobs[THREADS].results[i].verdict == DBVH_INTERSECTING;
	printf( "threads: %zu poses on %d threads, %zu meet\n", count, THREADS, meeting );
	assert_outcomes( meeting > 0 && meeting < count );
	assert_false( jobs[THREADS].failed );
	for ( size_t i = 0; i < THREADS; ++i ) {
		assert_false( jobs[i].failed );
		assert_true( jobs[i].hash == jobs[THREADS].hash );
		assert_memory_equal( jobs[i].results, jobs[THREADS].results, count * sizeof *results );
	}
	free( poses );
	free( results );
	dbvh_tree_destroy( trees[0] );
	dbvh_tree_destroy( trees[1] );
	shape_free( &torus );
	shape_free( &soup );
}

static void *build_work( void *argument ) {
	const dbvh_mesh_view *const view = argument;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.thread_count = 1;
	dbvh_tree *tree = NULL;
	return dbvh_tree_build( view, &options, NULL, &tree, NULL ) == DBVH_OK ? tree : NULL;
}

// Builds share nothing, not even the mesh they read.
static void builds_side_by_side( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.4, 60, 40 );
	dbvh_mesh_view view = shape_view( &s );
	pthread_t threads[THREADS];
	dbvh_tree *trees[THREADS];
	for ( size_t i = 0; i < THREADS; ++i )
		assert_int_equal( pthread_create( &threads[i], NULL, build_work, &view ), 0 );
	for ( size_t i = 0; i < THREADS; ++i ) {
		void *tree = NULL;
		assert_int_equal( pthread_join( threads[i], &tree ), 0 );
		assert_non_null( tree );
		trees[i] = tree;
	}
	for ( size_t i = 0; i < THREADS; ++i ) {
		const dbvh_tree_stats a = dbvh_tree_get_stats( trees[i] ), b = dbvh_tree_get_stats( trees[0] );
		assert_true( a.depth == b.depth && a.content_hash == b.content_hash && a.sphere.radius == b.sphere.radius );
	}
	for ( size_t i = 0; i < THREADS; ++i )
		dbvh_tree_destroy( trees[i] );
	shape_free( &s );
}

// One heavy query by every policy on 1, 2, 3 and 8 threads: the same pairs; above 1, the same first pair and counters.
// Ended by a budget, it has found a part of them.
static void one_query_on_threads( void **state ) {
	(void)state;
	rng r = rng_announce( "one query on threads", 2 );
	shape torus = { 0 }, soup = { 0 };
	const bool few = is_short_run();
	shape_add_torus( &torus, 1.0, 0.4, few ? 45 : 90, few ? 30 : 60 );
	add_soup( &soup, &r, few ? 1500 : 4000, 1.2, 0.1, false );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.ellipsoids = DBVH_ELLIPSOIDS_ALL; // also keeps the reference tree
	const dbvh_mesh_view views[2] = { shape_view( &torus ), shape_view( &soup ) };
	dbvh_tree *trees[2] = { NULL, NULL };
	for ( int i = 0; i < 2; ++i )
		assert_int_equal( dbvh_tree_build( &views[i], &options, NULL, &trees[i], NULL ), DBVH_OK );
	enum { CAPACITY = 1 << 16 };
	dbvh_pair *const truth = calloc( CAPACITY, sizeof *truth ), *const room = calloc( CAPACITY, sizeof *room );
	dbvh_workspace *workspace = NULL;
	assert_true( truth != NULL && room != NULL );
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	static const uint32_t threads[] = { 1, 2, 3, 8 };
	const dbvh_pose pose = random_pose( &r, 0.1 );
	for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
		dbvh_collide_result all[4], any[4], part;
		for ( int k = 0; k < 4; ++k ) {
			dbvh_collide_query query = { .find = DBVH_FIND_ALL,
			                             .policy = (dbvh_policy)policy,
			                             .thread_count = threads[k],
			                             .pairs = k == 0 ? truth : room,
			                             .pair_capacity = CAPACITY };
			assert_int_equal( dbvh_collide( trees[0], NULL, trees[1], &pose, &query, workspace, &all[k], NULL ),
			                  DBVH_OK );
			assert_true( all[k].pair_count == all[0].pair_count && all[0].pair_count > 100 );
			assert_memory_equal( query.pairs, truth, all[0].pair_written * sizeof *truth );
			const dbvh_budget budget = { .max_work = 20000 };
			query.budget = &budget;
			query.pairs = room;
			const dbvh_status status = dbvh_collide( trees[0], NULL, trees[1], &pose, &query, workspace, &part, NULL );
			assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
			assert_true( part.pair_count <= all[0].pair_count );
			const dbvh_collide_query first = { .policy = (dbvh_policy)policy, .thread_count = threads[k] };
			assert_int_equal( dbvh_collide( trees[0], NULL, trees[1], &pose, &first, workspace, &any[k], NULL ),
			                  DBVH_OK );
			assert_int_equal( any[k].verdict, DBVH_INTERSECTING );
			if ( k < 2 )
				continue;
			assert_memory_equal( &all[k].counters, &all[1].counters, sizeof all[k].counters );
			assert_memory_equal( &any[k].counters, &any[1].counters, sizeof any[k].counters );
			assert_true( any[k].first.a == any[1].first.a && any[k].first.b == any[1].first.b );
		}
	}
	dbvh_workspace_destroy( workspace );
	free( truth );
	free( room );
	for ( int i = 0; i < 2; ++i )
		dbvh_tree_destroy( trees[i] );
	shape_free( &torus );
	shape_free( &soup );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( same_answers_on_all_threads ),
	    cmocka_unit_test( builds_side_by_side ),
	    cmocka_unit_test( one_query_on_threads ),
	};
	return test_main( argc, argv, tests );
}
