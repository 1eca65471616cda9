// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// If the system makes no threads, or fewer than wanted, the library goes on with those there are and never ends the
// process. A process that has used threads can be forked, and its child uses threads, too.

#define _GNU_SOURCE

#include "base/parallel.h"
#include "support/scene.h"
#include "support/unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined( __SANITIZE_ADDRESS__ ) || defined( __SANITIZE_THREAD__ )
#define SANITIZED 1
#elif defined( __has_feature )
#if __has_feature( address_sanitizer ) || __has_feature( thread_sanitizer ) || __has_feature( memory_sanitizer )
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define POSES 64
#define THREADS 64

// Exit statuses of a child, none of which a run-time library uses.
enum { SAID_OK = 40, SAID_NO_MEMORY = 41, SAID_WRONG = 42 };

typedef struct scene {
	dbvh_tree *tree;
	dbvh_pose poses[POSES];
	dbvh_collide_result expected[POSES];
} scene;

static void scene_make( scene *s, rng *r ) {
	shape torus = { 0 };
	shape_add_torus( &torus, 1.0, 0.4, 30, 20 );
	const dbvh_mesh_view view = shape_view( &torus );
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &s->tree, NULL ), DBVH_OK );
	size_t meeting = 0;
	for ( size_t i = 0; i < POSES; ++i ) {
		s->poses[i] = random_pose( r, i % 2 == 0 ? 1.6 : 5.0 );
		assert_int_equal( dbvh_collide( s->tree, NULL, s->tree, &s->poses[i], NULL, NULL, &s->expected[i], NULL ),
		                  DBVH_OK );
		meeting += s->expected[i].verdict == DBVH_INTERSECTING;
	}
	assert_true( meeting > 0 && meeting < POSES );
	shape_free( &torus );
}

// A build, a batch and one query, all on many threads.
static int ask( const scene *s ) {
	dbvh_collide_result results[POSES];
	const dbvh_batch_options options = { .thread_count = THREADS, .grain = 1 };
	dbvh_status status = dbvh_collide_batch( s->tree, NULL, s->tree, s->poses, POSES, NULL, &options, results, NULL );
	if ( status == DBVH_OK && memcmp( results, s->expected, sizeof results ) != 0 )
		return SAID_WRONG;
	if ( status == DBVH_OK ) {
		const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .thread_count = THREADS };
		dbvh_collide_result result;
		status = dbvh_collide( s->tree, NULL, s->tree, NULL, &query, NULL, &result, NULL );
	}
	if ( status == DBVH_OK ) {
		shape ball = { 0 };
		shape_add_torus( &ball, 1.0, 0.4, 100, 60 );
		const dbvh_mesh_view view = shape_view( &ball );
		dbvh_tree_options many = dbvh_tree_options_default();
		many.thread_count = THREADS;
		dbvh_tree *tree = NULL;
		status = dbvh_tree_build( &view, &many, NULL, &tree, NULL );
		dbvh_tree_destroy( tree );
		shape_free( &ball );
	}
	return status == DBVH_OK ? SAID_OK : status == DBVH_OUT_OF_MEMORY ? SAID_NO_MEMORY : SAID_WRONG;
}

static size_t pages_in_use( void ) {
	FILE *f = fopen( "/proc/self/statm", "r" );
	unsigned long pages = 0;
	if ( f == NULL )
		return 0;
	const bool read = fscanf( f, "%lu", &pages ) == 1;
	fclose( f );
	return read ? pages : 0;
}

// The stack grows as it is used, which the limit below would end.
static void touch_stack( void ) {
	volatile unsigned char page[1 << 20];
	for ( size_t i = 0; i < sizeof page; i += 4096 )
		page[i] = 1;
}

// Takes whatever memory there is but for `left` bytes.
static void take_memory( size_t left ) {
	enum { CHUNK = 16384 };
	void **last = NULL, **chunk;
	while ( ( chunk = malloc( CHUNK ) ) != NULL ) {
		*chunk = last;
		last = chunk;
	}
	for ( ; last != NULL && left >= CHUNK; left -= CHUNK ) {
		chunk = *last;
		free( last );
		last = chunk;
	}
}

// Asks in a child that may have `more` bytes of address space beyond what it has, of which `left` are free (0: all),
// or, for 0, as many as it likes.
static int ask_limited( const scene *s, size_t more, size_t left ) {
	fflush( NULL );
	const pid_t child = fork();
	assert_true( child >= 0 );
	if ( child == 0 ) {
		alarm( 60 );
		if ( more != 0 ) {
			touch_stack();
			const rlim_t bytes = (rlim_t)( pages_in_use() * (size_t)sysconf( _SC_PAGESIZE ) + more );
			const struct rlimit limit = { bytes, bytes };
			setrlimit( RLIMIT_AS, &limit );
			if ( left != 0 )
				take_memory( left );
		}
		_exit( ask( s ) );
	}
	int status = 0;
	assert_true( waitpid( child, &status, 0 ) == child );
	if ( !WIFEXITED( status ) )
		fail_msg( "a child ended by signal %d with %zu bytes more", WTERMSIG( status ), more );
	return WEXITSTATUS( status );
}

static void count_up( void *context, size_t i, uint32_t thread ) {
	(void)thread;
	atomic_fetch_add( (atomic_uint *)context + i, 1 );
}

// Overwrite the stack where the loop's state was.
static __attribute__( ( noinline ) ) void scribble( rng *r ) {
	volatile uint64_t room[2000];
	for ( size_t i = 0; i < sizeof room / sizeof room[0]; ++i )
		room[i] = rng_u64( r );
	sched_yield();
}

// On one core threads begin when the calling one has finished: it is not to wait for them, and they are not to work on
// what is no longer there. Nor is a child to miss those of its parent.
static void threads_that_come_late( void **state ) {
	(void)state;
	cpu_set_t before, one;
	if ( sched_getaffinity( 0, sizeof before, &before ) != 0 )
		skip();
	CPU_ZERO( &one );
	for ( int cpu = 0; CPU_COUNT( &one ) == 0; ++cpu )
		if ( CPU_ISSET( cpu, &before ) )
			CPU_SET( cpu, &one );
	assert_int_equal( sched_setaffinity( 0, sizeof one, &one ), 0 );
	rng r = rng_announce( "threads that come late", 11 );
	for ( size_t i = 0; i < rounds( 3000 ); ++i ) {
		atomic_uint counts[40];
		const size_t count = 1 + rng_below( &r, 40 );
		for ( size_t k = 0; k < 40; ++k )
			atomic_init( &counts[k], 0 );
		dbvhi_parallel_for( count, 1 + rng_below( &r, 3 ), 2 + (uint32_t)rng_below( &r, 30 ), count_up, counts );
		scribble( &r );
		for ( size_t k = 0; k < 40; ++k )
			assert_int_equal( atomic_load( &counts[k] ), k < count );
		if ( i % 500 == 0 ) {
			fflush( NULL );
			const pid_t child = fork();
			assert_true( child >= 0 );
			if ( child == 0 ) {
				alarm( 60 );
				atomic_uint sums[40];
				for ( size_t k = 0; k < 40; ++k )
					atomic_init( &sums[k], 0 );
				dbvhi_parallel_for( 40, 1, 300, count_up, sums );
				exit( atomic_load( &sums[39] ) == 1 ? 0 : 1 );
			}
			int said = 1;
			assert_true( waitpid( child, &said, 0 ) == child );
			assert_true( WIFEXITED( said ) && WEXITSTATUS( said ) == 0 );
		}
	}
	assert_int_equal( sched_setaffinity( 0, sizeof before, &before ), 0 );
}

static void threads_that_cannot_be_made( void **state ) {
	(void)state;
	if ( SANITIZED || pages_in_use() == 0 )
		skip();
	rng r = rng_announce( "threads that cannot be made", 7 );
	scene s;
	scene_make( &s, &r );
	size_t said[3] = { 0 };
	const size_t count = 2 + rounds( 30 );
	for ( size_t i = 0; i < count; ++i ) {
		// Limits from a page to 256 MiB, as many in each octave; first one that is enough, and one that is not.
		const size_t more = i < 2 ? (size_t)1 << 28 : (size_t)4096 << rng_below( &r, 16 );
		const size_t left = i == 1 ? 16384 : i % 2 == 0 ? 0 : (size_t)16384 << rng_below( &r, 12 );
		const int says = ask_limited( &s, more + 4096 * (size_t)rng_below( &r, more / 4096 + 1 ), left );
		if ( says != SAID_OK && says != SAID_NO_MEMORY )
			fail_msg( "a child ended with %d, %zu bytes more", says, more );
		said[says - SAID_OK] += 1;
	}
	printf( "limits of memory: %zu answered, %zu without memory\n", said[0], said[1] );
	assert_true( said[0] > 0 && said[1] > 0 );
	dbvh_tree_destroy( s.tree );
}

static void fork_after_threads( void **state ) {
	(void)state;
	rng r = rng_announce( "fork after threads", 8 );
	scene s;
	scene_make( &s, &r );
	for ( int i = 0; i < 5; ++i ) {
		assert_int_equal( ask( &s ), SAID_OK );
		assert_int_equal( ask_limited( &s, 0, 0 ), SAID_OK );
	}
	dbvh_tree_destroy( s.tree );
}

static void *ask_often( void *context ) {
	int worst = SAID_OK;
	for ( int i = 0; i < 3; ++i ) {
		const int says = ask( context );
		worst = says > worst ? says : worst;
	}
	return worst == SAID_OK ? context : NULL;
}

static void threads_from_many_threads( void **state ) {
	(void)state;
	rng r = rng_announce( "threads from many threads", 9 );
	scene s;
	scene_make( &s, &r );
	pthread_t threads[4];
	for ( int i = 0; i < 4; ++i )
		assert_int_equal( pthread_create( &threads[i], NULL, ask_often, &s ), 0 );
	for ( int i = 0; i < 4; ++i ) {
		void *right = NULL;
		assert_int_equal( pthread_join( threads[i], &right ), 0 );
		assert_non_null( right );
	}
	dbvh_tree_destroy( s.tree );
}

// ------------------------------------------------------------------------------------------------
// The loop itself

typedef struct roll {
	atomic_uint seen[1000];
	atomic_uint busy[DBVHI_MAX_THREADS];
	atomic_bool wrong;
	uint32_t thread_count;
} roll;

static void count_index( void *context, size_t i, uint32_t thread ) {
	roll *t = context;
	atomic_fetch_add( &t->seen[i], 1 );
	// No number stands for two threads at a time, and a task starts no threads.
	if ( thread >= t->thread_count || atomic_fetch_add( &t->busy[thread], 1 ) != 0 || dbvhi_thread_count( 8 ) != 1 )
		atomic_store( &t->wrong, true );
	else
		atomic_fetch_sub( &t->busy[thread], 1 );
}

static void every_index_once( void **state ) {
	(void)state;
	rng r = rng_announce( "every index once", 10 );
	for ( size_t round = 0; round < rounds( 200 ); ++round ) {
		static roll t;
		memset( &t, 0, sizeof t );
		const size_t count = rng_below( &r, 1000 ), grain = 1 + rng_below( &r, round % 3 == 0 ? 1000 : 20 );
		t.thread_count = 1 + rng_below( &r, round % 10 == 0 ? DBVHI_MAX_THREADS : 6 );
		dbvhi_parallel_for( count, grain, t.thread_count, count_index, &t );
		for ( size_t i = 0; i < 1000; ++i )
			assert_int_equal( t.seen[i], i < count );
		// Without threads the calling thread reports the number that it may use.
		if ( t.thread_count > 1 && dbvhi_thread_count( 8 ) > 1 && count > grain )
			assert_false( t.wrong );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( every_index_once ),
	    cmocka_unit_test( fork_after_threads ),
	    cmocka_unit_test( threads_from_many_threads ),
	    cmocka_unit_test( threads_that_come_late ),
	    cmocka_unit_test( threads_that_cannot_be_made ),
	};
	return test_main( argc, argv, tests );
}
