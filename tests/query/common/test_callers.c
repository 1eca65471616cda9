// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Freedoms of callers: no workspace, results in the place of arguments; and the errors about poses.

#include "dualbvh/dualbvh.h"
#include "support/clearance.h"
#include "support/line.h"
#include "support/rng.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

typedef struct scene_of_two {
	dbvh_tree *a, *b;
	dbvh_pose pose;
} scene_of_two;

// ------------------------------------------------------------------------------------------------
// No workspace: memory is that of the tree

enum { QUERY_COUNT = 13 };

static dbvh_status ask( const scene_of_two *s, int which ) {
	const double point[3] = { 3.0, 0.0, 0.0 };
	const test_line line = { { -9.0, 0.1, 0.2 }, { 9.0, 0.1, 0.2 }, false };
	const dbvh_shape ball = { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 1.0, 0.0, 0.0 }, 0.5 } };
	const dbvh_batch_options alone = { .thread_count = 1 };
	const dbvh_motion motion = dbvh_motion_translation( &s->pose, point );
	dbvh_collide_result result;
	dbvh_distance_result distance;
	dbvh_relate_result relation;
	dbvh_raycast_result hit;
	dbvh_closest_point_result nearest;
	dbvh_collide_shape_result met;
	dbvh_toi_result moved;
	// note: a first contact of small meshes takes no memory but the stack's; the search for all pairs does.
	static dbvh_pair pairs[20000];
	dbvh_collide_query all = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 20000 };
	switch ( which ) {
	case 0:
		return dbvh_collide( s->a, NULL, s->b, &s->pose, &all, NULL, &result, NULL );
	case 1:
		all.policy = DBVH_POLICY_DUAL;
		return dbvh_collide( s->a, NULL, s->b, &s->pose, &all, NULL, &result, NULL );
	case 2:
		return check_clearance( s->a, NULL, s->b, &s->pose, 0.5, NULL, NULL, &result, NULL );
	case 3:
		return dbvh_distance( s->a, NULL, s->b, &s->pose, NULL, NULL, &distance, NULL );
	case 4:
		return dbvh_relate( s->a, NULL, s->b, &s->pose, NULL, NULL, &relation, NULL );
	case 5:
		return line_cast( s->a, NULL, &line, NULL, NULL, &hit, NULL );
	case 6:
		return dbvh_closest_point( s->a, NULL, point, &( dbvh_closest_point_query ){ .limit = 99.0 }, NULL, &nearest,
		                           NULL );
	case 7:
		return line_cast_batch( s->a, NULL, &line, 1, NULL, &alone, &hit, NULL );
	case 8:
		return dbvh_closest_point_batch( s->a, NULL, point, 1, &( dbvh_closest_point_query ){ .limit = 99.0 }, &alone,
		                                 &nearest, NULL );
	case 9:
		return dbvh_collide_shape( s->a, NULL, &ball, NULL, NULL, &met, NULL );
	case 10:
		return dbvh_self_collide( s->a, NULL, NULL, &result, NULL );
	case 11:
		return dbvh_time_of_impact( s->a, NULL, s->b, &motion, NULL, NULL, &moved, NULL );
	default:
		return dbvh_time_of_impact_batch( s->a, NULL, s->b, &motion, 1, NULL, &alone, &moved, NULL );
	}
}

static dbvh_tree *build( const shape *s, const dbvh_allocator *allocator ) {
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree_options options = dbvh_tree_options_default();
	dbvh_tree *tree = NULL;
	options.topology = true;
	options.thread_count = 1;
	assert_int_equal( dbvh_tree_build( &view, &options, allocator, &tree, NULL ), DBVH_OK );
	return tree;
}

static void memory_of_the_tree( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 3 );
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	scene_of_two scene = { build( &s, &allocator ), build( &s, NULL ), dbvh_pose_identity() };
	scene.pose.pos[0] = 1.5;
	scene.pose.pos[1] = 0.25;
	const size_t live = books.live;
	for ( int i = 0; i < QUERY_COUNT; ++i ) {
		const size_t calls = books.calls;
		const dbvh_status status = ask( &scene, i );
		if ( status != DBVH_OK || books.calls == calls || books.live != live )
			fail_msg( "query %d: %s, %zu allocations, %zu kept", i, dbvh_status_name( status ), books.calls - calls,
			          books.live - live );
		// Memory comes from the tree's allocator alone: if that fails, the call does.
		books.fail_at = books.calls + 1;
		assert_int_equal( ask( &scene, i ), DBVH_OUT_OF_MEMORY );
		assert_int_equal( books.live, live );
		books.fail_at = 0;
	}
	dbvh_tree_destroy( scene.a );
	dbvh_tree_destroy( scene.b );
	assert_int_equal( books.live, 0 );
	assert_int_equal( books.mistakes, 0 );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Results in the place of arguments

static void motions_in_place( void **state ) {
	(void)state;
	rng r = rng_announce( "callers: in place", 1 );
	for ( int round = 0; round < 100; ++round ) {
		const dbvh_pose from = random_pose( &r, 3.0 ), to = random_pose( &r, 3.0 );
		const double centre[3] = { 1.0, 2.0, 3.0 };
		dbvh_motion apart, here = { .from = from, .centre = { 1.0, 2.0, 3.0 } };
		assert_int_equal( dbvh_motion_between( &from, &to, centre, &apart, NULL ), DBVH_OK );
		assert_int_equal( dbvh_motion_between( &here.from, &to, here.centre, &here, NULL ), DBVH_OK );
		assert_memory_equal( &here, &apart, sizeof here );
		here.from = to;
		assert_int_equal( dbvh_motion_between( &from, &here.from, centre, &here, NULL ), DBVH_OK );
		assert_memory_equal( &here, &apart, sizeof here );

		union {
			dbvh_pose pose;
			float m[16];
		} u = { .pose = from };
		float m[16];
		dbvh_pose_to_column_major_float( &from, m );
		dbvh_pose_to_column_major_float( &u.pose, u.m );
		assert_memory_equal( m, u.m, sizeof m );
	}
}

static void separation_in_place( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	dbvh_tree *tree = build( &s, NULL );
	dbvh_contacts *contacts = NULL;
	dbvh_separation apart, here = { .pose_b = dbvh_pose_identity() };
	here.pose_b.pos[0] = 1.75;
	const dbvh_pose pose = here.pose_b;
	assert_int_equal( dbvh_contacts_create( NULL, &contacts, NULL ), DBVH_OK );
	assert_int_equal( dbvh_separating_translation( tree, NULL, tree, &pose, NULL, contacts, &apart, NULL ), DBVH_OK );
	assert_int_equal( dbvh_separating_translation( tree, NULL, tree, &here.pose_b, NULL, contacts, &here, NULL ),
	                  DBVH_OK );
	assert_true( !apart.disjoint && apart.length > 0.2 );
	assert_memory_equal( &here, &apart, sizeof here );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// What is wrong with a pose

static void says( const dbvh_error *error, const char *text ) {
	if ( strstr( error->text, text ) == NULL )
		fail_msg( "'%s' is not in '%s'", text, error->text );
}

static void poses_of_batches( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	dbvh_tree *tree = build( &s, NULL );
	dbvh_pose poses[3] = { dbvh_pose_identity(), dbvh_pose_identity(), dbvh_pose_identity() };
	poses[2].rot[0][0] = poses[2].rot[1][1] = poses[2].rot[1][0] = 0.7071;
	poses[2].rot[0][1] = -0.7071;
	dbvh_error error;
	dbvh_collide_result results[3];
	assert_int_equal( dbvh_collide_batch( tree, NULL, tree, poses, 3, NULL, NULL, results, &error ), DBVH_NOT_RIGID );
	assert_int_equal( error.element, 2 );
	says( &error, "poses_b[2]: the 3x3 part R is not a rotation: R^T R differs from the identity by 1.92e-05" );
	assert_int_equal( dbvh_collide_batch( tree, &poses[2], tree, poses, 2, NULL, NULL, results, &error ),
	                  DBVH_NOT_RIGID );
	assert_int_equal( error.element, -1 );
	says( &error, "pose_a: the 3x3 part R is not a rotation" );

	const test_line line = { { 0.0, 0.0, 0.0 }, { 1.0, 0.0, 0.0 }, false };
	const double point[3] = { 0.0, 0.0, 0.0 };
	dbvh_raycast_result hit;
	dbvh_closest_point_result nearest;
	assert_int_equal( line_cast_batch( tree, &poses[2], &line, 1, NULL, NULL, &hit, &error ), DBVH_NOT_RIGID );
	says( &error, "pose: the 3x3 part R is not a rotation" );
	assert_int_equal( dbvh_closest_point_batch( tree, &poses[2], point, 1,
	                                            &( dbvh_closest_point_query ){ .limit = 1.0 }, NULL, &nearest, &error ),
	                  DBVH_NOT_RIGID );
	says( &error, "pose: the 3x3 part R is not a rotation" );

	dbvh_motion motions[2] = { dbvh_motion_translation( NULL, point ), dbvh_motion_translation( &poses[2], point ) };
	dbvh_toi_result moved[2];
	assert_int_equal( dbvh_time_of_impact_batch( tree, NULL, tree, motions, 2, NULL, NULL, moved, &error ),
	                  DBVH_NOT_RIGID );
	says( &error, "motions_b[1].from: the 3x3 part R is not a rotation" );
	assert_int_equal( dbvh_time_of_impact_batch( tree, &motions[1], tree, motions, 1, NULL, NULL, moved, &error ),
	                  DBVH_NOT_RIGID );
	says( &error, "motion_a.from: the 3x3 part R is not a rotation" );

	// Repaired, the cubes of the issue are face to face again.
	dbvh_pose turned = poses[2];
	assert_int_equal( dbvh_pose_orthonormalise( &poses[2], &turned, NULL, NULL ), DBVH_OK );
	turned.pos[0] = 1.0 + 1.4142135623730951; // the turned cube reaches as far as half its diagonal
	dbvh_distance_result distance;
	assert_int_equal( dbvh_distance( tree, NULL, tree, &turned, NULL, NULL, &distance, NULL ), DBVH_OK );
	assert_true( distance.distance < 1e-15 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( memory_of_the_tree ),
	    cmocka_unit_test( motions_in_place ),
	    cmocka_unit_test( separation_in_place ),
	    cmocka_unit_test( poses_of_batches ),
	};
	return test_main( argc, argv, tests );
}
