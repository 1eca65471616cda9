// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Edits of a scene one by one, each followed by what depends on it: how far boxes reach, rules of bodies that are gone,
// snapshots.

#include "scene_stage.h"

static dbvh_pose at( double x ) {
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = x;
	return pose;
}

static uint32_t add_cube( const stage *s, double x ) {
	const dbvh_pose pose = at( x );
	uint32_t body;
	assert_int_equal( dbvh_scene_add_body( s->scene, s->trees[0], &pose, NULL, &body, NULL ), DBVH_OK );
	return body;
}

// Pairs whose boxes, grown by the lengths of their rules, overlap.
static size_t pairs_of( dbvh_scene *scene ) {
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_pairs( scene, NULL, 0, &result, NULL ), DBVH_OK );
	return result.pair_count;
}

static stage start( uint64_t seed ) {
	stage s;
	rng r = { seed };
	raise( &s, &r );
	return s;
}

// Cubes of side 1, their centres 4 apart: a rule of 3.5 reaches, one of 2.5 does not.
static void rules_reach( void **state ) {
	(void)state;
	stage s = start( 1 );
	const dbvh_pair_rule far = { .clearance = 3.5 }, near = { .clearance = 2.5 };
	const uint32_t a = add_cube( &s, 0.0 ), b = add_cube( &s, 4.0 );
	assert_int_equal( pairs_of( s.scene ), 0 );
	assert_int_equal( dbvh_scene_set_default_rule( s.scene, &near, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 0 );
	assert_int_equal( dbvh_scene_set_default_rule( s.scene, &far, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 1 );
	assert_int_equal( dbvh_scene_set_default_rule( s.scene, NULL, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 0 );
	assert_int_equal( dbvh_scene_set_body_rule( s.scene, a, &near, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_set_body_rule( s.scene, a, &far, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 1 );
	assert_int_equal( dbvh_scene_set_body_rule( s.scene, a, NULL, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 0 );
	assert_int_equal( dbvh_scene_set_pair_rule( s.scene, b, a, &near, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 0 );
	assert_int_equal( dbvh_scene_set_pair_rule( s.scene, b, a, &far, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 1 );
	assert_int_equal( dbvh_scene_set_pair_rule( s.scene, a, b, NULL, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 0 );
	strike( &s );
}

// A body that comes when boxes have been made reaches as far as the others.
static void new_bodies_reach( void **state ) {
	(void)state;
	stage s = start( 2 );
	const dbvh_pair_rule far = { .clearance = 3.5 };
	assert_int_equal( dbvh_scene_set_default_rule( s.scene, &far, NULL ), DBVH_OK );
	(void)add_cube( &s, 0.0 );
	assert_int_equal( pairs_of( s.scene ), 0 );
	for ( uint32_t i = 1; i < 40; ++i ) {
		assert_int_equal( add_cube( &s, 4.0 * i ), i );
		assert_int_equal( pairs_of( s.scene ), i );
	}
	assert_int_equal( dbvh_scene_remove_body( s.scene, 20, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 37 );
	assert_int_equal( add_cube( &s, 80.0 ), 20 );
	assert_int_equal( pairs_of( s.scene ), 39 );
	strike( &s );
}

// A number that is given again has none of the rules of the body that had it.
static void rules_go_with_bodies( void **state ) {
	(void)state;
	stage s = start( 3 );
	const dbvh_pair_rule may = { .may_collide = true };
	for ( int i = 0; i < 4; ++i )
		(void)add_cube( &s, 0.25 * i );
	for ( uint32_t gone = 0; gone < 4; ++gone ) {
		for ( uint32_t a = 0; a < 4; ++a ) {
			for ( uint32_t b = a + 1; b < 4; ++b )
				assert_int_equal( dbvh_scene_set_pair_rule( s.scene, b, a, &may, NULL ), DBVH_OK );
		}
		assert_int_equal( dbvh_scene_set_body_rule( s.scene, gone, &may, NULL ), DBVH_OK );
		assert_int_equal( pairs_of( s.scene ), 0 );
		assert_int_equal( dbvh_scene_remove_body( s.scene, gone, NULL ), DBVH_OK );
		assert_int_equal( pairs_of( s.scene ), 0 );
		assert_int_equal( add_cube( &s, 0.0 ), gone );
		assert_int_equal( pairs_of( s.scene ), 3 );
	}
	strike( &s );
}

// What is done to a scene is not seen in its snapshot, nor the other way round.
static void snapshots_stay( void **state ) {
	(void)state;
	stage s = start( 4 );
	for ( int i = 0; i < 50; ++i )
		(void)add_cube( &s, 0.75 * i );
	assert_int_equal( pairs_of( s.scene ), 49 );
	const dbvh_pose away = at( 1000.0 );
	assert_int_equal( dbvh_scene_set_pose( s.scene, 10, &away, NULL ), DBVH_OK ); // the snapshot has it to do, too
	dbvh_scene *copy;
	assert_int_equal( dbvh_scene_clone( s.scene, NULL, &copy, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_remove_body( s.scene, 20, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_set_pose( copy, 30, &away, NULL ), DBVH_OK );
	assert_int_equal( pairs_of( s.scene ), 45 );
	assert_int_equal( pairs_of( copy ), 46 ); // bodies 10 and 30 meet
	assert_int_equal( dbvh_scene_body_count( copy ), 50 );
	dbvh_scene_destroy( s.scene );
	s.scene = copy;
	assert_int_equal( dbvh_scene_remove_body( s.scene, 0, NULL ), DBVH_OK );
	assert_int_equal( add_cube( &s, -0.5 ), 0 );
	assert_int_equal( pairs_of( s.scene ), 45 );
	assert_int_equal( dbvh_scene_clone( NULL, NULL, &copy, NULL ), DBVH_INVALID_ARGUMENT );
	assert_null( copy );
	assert_int_equal( dbvh_scene_clone( s.scene, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	strike( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( rules_reach ),
	    cmocka_unit_test( new_bodies_reach ),
	    cmocka_unit_test( rules_go_with_bodies ),
	    cmocka_unit_test( snapshots_stay ),
	};
	return test_main( argc, argv, tests );
}
