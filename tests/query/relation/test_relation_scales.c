// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Relations at the ends of the doubles: multiplying a scene by a power of two changes no verdict, down to where the
// smallest double is the unit of whole coordinates.

#include "support/oracle.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/solids.h"
#include "support/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dbvh_tree *tree_with_leaves( const shape *s, uint32_t leaf_size ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.leaf_size = leaf_size;
	return tree_of( s, &options );
}

static dbvh_pose scaled_pose( const dbvh_pose *pose, int exponent ) {
	dbvh_pose out = *pose;
	for ( int k = 0; k < 3; ++k )
		out.pos[k] = ldexp( pose->pos[k], exponent );
	return out;
}

// How many of both orders and some leaf sizes are wrong at 2^exponent.
static int try_scale( const char *what, const shape *a, const shape *b, const dbvh_pose *pose, int exponent,
                      dbvh_relation right ) {
	static const uint32_t leaves[][2] = { { 1, 1 }, { 1, 8 }, { 64, 1 } };
	int wrong = 0;
	shape sa = scaled_copy( a, exponent ), sb = scaled_copy( b, exponent );
	const dbvh_pose scaled = scaled_pose( pose, exponent );
	for ( int i = 0; i < 3; ++i ) {
		dbvh_tree *ta = tree_with_leaves( &sa, leaves[i][0] ), *tb = tree_with_leaves( &sb, leaves[i][1] );
		dbvh_relate_result there, back;
		assert_int_equal( dbvh_relate( ta, NULL, tb, &scaled, NULL, NULL, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( tb, &scaled, ta, NULL, NULL, NULL, &back, NULL ), DBVH_OK );
		if ( there.relation != right || back.relation != swapped_relation( right ) ) {
			wrong += 1;
			printf( "%s times 2^%d, leaves of %u and %u: %s and back %s, should be %s\n", what, exponent, leaves[i][0],
			        leaves[i][1], dbvh_relation_name( there.relation ), dbvh_relation_name( back.relation ),
			        dbvh_relation_name( right ) );
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
	}
	shape_free( &sa );
	shape_free( &sb );
	return wrong;
}

static void add_cube( shape *s, double side ) {
	const double low[3] = { 0.0, 0.0, 0.0 }, high[3] = { side, side, side };
	add_block( s, low, high, false, false );
}

static void test_cubes( void **state ) {
	(void)state;
	shape s = { 0 }, large = { 0 };
	add_cube( &s, 1.0 );
	add_cube( &large, 3.0 );
	static const struct {
		double x, y, z;
		dbvh_relation same, within;
	} cases[] = {
	    { 0, 0, 0, DBVH_RELATION_EQUAL, DBVH_RELATION_A_IN_B },
	    { 1, 0, 0, DBVH_RELATION_TOUCHING, DBVH_RELATION_TOUCHING },
	    { 0, -1, 0, DBVH_RELATION_TOUCHING, DBVH_RELATION_A_IN_B },
	    { -1, -1, -1, DBVH_RELATION_TOUCHING, DBVH_RELATION_A_IN_B },
	    { 0, 2, 1, DBVH_RELATION_DISJOINT, DBVH_RELATION_DISJOINT },
	    { 1, 1, 1, DBVH_RELATION_TOUCHING, DBVH_RELATION_TOUCHING },
	};
	int wrong = 0;
	for ( int exponent = -1074; exponent <= 1020; exponent += exponent < -1045 ? 1 : 295 ) {
		for ( size_t i = 0; i < sizeof cases / sizeof *cases; ++i ) {
			dbvh_pose pose = dbvh_pose_identity();
			pose.pos[0] = cases[i].x;
			pose.pos[1] = cases[i].y;
			pose.pos[2] = cases[i].z;
			wrong += try_scale( "cubes", &s, &s, &pose, exponent, cases[i].same );
			wrong += try_scale( "a cube and a larger one", &s, &large, &pose, exponent, cases[i].within );
		}
	}
	shape_free( &s );
	shape_free( &large );
	assert_int_equal( wrong, 0 );
}

static void test_tetrahedra( void **state ) {
	(void)state;
	static const double p[4][3] = { { 4, 2, 4 }, { 2, -1, 2 }, { 0, 0, -3 }, { -1, -3, -1 } };
	shape s = { 0 };
	assert_true( add_tetra( &s, p ) );
	const dbvh_pose pose = dbvh_pose_identity();
	int wrong = 0;
	for ( int exponent = -1074; exponent <= -1000; ++exponent )
		wrong += try_scale( "a tetrahedron and itself", &s, &s, &pose, exponent, DBVH_RELATION_EQUAL );
	shape_free( &s );
	assert_int_equal( wrong, 0 );
}

// Whole coordinates and poses, so that nothing is lost by the scale.
static void test_random_solids( void **state ) {
	(void)state;
	rng r = rng_announce( "relation: scales", 41 );
	const size_t count = rounds( 120 );
	size_t seen[DBVH_RELATION_UNDECIDABLE + 1] = { 0 };
	int wrong = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		add_random_solid( &a, &r, 1 + (int)rng_below( &r, 3 ) );
		if ( i % 8 == 0 )
			b = scaled_copy( &a, 0 );
		else
			add_random_solid( &b, &r, 1 + (int)rng_below( &r, 3 ) );
		dbvh_pose pose = i % 2 == 0 ? dbvh_pose_identity() : exact_pose( &r, 1.0 );
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = i % 8 == 0 ? 0.0 : (double)rng_below( &r, 3 ) - 1.0;
		const dbvh_relation right = oracle_relation( &a, &b, &pose );
		seen[right] += 1;
		for ( int k = 0; k < 4; ++k ) {
			const int exponent = k < 3 ? -1074 + (int)rng_below( &r, 40 ) : 1019 - (int)rng_below( &r, 40 );
			wrong += try_scale( "solids", &a, &b, &pose, exponent, right );
		}
		shape_free( &a );
		shape_free( &b );
	}
	for ( int k = 0; k < DBVH_RELATION_UNDECIDABLE; ++k ) {
		printf( "%s %zu\n", dbvh_relation_name( (dbvh_relation)k ), seen[k] );
		assert_outcomes( seen[k] > 0 || count < 100 );
	}
	assert_int_equal( wrong, 0 );
}

// Points of half the unit, so that the smallest exponent is one more.
static void test_points( void **state ) {
	(void)state;
	rng r = rng_announce( "points: scales", 43 );
	const size_t count = rounds( 150 );
	size_t seen[3] = { 0 };
	int wrong = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape s = { 0 };
		add_random_solid( &s, &r, 3 );
		dbvh_pose pose = exact_pose( &r, 1.0 );
		const dbvh_mesh_view view = shape_view( &s );
		const int exponent = i % 4 != 0 ? -1073 + (int)rng_below( &r, 40 ) : 1019 - (int)rng_below( &r, 40 );
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = (double)rng_below( &r, 5 ) - 2.0;
		const dbvh_pose scaled = scaled_pose( &pose, exponent );
		shape t = scaled_copy( &s, exponent );
		dbvh_tree *tree = tree_with_leaves( &t, 1 + (uint32_t)rng_below( &r, 8 ) );
		for ( int k = 0; k < 12; ++k ) {
			double p[3], q[3];
			for ( int j = 0; j < 3; ++j ) {
				p[j] = 0.5 * (double)rng_below( &r, 9 ) - ( k % 2 == 0 ? 2.0 : 0.5 );
				q[j] = ldexp( p[j], exponent );
			}
			static const dbvh_location meaning[3] = { DBVH_LOCATION_OUTSIDE, DBVH_LOCATION_ON_SURFACE,
			                                          DBVH_LOCATION_INSIDE };
			const dbvh_location right = meaning[oracle_locate( &view, k % 2 == 0 ? &pose : NULL, p )];
			dbvh_location location;
			assert_int_equal( dbvh_locate_point( tree, k % 2 == 0 ? &scaled : NULL, q, &location, NULL ), DBVH_OK );
			seen[right] += 1;
			if ( location != right && wrong++ < 3 )
				printf( "round %zu: a point times 2^%d is %d, should be %d\n", i, exponent, (int)location, (int)right );
		}
		dbvh_tree_destroy( tree );
		shape_free( &s );
		shape_free( &t );
	}
	printf( "points: %zu outside, %zu on the surface, %zu inside\n", seen[0], seen[1], seen[2] );
	assert_int_equal( wrong, 0 );
	assert_outcomes( seen[0] > 0 && seen[1] > 0 && seen[2] > 0 );
}

// Compare the length of a move with `length`. Both are scaled to about 1 first; denormal numbers have few bits, so
// their squares are exact there.
static bool is_longer( const double move[3], double length ) {
	int exponent;
	frexp( length, &exponent );
	long double sum = 0.0L;
	for ( int k = 0; k < 3; ++k ) {
		const long double x = ldexpl( (long double)move[k], -exponent );
		sum += x * x;
	}
	const long double limit = ldexpl( (long double)length, -exponent );
	return sum > limit * limit;
}

// `separation` is no longer than touch_overlap, wherever a unit is much of a move.
static void test_separations( void **state ) {
	(void)state;
	rng r = rng_announce( "separations: scales", 47 );
	const size_t count = rounds( 150 );
	size_t parted = 0, kept = 0, longer = 0, still = 0;
	for ( size_t i = 0; i < count; ++i ) {
		double p[2][4][3];
		shape s[2] = { { 0 }, { 0 } };
		for ( int k = 0; k < 2; ++k ) {
			do {
				shape_free( &s[k] );
				for ( int c = 0; c < 12; ++c )
					p[k][c / 3][c % 3] = (double)rng_below( &r, 2049 ) - 1024.0;
			} while ( !add_tetra( &s[k], p[k] ) );
		}
		const int exponent = -1074 + (int)rng_below( &r, 30 );
		shape a = scaled_copy( &s[0], exponent ), b = scaled_copy( &s[1], exponent );
		dbvh_tree *ta = tree_with_leaves( &a, 1 ), *tb = tree_with_leaves( &b, 1 );
		for ( int k = 0; k < 4; ++k ) {
			const dbvh_relate_query options = { .touch_overlap =
			                                        ldexp( (double)( 1 + rng_below( &r, 800 ) ), exponent ) };
			dbvh_relate_result result, after;
			assert_int_equal( dbvh_relate( ta, NULL, tb, NULL, &options, NULL, &result, NULL ), DBVH_OK );
			if ( result.exact != DBVH_RELATION_OVERLAPPING )
				continue;
			if ( result.relation == DBVH_RELATION_OVERLAPPING ) {
				kept += 1;
				continue;
			}
			parted += 1;
			longer += is_longer( result.separation, options.touch_overlap );
			dbvh_pose moved = dbvh_pose_identity();
			memcpy( moved.pos, result.separation, sizeof moved.pos );
			assert_int_equal( dbvh_relate( ta, NULL, tb, &moved, NULL, NULL, &after, NULL ), DBVH_OK );
			still += after.relation != DBVH_RELATION_TOUCHING && after.relation != DBVH_RELATION_DISJOINT;
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		for ( int k = 0; k < 2; ++k )
			shape_free( &s[k] );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "separations: %zu parted, %zu not; %zu too long, %zu that part nothing\n", parted, kept, longer, still );
	assert_int_equal( longer, 0 );
	assert_int_equal( still, 0 );
	assert_outcomes( count < 100 || ( parted > 0 && kept > 0 ) );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_cubes ),  cmocka_unit_test( test_tetrahedra ),  cmocka_unit_test( test_random_solids ),
	    cmocka_unit_test( test_points ), cmocka_unit_test( test_separations ),
	};
	return test_main( argc, argv, tests );
}
