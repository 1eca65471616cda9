// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees of numbers far apart: triangles that are longer than wide by any power of two, and coordinates up to the
// largest double, where what a frame says of its children may be larger still. Every tree must validate, whatever the
// options.

#include "dualbvh/dualbvh.h"
#include "support/scene.h"
#include "support/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct count {
	size_t trees, broken;
} count;

static void check( count *c, const char *what, const double *corners, size_t triangles ) {
	static const uint32_t leaf_sizes[] = { 1, 2, 8 };
	const dbvh_mesh_view view = {
	    .positions = corners, .vertex_count = 3 * triangles, .index_type = DBVH_INDEX_TYPE_NONE };
	for ( int kind = 0; kind < 26; ++kind ) {
		dbvh_tree_options options = dbvh_tree_options_default();
		options.thread_count = 1;
		options.leaf_size = leaf_sizes[kind % 3];
		options.sphere_fit = kind / 3 % 2 == 0 ? DBVH_NODE_SPHERE_SMALLEST : DBVH_NODE_SPHERE_BOX_CENTRE;
		options.box_fit = kind / 6 % 2 == 0 ? DBVH_BOX_FIT_BEST : DBVH_BOX_FIT_COVARIANCE;
		options.split = kind / 12 == 0 ? DBVH_SPLIT_COST : DBVH_SPLIT_MEAN;
		if ( kind >= 24 ) {
			options.sphere_fit = DBVH_NODE_SPHERE_RITTER;
			options.box_fit = DBVH_BOX_FIT_RAPID;
			options.split = DBVH_SPLIT_VARIANCE;
		}
		dbvh_tree *tree = NULL;
		dbvh_error error;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, &error ), DBVH_OK );
		c->trees += 1;
		if ( dbvh_tree_validate( tree, &error ) != DBVH_OK && c->broken++ < 5 ) {
			printf( "%s, options %d, %s:\n", what, kind, error.text );
			for ( size_t i = 0; i < 3 * triangles; ++i )
				printf( "%a %a %a\n", corners[3 * i], corners[3 * i + 1], corners[3 * i + 2] );
		}
		dbvh_tree_destroy( tree );
	}
}

static void report( const char *what, const count *c ) {
	printf( "%s: %zu of %zu trees do not validate\n", what, c->broken, c->trees );
	assert_int_equal( c->broken, 0 );
}

static void long_triangles( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: long triangles", 53 );
	count c = { 0 };
	for ( int p = -40; p <= 1020; p += p > 440 && p < 560 ? 1 : 20 ) {
		for ( int low = 0; low <= 1; ++low ) {
			const double down = low == 0 ? 1.0 : ldexp( 1.0, p < 60 ? 0 : -1022 );
			double corners[9] = { ldexp( 1.3, p ) * down, 0, 0, 0, 1.7 * down, 0, 0, 0, 0 };
			for ( size_t from = 0; from < 3; ++from ) {
				const size_t k = (size_t)rng_below( &r, 3 );
				double turned[18];
				for ( size_t i = 0; i < 18; ++i )
					turned[i] = corners[3 * ( ( i / 3 + from ) % 3 ) + ( i + k ) % 3];
				for ( size_t i = 9; i < 18; ++i )
					turned[i] += i % 3 == 1 ? down : 0.0;
				check( &c, "a triangle", turned, 1 );
				check( &c, "two", turned, 2 );
			}
		}
	}
	report( "long triangles", &c );
}

static double any_size( rng *r ) {
	const double x = ldexp( 1.0 + rng_unit( r ), (int)rng_below( r, 2098 ) - 1074 );
	return rng_below( r, 4 ) == 0 ? 0.0 : rng_below( r, 2 ) == 0 ? x : -x;
}

static double near_the_end( rng *r ) {
	static const double numbers[] = { DBL_MAX, DBL_MAX, 0x1p1023, 0x1.8p1022, DBL_MAX / 16, 1.0, 0x1p-1074, 0.0 };
	const double x = rng_below( r, 4 ) == 0 ? rng_unit( r ) * DBL_MAX : numbers[rng_below( r, 8 )];
	return rng_below( r, 2 ) == 0 ? x : -x;
}

static void random_meshes( const char *what, double number( rng *r ), uint64_t seed, size_t rounds_by_default ) {
	rng r = rng_announce( what, seed );
	const size_t meshes = rounds( rounds_by_default );
	count c = { 0 };
	double corners[9 * 300];
	for ( size_t i = 0; i < meshes; ++i ) {
		// A few more than a grove now and then.
		const size_t triangles = i % 64 == 63 ? 300 : 1 + (size_t)rng_below( &r, 12 );
		const uint64_t shared = rng_below( &r, 4 );
		for ( size_t k = 0; k < 9 * triangles; ++k )
			corners[k] = number( &r );
		for ( size_t v = 1; v < 3 * triangles; ++v ) {
			if ( rng_below( &r, 4 ) >= shared )
				continue;
			const size_t from = (size_t)rng_below( &r, v );
			for ( size_t k = 0; k < 3; ++k )
				corners[3 * v + k] = corners[3 * from + k];
		}
		check( &c, what, corners, triangles );
	}
	report( what, &c );
}

static void numbers_of_all_sizes( void **state ) {
	(void)state;
	random_meshes( "tree: numbers of all sizes", any_size, 59, 600 );
}

static void numbers_near_the_largest( void **state ) {
	(void)state;
	random_meshes( "tree: numbers near the largest", near_the_end, 61, 600 );
}

// Queries on such trees: pairs against the oracle, in both orders, by all policies.
static void queries_near_the_largest( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: queries near the largest", 67 );
	const size_t scenes = rounds( 60 );
	tally t = { 0 };
	for ( size_t i = 0; i < scenes; ++i ) {
		double pool[8][3];
		for ( int k = 0; k < 24; ++k )
			pool[k / 3][k % 3] = near_the_end( &r );
		shape s[2] = { { 0 }, { 0 } };
		for ( int m = 0; m < 2; ++m ) {
			const uint32_t vertices = 3 * ( 1 + (uint32_t)rng_below( &r, i % 4 == 0 ? 10 : 3 ) );
			for ( uint32_t v = 0; v < vertices; ++v ) {
				double x[3];
				for ( int k = 0; k < 3; ++k )
					x[k] = near_the_end( &r );
				const double *from = rng_below( &r, 2 ) == 0 ? x : pool[rng_below( &r, 8 )];
				shape_vertex( &s[m], from[0], from[1], from[2] );
			}
			for ( uint32_t v = 0; v < vertices; v += 3 )
				shape_triangle( &s[m], v, v + 1, v + 2 );
		}
		const dbvh_pose pose = exact_pose( &r, 1.0 );
		compare_meshes( &t, "near the largest", &r, &s[0], NULL, &s[1], i % 2 == 0 ? NULL : &pose );
		shape_free( &s[0] );
		shape_free( &s[1] );
	}
	print_tally( "near the largest", &t );
	assert_int_equal( t.differences, 0 );
	assert_outcomes( t.meeting > 0 && t.meeting < t.scenes );
}

// A point at one end, a needle at the other.
static void largest_and_opposite( void **state ) {
	(void)state;
	count c = { 0 };
	static const double ends[] = { DBL_MAX, 0x1p1023, 0x1.8p1023, DBL_MAX / 2, DBL_MAX / 4, DBL_MAX / 8 };
	for ( size_t i = 0; i < sizeof ends / sizeof *ends; ++i ) {
		const double h = ends[i];
		const double corners[18] = { 0, h, 0, 0, h, 0, 0, h, 0, 0, 0, 0, 0, 0, 0, 0, -h, h / 16 };
		check( &c, "a point and a needle", corners, 2 );
	}
	report( "largest and opposite", &c );
}

// Boxes of a few units in the last place of where they are, so that what positions may be off is far more than they are
// large. Found by fuzz_query.
static void as_fine_as_doubles_are( void **state ) {
	(void)state;
	for ( int step = 0; step < 12; ++step ) {
		const double z = 0x1.6p21, size[3] = { 0x1p-1060, step % 2 == 0 ? 0.0 : 0x1p-32, ldexp( 0x1p-31, step / 2 ) };
		shape s = { 0 };
		shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
		for ( size_t i = 0; i < s.vertex_count; ++i ) {
			for ( int k = 0; k < 3; ++k ) {
				double *const x = &s.positions[3 * i + (size_t)k];
				*x = ( k == 2 ? z : 0.0 ) + ( *x > 0.0 ? size[k] : k == 2 ? 0.0 : -size[k] );
			}
		}
		for ( uint32_t leaf = 1; leaf <= 4; ++leaf ) {
			dbvh_tree_options options = dbvh_tree_options_default();
			options.leaf_size = leaf;
			dbvh_tree *const tree = tree_of( &s, &options );
			dbvh_error error;
			if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
				fail_msg( "step %d, leaves of %u: %s", step, leaf, error.text );
			dbvh_tree_destroy( tree );
		}
		shape_free( &s );
	}
}

// Margins for what subnormal numbers lose are not so large that volumes part nothing: two tori beside each other, of
// coordinates down to some thousands of the smallest double, are far from costing all pairs.
static void queries_near_the_smallest( void **state ) {
	(void)state;
	static const int sizes[] = { 0, -900, -1040, -1050, -1060 };
	for ( size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i ) {
		shape s = { 0 };
		shape_add_torus( &s, ldexp( 1.0, sizes[i] ), ldexp( 0.3, sizes[i] ), 20, 12 );
		const dbvh_tree_options options = { .topology = true };
		dbvh_tree *const tree = tree_of( &s, &options );
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[0] = ldexp( 2.7, sizes[i] );
		for ( int policy = DBVH_POLICY_DUAL; policy <= DBVH_POLICY_SPHERE; ++policy ) {
			if ( policy == DBVH_POLICY_SPHERE && i > 0 )
				continue; // squares of lengths are 0
			const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = (dbvh_policy)policy };
			const dbvh_distance_query nearest = { .policy = (dbvh_policy)policy };
			dbvh_collide_result hit;
			dbvh_distance_result distance;
			assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, &query, NULL, &hit, NULL ), DBVH_OK );
			assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, &nearest, NULL, &distance, NULL ), DBVH_OK );
			assert_int_equal( hit.verdict, DBVH_DISJOINT );
			const uint64_t work[2] = { hit.counters.triangle_tests + hit.counters.box_tests,
			                           distance.counters.triangle_tests + distance.counters.box_tests };
			const uint64_t all = (uint64_t)s.triangle_count * s.triangle_count;
			if ( work[0] > all / 100 || work[1] > all / 4 )
				fail_msg( "2^%d, policy %d: %llu and %llu tests of %llu", sizes[i], policy, (unsigned long long)work[0],
				          (unsigned long long)work[1], (unsigned long long)all );
		}
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( as_fine_as_doubles_are ),    cmocka_unit_test( long_triangles ),
	    cmocka_unit_test( numbers_of_all_sizes ),      cmocka_unit_test( numbers_near_the_largest ),
	    cmocka_unit_test( queries_near_the_largest ),  cmocka_unit_test( largest_and_opposite ),
	    cmocka_unit_test( queries_near_the_smallest ),
	};
	return test_main( argc, argv, tests );
}
