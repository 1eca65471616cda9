// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Overlaps of families of bodies against volumes in rational arithmetic: combs, nested shells, tori, rough surfaces,
// and thin slabs, far away and turned. Also the same bytes on every instruction set and under any number of threads.

#include "dualbvh/isa.h"
#include "dualbvh/overlap.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/solids.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dbvh_overlap *overlap;
static size_t pairs, undecided;

static int set_up( void **state ) {
	(void)state;
	pairs = undecided = 0;
	return dbvh_overlap_create( NULL, &overlap, NULL ) == DBVH_OK ? 0 : -1;
}

static int tear_down( void **state ) {
	(void)state;
	dbvh_overlap_destroy( overlap );
	printf( "%zu pairs, %zu undecided\n", pairs, undecided );
	return 0;
}

// Find the overlap of two bodies and compare the volume with the oracle's; frees the bodies. Returns the relative
// width.
static double check( shape a, shape b, const dbvh_pose *pose ) {
	dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
	const dbvh_mesh_view va = shape_view( &a ), vb = shape_view( &b );
	dbvh_overlap_result found, back;
	double truth = 0.0;
	assert_int_equal( dbvh_overlap_find( ta, NULL, tb, pose, NULL, overlap, &found, NULL ), DBVH_OK );
	assert_int_equal( dbvh_overlap_find( tb, pose, ta, NULL, NULL, overlap, &back, NULL ), DBVH_OK );
	const dbvh_interval v = found.measure.volume;
	const bool ok = memcmp( &v, &back.measure.volume, sizeof v ) == 0 &&
	                oracle_common_volume_is_in( &va, &vb, pose, v.lower, v.upper, &truth );
	pairs += 1;
	undecided += found.reason != DBVH_OVERLAP_REASON_DECIDED;
	if ( !ok ) {
		printf( "%s [%.17g, %.17g], should be %.17g\n", dbvh_overlap_reason_name( found.reason ), v.lower, v.upper,
		        truth );
		print_pose( "pose", pose );
	}
	assert_true( ok );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	shape_free( &a );
	shape_free( &b );
	return v.upper > 0.0 ? ( v.upper - v.lower ) / v.upper : 0.0;
}

// A pose of whole numbers, turned by right angles, or any.
static dbvh_pose any_pose( rng *r, double reach ) {
	if ( rng_below( r, 3 ) == 0 )
		return random_pose( r, reach );
	dbvh_pose pose = rng_below( r, 2 ) == 0 ? exact_pose( r, 1.0 ) : dbvh_pose_identity();
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] = (double)rng_below( r, 5 ) - 2.0;
	return pose;
}

static shape comb( rng *r ) {
	enum { TEETH = 4 };
	double polygon[4 * TEETH][2];
	size_t n = 0;
	const double length = 1.0 + (double)rng_below( r, 4 );
	polygon[n][0] = 0.0;
	polygon[n++][1] = 0.0;
	polygon[n][0] = 2.0 * TEETH - 1.0;
	polygon[n++][1] = 0.0;
	for ( int i = TEETH; i-- > 0; ) {
		polygon[n][0] = 2.0 * i + 1.0;
		polygon[n++][1] = 1.0 + length;
		polygon[n][0] = 2.0 * i;
		polygon[n++][1] = 1.0 + length;
		if ( i > 0 ) {
			polygon[n][0] = 2.0 * i;
			polygon[n++][1] = 1.0;
			polygon[n][0] = 2.0 * i - 1.0;
			polygon[n++][1] = 1.0;
		}
	}
	shape s = { 0 };
	add_prism( &s, (const double( * )[2])polygon, n, 0.0, 1.0 + (double)rng_below( r, 2 ) );
	return s;
}

static void test_combs( void **state ) {
	(void)state;
	rng r = rng_announce( "combs", 21 );
	for ( size_t i = 0; i < rounds( 10 ); ++i ) {
		const shape a = comb( &r ), b = comb( &r );
		const dbvh_pose pose = any_pose( &r, 2.0 );
		check( a, b, &pose );
	}
}

// Shells in each other, each other one a cavity.
static shape shells( rng *r ) {
	shape s = { 0 };
	const int count = 2 + (int)rng_below( r, 3 );
	for ( int i = 0; i < count; ++i ) {
		const double low = i * 0.5 + (double)rng_below( r, 3 ) / 16.0, high = 4.0 - i * 0.5;
		add_block( &s, ( const double[3] ){ low, low, low }, ( const double[3] ){ high, high, high },
		           rng_below( r, 2 ) == 0, i % 2 != 0 );
	}
	return s;
}

static void test_nested( void **state ) {
	(void)state;
	rng r = rng_announce( "nested", 22 );
	for ( size_t i = 0; i < rounds( 10 ); ++i ) {
		const shape a = shells( &r ), b = shells( &r );
		const dbvh_pose pose = any_pose( &r, 2.0 );
		check( a, b, &pose );
	}
}

static void test_tori( void **state ) {
	(void)state;
	rng r = rng_announce( "tori", 23 );
	for ( size_t i = 0; i < rounds( 2 ); ++i ) {
		shape a = { 0 }, b = { 0 };
		shape_add_torus( &a, 2.0, 0.75, 6, 4 );
		shape_add_torus( &b, 1.5, 0.5, 5, 3 );
		const dbvh_pose pose = random_pose( &r, 2.0 );
		check( a, b, &pose );
	}
}

// Spheres with a rough surface, as scans have.
static shape rough( rng *r ) {
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 7, 5 );
	for ( size_t i = 0; i < s.vertex_count; ++i ) {
		const double size = 0.8 + 0.2 * rng_unit( r );
		for ( size_t k = 0; k < 3; ++k )
			s.positions[3 * i + k] = (double)(float)( s.positions[3 * i + k] * size );
	}
	return s;
}

static void test_rough( void **state ) {
	(void)state;
	rng r = rng_announce( "rough", 24 );
	for ( size_t i = 0; i < rounds( 2 ); ++i ) {
		const shape a = rough( &r ), b = rough( &r );
		const dbvh_pose pose = random_pose( &r, 0.75 );
		check( a, b, &pose );
	}
}

// Slabs of 2^-4 to 2^-50 of two cubes, here, far away, and turned.
static void test_slabs( void **state ) {
	(void)state;
	rng r = rng_announce( "slabs", 25 );
	double widest[3] = { 0.0, 0.0, 0.0 };
	for ( size_t i = 0; i < rounds( 1 ); ++i ) {
		for ( int k = 4; k <= 50; ++k ) {
			const int where = (int)rng_below( &r, 3 );
			const double far = where == 1 ? 0x1p20 : 0.0;
			shape a = { 0 }, b = { 0 };
			add_block( &a, ( const double[3] ){ far, far, far }, ( const double[3] ){ far + 1, far + 1, far + 1 },
			           false, false );
			add_block( &b, ( const double[3] ){ 0, 0.25, -1 }, ( const double[3] ){ 1, 0.75, 2 }, false, false );
			dbvh_pose pose = where == 2 ? random_pose( &r, 0.0 ) : dbvh_pose_identity();
			// note: after a turn a corner, not a face, enters by some of its size.
			pose.pos[0] = where == 2 ? 1.0 : far + 1.0 - ldexp( 1.0, -( where == 1 && k > 30 ? 30 : k ) );
			pose.pos[1] = pose.pos[2] = far;
			widest[where] = fmax( widest[where], check( a, b, &pose ) );
		}
	}
	printf( "relative widths: near %.2g, far %.2g, turned %.2g\n", widest[0], widest[1], widest[2] );
	assert_true( widest[0] < 1e-9 && widest[1] < 1e-6 );
}

// The same bytes on every instruction set that there is, and with any number of threads.
static void test_same_everywhere( void **state ) {
	(void)state;
	rng r = rng_announce( "same", 26 );
	shape a = { 0 }, b = { 0 };
	shape_add_torus( &a, 2.0, 0.75, 40, 24 );
	shape_add_sphere( &b, 1.25, 30, 20 );
	dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
	for ( size_t i = 0; i < rounds( 10 ); ++i ) {
		const dbvh_pose pose = random_pose( &r, 2.0 );
		dbvh_overlap_result first, found;
		assert_int_equal( dbvh_overlap_find( ta, NULL, tb, &pose, NULL, overlap, &first, NULL ), DBVH_OK );
		static const char *const sets[] = { "avx512", "avx2", "neon", "baseline", "scalar" };
		for ( size_t k = 0; k < sizeof sets / sizeof sets[0]; ++k ) {
			if ( dbvh_isa_select( sets[k], NULL ) != DBVH_OK )
				continue;
			for ( uint32_t threads = 1; threads <= 3; ++threads ) {
				const dbvh_overlap_query query = { .thread_count = threads };
				assert_int_equal( dbvh_overlap_find( ta, NULL, tb, &pose, &query, overlap, &found, NULL ), DBVH_OK );
				assert_memory_equal( &first, &found, sizeof first );
			}
		}
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	shape_free( &a );
	shape_free( &b );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( test_combs, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_nested, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_tori, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_rough, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_slabs, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_same_everywhere, set_up, tear_down ),
	};
	return test_main( argc, argv, tests );
}
