// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Whatever mode the caller's floating-point unit is in, every public function answers the same bits and leaves the mode
// as it was, on all threads that it works on. DUALBVH_TEST_SCALE=500 makes it ten thousand scenes.

#include "dualbvh/isa.h"
#include "fpenv_calls.h"
#include "support/fpmode.h"
#include "support/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const isas[] = { "avx512", "avx2", "baseline", "scalar" };
static fpmode expected_mode;

static bool is_restored( void ) {
	return fpmode_get() == expected_mode;
}

// The answers so far; before the first trap the only hint at the call that raised it is the one before.
static const answers *under_way;

static void on_trap( int number ) {
	(void)number;
	static const char text[] = "an unmasked exception trapped in the call after: ";
	const char *const call =
	    under_way != NULL && under_way->count > 0 ? under_way->list[under_way->count - 1].call : "?";
	if ( write( 2, text, sizeof text - 1 ) < 0 || write( 2, call, strlen( call ) ) < 0 || write( 2, "\n", 1 ) < 0 )
		_exit( 3 );
	_exit( 2 );
}

// The caller's other threads, which the library works on too: they outlive a loop, and keep the modes that they have.
static void set_threads( uint32_t threads, fpmode mode ) {
#ifdef _OPENMP
	if ( threads > 1 ) {
#pragma omp parallel num_threads( (int)threads )
		fpmode_set( mode );
	}
#else
	(void)threads;
	(void)mode;
#endif
}

static size_t threads_not_restored( uint32_t threads ) {
	size_t count = 0;
#ifdef _OPENMP
	if ( threads > 1 ) {
#pragma omp parallel num_threads( (int)threads )
		if ( !is_restored() ) {
#pragma omp atomic
			count += 1;
		}
	}
#else
	(void)threads;
#endif
	return count;
}

static size_t in_mode( const call_scene *s, fpmode mode, answers *out ) {
	under_way = out;
	out->is_restored = is_restored;
	set_threads( out->threads, mode );
	fpmode_set( mode );
	expected_mode = fpmode_get();
	call_everything( s, out );
	const size_t wrong = threads_not_restored( out->threads );
	fpmode_set( FPMODE_DEFAULT );
	set_threads( out->threads, FPMODE_DEFAULT );
	return wrong;
}

static size_t differences( const answers *a, const answers *b, const char *isa, const char *mode, size_t scene ) {
	size_t count = a->count != b->count;
	for ( size_t i = 0; i < a->count && i < b->count; ++i ) {
		if ( a->list[i].hash == b->list[i].hash )
			continue;
		if ( count++ == 0 )
			printf( "scene %zu, %s, %s: %s\n", scene, isa, mode, a->list[i].call );
	}
	return count;
}

static void every_mode_answers_alike( void **state ) {
	(void)state;
	rng r = rng_announce( "fpenv", 1 );
	const size_t count = rounds( 20 ) > 2 ? rounds( 20 ) : 2; // answers of a single round may all be alike
	size_t runs = 0, wrong = 0, calls = 0, meeting = 0;
	for ( size_t i = 0; i < count; ++i ) {
		call_scene scene;
		make_call_scene( &scene, &r );
		dbvh_collide_result result;
		assert_int_equal(
		    dbvh_collide( scene.trees[0], &scene.pose_a, scene.trees[1], &scene.poses[0], NULL, NULL, &result, NULL ),
		    DBVH_OK );
		meeting += result.verdict == DBVH_INTERSECTING;
		for ( size_t k = 0; k < sizeof isas / sizeof isas[0]; ++k ) {
			if ( dbvh_isa_select( isas[k], NULL ) != DBVH_OK )
				continue;
			answers truth = { .threads = 1 }, now = { .threads = 1 };
			call_everything( &scene, &truth );
			calls = truth.count;
			// Three modes a scene and instruction set; all come round.
			for ( size_t n = 0; n < 3; ++n, ++runs ) {
				const size_t m = ( i + k + 3 * n ) % FPMODE_COUNT;
				// Now and then on threads, which would rather be idle.
				now.threads = ( i + k + n ) % 8 == 0 ? 2 : 1;
				wrong += in_mode( &scene, fpmodes[m].mode, &now );
				wrong += differences( &truth, &now, isas[k], fpmodes[m].name, i );
			}
		}
		assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
		free_call_scene( &scene );
	}
	printf( "%zu scenes, %zu of them meeting, %zu modes: %zu runs of %zu answers, %zu differences\n", count, meeting,
	        FPMODE_COUNT, runs, calls, wrong );
	assert_outcomes( meeting > 0 && meeting < count );
	assert_int_equal( wrong, 0 );
}

#if defined( FPMODE_FLAGS )
// In the default mode the control word is not written, so flags stay.
static void flags_stay_where_the_mode_is_the_default( void **state ) {
	(void)state;
	const dbvh_sphere a = { { 0.1, 0.2, 0.3 }, 1.0 }, b = { { 0.7, 0.1, 0.4 }, 1.0 };
	bool meet;
	fpmode_set( FPMODE_DEFAULT | 0x01 );
	assert_int_equal( dbvh_sphere_sphere_intersect( &a, &b, &meet ), DBVH_OK );
	assert_true( ( fpmode_get() & 0x01 ) != 0 );
	fpmode_set( FPMODE_DEFAULT );
}
#endif

// Processor time of this process, whatever else the machine does.
static double seconds( void ) {
	return (double)clock() / (double)CLOCKS_PER_SEC;
}

// The cost of the environment's guard: printed, not judged, since machines are busy.
static void cost( void **state ) {
	(void)state;
	enum { CALLS = 1000000, ROUNDS = 9 };
	const dbvh_ellipsoid *volatile none = NULL;
	double best[3] = { 1.0, 1.0, 1.0 };
	for ( int round = 0; round < ROUNDS; ++round ) {
		// A function that does no more than look at a pointer, and one without a change of mode.
		const double t0 = seconds();
		for ( int i = 0; i < CALLS; ++i )
			(void)dbvh_ellipsoid_repair( (dbvh_ellipsoid *)none, 0.0 );
		const double t1 = seconds();
		fpmode_set( fpmodes[0].mode );
		for ( int i = 0; i < CALLS; ++i )
			(void)dbvh_ellipsoid_repair( (dbvh_ellipsoid *)none, 0.0 );
		fpmode_set( FPMODE_DEFAULT );
		const double t2 = seconds();
		for ( int i = 0; i < CALLS; ++i )
			(void)dbvh_version();
		const double t3 = seconds();
		best[0] = fmin( best[0], t1 - t0 );
		best[1] = fmin( best[1], t2 - t1 );
		best[2] = fmin( best[2], t3 - t2 );
	}
	printf( "ns a call: %.1f in the default mode, %.1f in another, %.1f without\n", 1e9 / CALLS * best[0],
	        1e9 / CALLS * best[1], 1e9 / CALLS * best[2] );
}

int main( int argc, char **argv ) {
	signal( SIGFPE, on_trap );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( every_mode_answers_alike ),
#if defined( FPMODE_FLAGS )
		cmocka_unit_test( flags_stay_where_the_mode_is_the_default ),
#endif
		cmocka_unit_test( cost ),
	};
	return test_main( argc, argv, tests );
}
