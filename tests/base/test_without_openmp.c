// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Threads where the compiler has no OpenMP: this program has a base/parallel.c of its own, compiled without it, in
// place of the library's. As many threads as OMP_NUM_THREADS or the system says, and the same results.

#define _POSIX_C_SOURCE 200809L // setenv()

#include "base/os.h"
#include "base/parallel.h"
#include "support/environment.h"
#include "support/rng.h"
#include "support/scene.h"
#include "support/unit.h"

#include <stdatomic.h>
#include <string.h>

#if defined( _OPENMP )
#error this test is about a compiler without OpenMP
#endif

enum { POSES = 64 };

static void test_count( void **state ) {
	(void)state;
	const uint32_t processors = dbvhi_os_processor_count();
	const uint32_t usual = processors < DBVHI_MAX_THREADS ? processors : DBVHI_MAX_THREADS;
	set_environment( "OMP_NUM_THREADS", NULL );
	assert_int_equal( dbvhi_thread_count( 0 ), usual );
	assert_int_equal( dbvhi_thread_count( 7 ), 7 );
	assert_int_equal( dbvhi_thread_count( 5000 ), DBVHI_MAX_THREADS );
	set_environment( "OMP_NUM_THREADS", "3" );
	assert_int_equal( dbvhi_thread_count( 0 ), 3 );
	static const char *const senseless[] = { "", "x", "0", "-2", "99999999999999999999" };
	for ( size_t i = 0; i < sizeof senseless / sizeof senseless[0]; ++i ) {
		set_environment( "OMP_NUM_THREADS", senseless[i] );
		assert_int_equal( dbvhi_thread_count( 0 ), usual );
	}
	set_environment( "OMP_NUM_THREADS", NULL );
}

typedef struct meeting {
	atomic_int present, nested;
} meeting;

// Returns once two threads are here, so that the loop ends only if it has two; or after ten seconds.
static void meet( void *context, size_t index, uint32_t thread ) {
	(void)index;
	(void)thread;
	meeting *m = context;
	atomic_fetch_add( &m->present, 1 );
	atomic_fetch_add( &m->nested, dbvhi_thread_count( 8 ) == 1 );
	for ( int i = 0; i < 10000 && m->present < 2; ++i )
		dbvhi_os_sleep( 1000000 );
}

static void test_two_threads( void **state ) {
	(void)state;
	meeting m = { 0 };
	dbvhi_parallel_for( 2, 1, 2, meet, &m );
	assert_int_equal( m.present, 2 );
	assert_int_equal( m.nested, 2 ); // loops in a task run on its thread alone
}

static void test_same_results( void **state ) {
	(void)state;
	rng r = rng_announce( "threads without OpenMP", 3 );
	shape torus = { 0 };
	shape_add_torus( &torus, 1.0, 0.4, 30, 20 );
	const dbvh_mesh_view view = shape_view( &torus );
	dbvh_pose poses[POSES];
	for ( size_t i = 0; i < POSES; ++i )
		poses[i] = random_pose( &r, i % 2 == 0 ? 1.6 : 5.0 );
	dbvh_collide_result results[2][POSES];
	memset( results, 0, sizeof results );
	size_t meeting_count = 0;
	for ( uint32_t threads = 1; threads <= 2; ++threads ) {
		dbvh_tree_options options = dbvh_tree_options_default();
		options.thread_count = threads;
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		const dbvh_batch_options batch = { .thread_count = 4 * threads - 3, .grain = 1 };
		assert_int_equal(
		    dbvh_collide_batch( tree, NULL, tree, poses, POSES, NULL, &batch, results[threads - 1], NULL ), DBVH_OK );
		dbvh_tree_destroy( tree );
	}
	assert_memory_equal( results[0], results[1], sizeof results[0] );
	for ( size_t i = 0; i < POSES; ++i )
		meeting_count += results[0][i].verdict == DBVH_INTERSECTING;
	assert_true( meeting_count > 0 && meeting_count < POSES );
	shape_free( &torus );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_count ),
	    cmocka_unit_test( test_two_threads ),
	    cmocka_unit_test( test_same_results ),
	};
	return test_main( argc, argv, tests );
}
