// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One distance, clearance or relation on several threads: what one thread says, bit by bit, for scenes that are heavy
// enough to be handed out, in whatever order the threads come to their pieces.

#include "dualbvh/distance.h"
#include "dualbvh/relation.h"
#include "simd/isa.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t seed_default = 20261124;

typedef struct scene {
	dbvh_tree *a, *b;
	dbvh_pose pose;
	double distance; // the known distance, or negative
} scene;

static dbvh_tree *ball( double radius, uint32_t slices, uint32_t stacks ) {
	const dbvh_tree_options options = { .topology = true };
	shape s = { 0 };
	shape_add_sphere( &s, radius, slices, stacks );
	dbvh_tree *tree = tree_of( &s, &options );
	shape_free( &s );
	return tree;
}

// One sphere within the other: all of it is about equally near, and where they are `alike` each corner has one that is
// as near as all others, so that there is no room for all that may be the nearest. `off` moves one through the other.
static scene spheres( double radius, double off, bool alike ) {
	scene s = { ball( 1.0, 48, 32 ), alike ? ball( radius, 48, 32 ) : ball( radius, 44, 36 ), dbvh_pose_identity(),
	            -1.0 };
	s.pose.pos[0] = off;
	return s;
}

// Two plates of many triangles, parallel: thousands of pairs are as near as the nearest.
static scene plates( double gap ) {
	shape x = { 0 }, y = { 0 };
	shape_add_box( &x, 1.0, 1.0, 0.25, 24 );
	shape_add_box( &y, 0.75, 0.75, 0.25, 20 );
	scene s = { tree_of( &x, NULL ), tree_of( &y, NULL ), dbvh_pose_identity(), gap };
	s.pose.pos[2] = 0.5 + gap;
	s.pose.pos[0] = 0.0625;
	shape_free( &x );
	shape_free( &y );
	return s;
}

static void done( scene *s ) {
	dbvh_tree_destroy( s->a );
	dbvh_tree_destroy( s->b );
}

static bool same( const dbvh_distance_result *x, const dbvh_distance_result *y ) {
	return x->found == y->found && memcmp( &x->distance, &y->distance, sizeof x->distance ) == 0 &&
	       x->pair.a == y->pair.a && x->pair.b == y->pair.b &&
	       memcmp( x->point_a, y->point_a, sizeof x->point_a ) == 0 &&
	       memcmp( x->point_b, y->point_b, sizeof x->point_b ) == 0 &&
	       memcmp( x->between, y->between, sizeof x->between ) == 0;
}

static size_t ask( const scene *s, double limit ) {
	const dbvh_distance_query alone = { .limit = limit };
	dbvh_distance_result one, several;
	assert_int_equal( dbvh_distance( s->a, NULL, s->b, &s->pose, &alone, NULL, &one, NULL ), DBVH_OK );
	assert_true( s->distance < 0.0 || !one.found || one.distance == s->distance );
	size_t handed_out = 0;
	for ( uint32_t threads = 2; threads < 6; ++threads ) {
		const dbvh_distance_query query = { .limit = limit, .thread_count = threads };
		assert_int_equal( dbvh_distance( s->a, NULL, s->b, &s->pose, &query, NULL, &several, NULL ), DBVH_OK );
		assert_true( same( &one, &several ) );
		handed_out += several.counters.sphere_tests != one.counters.sphere_tests;
	}
	return handed_out;
}

static void distances( void **state ) {
	(void)state;
	rng r = rng_announce( "distance threads: distances", seed_default );
	size_t isa_count, handed_out = 0, meet = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	for ( size_t n = 0; n < isa_count + 4; ++n ) {
		assert_true( dbvhi_isa_select( isa[n % isa_count].name ) );
		scene s = n % 2 == 0 ? plates( ldexp( 1.0, -(int)rng_below( &r, 20 ) ) )
		                     : spheres( 1.0 + rng_range( &r, 0.002, 0.01 ),
		                                rng_range( &r, 0.0, n % 4 == 1 ? 0.001 : 0.02 ), false );
		handed_out += ask( &s, 0.0 );
		dbvh_distance_result one;
		assert_int_equal( dbvh_distance( s.a, NULL, s.b, &s.pose, NULL, NULL, &one, NULL ), DBVH_OK );
		meet += one.distance == 0.0;
		if ( one.distance > 0.0 ) {
			ask( &s, one.distance );
			ask( &s, nextafter( one.distance, 0.0 ) );
		}
		done( &s );
	}
	assert_true( dbvhi_isa_select( NULL ) );
	assert_true( handed_out > 0 && meet > 0 );
	for ( int k = 0; k < 3; ++k ) {
		scene s = spheres( 1.0 + ldexp( 0.25, -3 * k ), 0.0, true );
		ask( &s, 0.0 );
		done( &s );
	}
}

// Errors and budgets keep a call on its thread: the same answers, the same counters.
static void alone( void **state ) {
	(void)state;
	scene s = spheres( 1.005, 0.0, false );
	const dbvh_budget much = { .max_work = UINT64_C( 1 ) << 40 };
	const dbvh_distance_query queries[] = {
	    { .relative_error = 0.1 }, { .absolute_error = 0.001 }, { .budget = &much } };
	for ( size_t i = 0; i < sizeof queries / sizeof queries[0]; ++i ) {
		dbvh_distance_query query = queries[i];
		dbvh_distance_result one, several;
		assert_int_equal( dbvh_distance( s.a, NULL, s.b, &s.pose, &query, NULL, &one, NULL ), DBVH_OK );
		query.thread_count = 4;
		assert_int_equal( dbvh_distance( s.a, NULL, s.b, &s.pose, &query, NULL, &several, NULL ), DBVH_OK );
		assert_true( same( &one, &several ) && one.counters.sphere_tests == several.counters.sphere_tests );
	}
	done( &s );
}

enum { ROOM = 1 << 16 };

static void clearances( void **state ) {
	(void)state;
	size_t isa_count, within = 0, beyond = 0, handed_out = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	dbvh_pair *one_list = malloc( ROOM * sizeof *one_list ), *list = malloc( ROOM * sizeof *list );
	for ( size_t n = 0; n < isa_count; ++n ) {
		assert_true( dbvhi_isa_select( isa[n].name ) );
		scene s = n % 2 == 0 ? plates( 0.0625 ) : spheres( 1.006, 0.0, true );
		dbvh_distance_result at;
		assert_int_equal( dbvh_distance( s.a, NULL, s.b, &s.pose, NULL, NULL, &at, NULL ), DBVH_OK );
		const double lengths[] = { nextafter( at.distance, 0.0 ), at.distance, 1.0001 * at.distance };
		for ( int k = 0; k < 3; ++k ) {
			dbvh_clearance_query query = { .max_distance = lengths[k] };
			dbvh_clearance_result one = { 0 }, several, before = { 0 };
			for ( uint32_t threads = 1; threads < 5; ++threads ) {
				query.find = DBVH_FIND_ANY;
				query.thread_count = threads;
				assert_int_equal( dbvh_check_clearance( s.a, NULL, s.b, &s.pose, &query, NULL, &several, NULL ),
				                  DBVH_OK );
				assert_true( several.within == ( k > 0 ) );
				within += several.within;
				beyond += !several.within;
				assert_true( threads < 3 || ( before.first.a == several.first.a && before.first.b == several.first.b &&
				                              before.counters.sphere_tests == several.counters.sphere_tests ) );
				before = several;
				query.find = DBVH_FIND_ALL;
				query.pairs = threads == 1 ? one_list : list;
				query.pair_capacity = ROOM;
				assert_int_equal( dbvh_check_clearance( s.a, NULL, s.b, &s.pose, &query, NULL, &several, NULL ),
				                  DBVH_OK );
				assert_true( several.pair_count <= ROOM );
				if ( threads == 1 )
					one = several;
				assert_true( one.pair_count == several.pair_count && one.first.a == several.first.a );
				assert_memory_equal( one_list, query.pairs, one.pair_count * sizeof *list );
				handed_out += one.counters.sphere_tests != several.counters.sphere_tests;
			}
		}
		done( &s );
	}
	assert_true( dbvhi_isa_select( NULL ) );
	assert_true( within > 0 && beyond > 0 && handed_out > 0 );
	free( list );
	free( one_list );
}

static void relations( void **state ) {
	(void)state;
	const double radii[] = { 1.004, 0.9995 };
	for ( int k = 0; k < 2; ++k ) {
		scene s = spheres( radii[k], 0.0, false );
		dbvh_relate_result one, several;
		assert_int_equal( dbvh_relate( s.a, NULL, s.b, &s.pose, NULL, NULL, &one, NULL ), DBVH_OK );
		for ( uint32_t threads = 2; threads < 4; ++threads ) {
			const dbvh_relate_query query = { .thread_count = threads };
			assert_int_equal( dbvh_relate( s.a, NULL, s.b, &s.pose, &query, NULL, &several, NULL ), DBVH_OK );
			assert_true( one.relation == several.relation && one.exact == several.exact &&
			             one.surfaces_intersect == several.surfaces_intersect );
		}
		assert_int_equal( one.relation, k == 0 ? DBVH_RELATION_A_IN_B : DBVH_RELATION_OVERLAPPING );
		done( &s );
	}
}

// A batch has threads of its own.
static void refusals( void **state ) {
	(void)state;
	scene s = spheres( 1.5, 0.0, false );
	const dbvh_distance_query distance = { .thread_count = 2 };
	const dbvh_clearance_query clearance = { .thread_count = 2 };
	const dbvh_relate_query relate = { .thread_count = 2 };
	dbvh_distance_result d;
	dbvh_clearance_result c;
	dbvh_relate_result x;
	dbvh_error error;
	assert_int_equal( dbvh_distance_batch( s.a, NULL, s.b, &s.pose, 1, &distance, NULL, &d, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_non_null( strstr( error.text, "thread_count" ) );
	assert_int_equal( dbvh_check_clearance_batch( s.a, NULL, s.b, &s.pose, 1, &clearance, NULL, &c, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_non_null( strstr( error.text, "thread_count" ) );
	assert_int_equal( dbvh_relate_batch( s.a, NULL, s.b, &s.pose, 1, &relate, NULL, &x, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_non_null( strstr( error.text, "thread_count" ) );
	done( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( distances ), cmocka_unit_test( alone ),    cmocka_unit_test( clearances ),
	    cmocka_unit_test( relations ), cmocka_unit_test( refusals ),
	};
	return test_main( argc, argv, tests );
}
