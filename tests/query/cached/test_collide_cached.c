// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_collide_cached() says what dbvh_collide() says, which searches, and brute force in exact arithmetic, whatever
// the cache holds: along motions of any step, for other meshes and other trees of the same, past calls that fail or end
// early, on every instruction set.

#include "dualbvh/cache.h"
#include "dualbvh/isa.h"
#include "simd/isa.h"
#include "support/oracle.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static const uint64_t seed_default = 20261122;

enum { MESHES = 8, ROOM = 4096 };

typedef struct world {
	shape meshes[MESHES];
	dbvh_tree *trees[MESHES];
	dbvh_workspace *workspace;
	rng r;
	// Answers that took no search: by triangles that still met, by room that was left.
	size_t met_again, still_clear, met, clear;
} world;

static world make_world( const char *name ) {
	world w = { .r = rng_announce( name, seed_default ) };
	shape_add_box( &w.meshes[0], 0.5, 0.5, 0.5, 1 );
	shape_add_torus( &w.meshes[1], 0.6, 0.2, 24, 12 );
	shape_add_sphere( &w.meshes[2], 0.5, 16, 12 );
	shape_add_box( &w.meshes[3], 1.0, 1.0, 0.0625, 6 );
	add_soup( &w.meshes[4], &w.r, 200, 0.2, 0.1, true );
	shape_add_box( &w.meshes[7], 1.5, 0.05, 0.05, 2 );
	// Far from its own origin, which it turns about.
	shape_add_torus( &w.meshes[5], 0.4, 0.2, 16, 10 );
	scale_and_move( &w.meshes[5], 0, 1.0, 5.0, -3.0, 1.0 );
	// With room for a cube between them, within the volumes about both.
	shape_add_box( &w.meshes[6], 0.5, 0.5, 0.5, 6 );
	const size_t first = w.meshes[6].vertex_count;
	shape_add_box( &w.meshes[6], 0.5, 0.5, 0.5, 6 );
	scale_and_move( &w.meshes[6], first, 1.0, 3.0, 3.0, 3.0 );
	for ( int i = 0; i < MESHES; ++i ) {
		const dbvh_mesh_view view = shape_view( &w.meshes[i] );
		const dbvh_tree_options options = { .reference = i % 2 == 0 };
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &w.trees[i], NULL ), DBVH_OK );
	}
	assert_int_equal( dbvh_workspace_create( NULL, &w.workspace, NULL ), DBVH_OK );
	return w;
}

static void free_world( world *w ) {
	for ( int i = 0; i < MESHES; ++i ) {
		dbvh_tree_destroy( w->trees[i] );
		shape_free( &w->meshes[i] );
	}
	dbvh_workspace_destroy( w->workspace );
}

static bool is_listed( dbvh_pair pair, const dbvh_pair *list, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( list[i].a == pair.a && list[i].b == pair.b )
			return true;
	}
	return false;
}

static void ask( world *w, int a, const dbvh_pose *pose_a, int b, const dbvh_pose *pose_b, dbvh_policy policy,
                 dbvh_find find, dbvh_cache *cache ) {
	static dbvh_pair truth[ROOM], pairs[ROOM];
	dbvh_collide_result all, out;
	policy = has_form( w->trees[a], w->trees[b], policy ) ? policy : DBVH_POLICY_DEFAULT;
	dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = policy, .pairs = truth, .pair_capacity = ROOM };
	assert_int_equal( dbvh_collide( w->trees[a], pose_a, w->trees[b], pose_b, &query, w->workspace, &all, NULL ),
	                  DBVH_OK );
	query.find = find;
	query.pairs = pairs;
	assert_int_equal(
	    dbvh_collide_cached( w->trees[a], pose_a, w->trees[b], pose_b, &query, cache, w->workspace, &out, NULL ),
	    DBVH_OK );
	assert_int_equal( out.verdict, all.verdict );
	if ( find == DBVH_FIND_ALL ) {
		assert_int_equal( out.pair_count, all.pair_count );
		assert_int_equal( out.pair_written, all.pair_written );
		assert_memory_equal( pairs, truth, all.pair_written * sizeof *pairs );
		assert_true( out.first.a == all.first.a && out.first.b == all.first.b );
	} else {
		assert_int_equal( out.pair_count, all.verdict == DBVH_INTERSECTING );
		if ( out.verdict == DBVH_INTERSECTING && all.pair_count <= ROOM )
			assert_true( is_listed( out.first, truth, all.pair_written ) );
	}
	const bool searched =
	    out.counters.sphere_tests > 2 || out.counters.box_tests > 2 || out.counters.triangle_tests > 1;
	w->met += out.verdict == DBVH_INTERSECTING;
	w->clear += out.verdict == DBVH_DISJOINT && all.counters.sphere_tests + all.counters.box_tests > 4;
	w->met_again += !searched && out.verdict == DBVH_INTERSECTING;
	w->still_clear +=
	    !searched && out.verdict == DBVH_DISJOINT && all.counters.sphere_tests + all.counters.box_tests > 4;
}

// Move the pose by half to all of `step` along `way`, and turn it by as many radians about `axis`.
static dbvh_pose stepped( rng *r, const dbvh_pose *pose, const double way[3], const double axis[3], double step ) {
	const double jitter = rng_range( r, 0.5, 1.0 ) * step;
	dbvh_pose turn = shape_pose( axis, 57.0 * jitter, ( double[3] ){ 0, 0, 0 } ), out = *pose;
	for ( int i = 0; i < 3; ++i ) {
		out.pos[i] += jitter * way[i];
		for ( int j = 0; j < 3; ++j ) {
			out.rot[i][j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				out.rot[i][j] += pose->rot[i][k] * turn.rot[k][j];
		}
	}
	if ( dbvh_pose_check( &out, NULL, NULL ) != DBVH_OK )
		assert_int_equal( dbvh_pose_orthonormalise( &out, &out, NULL, NULL ), DBVH_OK );
	return out;
}

// A random pose of mesh b near mesh a, so that they meet now and then; mesh 5 is not centred at its origin.
static dbvh_pose near_pose( world *w, int b ) {
	dbvh_pose pose = random_pose( &w->r, 2.0 );
	if ( b == 5 ) {
		const double middle[3] = { 5.0, -3.0, 1.0 };
		for ( int i = 0; i < 3; ++i )
			for ( int k = 0; k < 3; ++k )
				pose.pos[i] -= pose.rot[i][k] * middle[k];
	}
	return pose;
}

// Another tree of the same mesh, or of one that has moved a little: nodes and triangles have other numbers then.
static void change_tree( world *w, int at ) {
	shape *mesh = &w->meshes[at];
	if ( rng_below( &w->r, 3 ) == 0 ) {
		for ( size_t i = 0; i < 3 * mesh->vertex_count; ++i )
			mesh->positions[i] += rng_range( &w->r, -1e-3, 1e-3 );
		const dbvh_mesh_view moved = shape_view( mesh );
		assert_int_equal( dbvh_tree_refit( w->trees[at], &moved, NULL ), DBVH_OK );
		return;
	}
	const dbvh_tree_options options = {
	    .leaf_size = rng_below( &w->r, 6 ),
	    .quality = rng_below( &w->r, 2 ) == 0 ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST,
	    .reference = at % 2 == 0,
	};
	const dbvh_mesh_view view = shape_view( mesh );
	dbvh_tree_destroy( w->trees[at] );
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &w->trees[at], NULL ), DBVH_OK );
}

// A pose that is none, and a budget that most searches are beyond: what is kept is as good as before.
static void disturb( world *w, int a, int b, const dbvh_pose *pose, dbvh_cache *cache ) {
	dbvh_collide_result all, out;
	dbvh_pose none = *pose;
	none.rot[0][0] = NAN;
	assert_int_equal(
	    dbvh_collide_cached( w->trees[a], NULL, w->trees[b], &none, NULL, cache, w->workspace, &out, NULL ),
	    DBVH_NOT_FINITE );
	const dbvh_budget budget = { .max_work = 1 + rng_below( &w->r, 20 ) };
	const dbvh_collide_query query = { .find = DBVH_FIND_ANY, .budget = &budget };
	const dbvh_status status =
	    dbvh_collide_cached( w->trees[a], NULL, w->trees[b], pose, &query, cache, w->workspace, &out, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	assert_int_equal( dbvh_collide( w->trees[a], NULL, w->trees[b], pose, NULL, w->workspace, &all, NULL ), DBVH_OK );
	if ( status == DBVH_OK || out.verdict == DBVH_INTERSECTING )
		assert_int_equal( out.verdict, all.verdict );
}

static void wander( world *w, size_t frames ) {
	static const double steps[] = { 1e-6, 1e-3, 0.01, 0.03, 0.1, 0.4 };
	static const dbvh_policy policies[] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DEFAULT, DBVH_POLICY_PACKED,
	                                        DBVH_POLICY_DUAL };
	const int a = (int)rng_below( &w->r, MESHES ), b = (int)rng_below( &w->r, MESHES );
	const double step = steps[rng_below( &w->r, 6 )];
	const dbvh_policy policy = policies[rng_below( &w->r, 4 )];
	const bool has_pose_a = rng_below( &w->r, 3 ) == 0;
	const dbvh_pose pose_a = has_pose_a ? random_pose( &w->r, 0.5 ) : dbvh_pose_identity();
	dbvh_cache cache = dbvh_cache_default();
	dbvh_pose pose = near_pose( w, b );
	double way[3] = { 0 }, axis[3] = { 0 };
	for ( size_t i = 0; i < frames; ++i ) {
		if ( i % 20 == 0 ) {
			random_direction( &w->r, way );
			random_direction( &w->r, axis );
		}
		pose = rng_below( &w->r, 100 ) == 0 ? near_pose( w, b ) : stepped( &w->r, &pose, way, axis, step );
		const dbvh_find find = rng_below( &w->r, 4 ) == 0 ? DBVH_FIND_ALL : DBVH_FIND_ANY;
		if ( rng_below( &w->r, 50 ) == 0 ) // other meshes, or the same ones the other way round
			ask( w, b, &pose, a, has_pose_a ? &pose_a : NULL, policy, find, &cache );
		if ( rng_below( &w->r, 50 ) == 0 )
			ask( w, (int)rng_below( &w->r, MESHES ), NULL, b, &pose, policy, find, &cache );
		if ( rng_below( &w->r, 30 ) == 0 )
			change_tree( w, rng_below( &w->r, 2 ) == 0 ? a : b );
		if ( rng_below( &w->r, 30 ) == 0 )
			disturb( w, a, b, &pose, &cache );
		ask( w, a, has_pose_a ? &pose_a : NULL, b, &pose, policy, find, &cache );
	}
}

static void motions( void **state ) {
	(void)state;
	world w = make_world( "collide_cached: motions" );
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	const size_t count = rounds( 60 );
	for ( size_t i = 0; i < count; ++i ) {
		assert_int_equal( dbvh_isa_select( isa[i % isa_count].name, NULL ), DBVH_OK );
		wander( &w, 100 );
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	printf( "of %zu that meet %zu without a search, of %zu that do not %zu\n", w.met, w.met_again, w.clear,
	        w.still_clear );
	assert_true( count < 60 || ( w.met_again > w.met / 20 && w.still_clear > w.clear / 50 ) );
	free_world( &w );
}

// Faces that come together in steps which end exactly where they touch, or a last bit before it.
static void approaches( void **state ) {
	(void)state;
	world w = make_world( "collide_cached: approaches" );
	const size_t count = rounds( 40 );
	for ( size_t i = 0; i < count; ++i ) {
		const double step = ldexp( 1.0, -(int)rng_below( &w.r, 8 ) - 3 );
		const int axis = (int)rng_below( &w.r, 3 ), steps = 6 + (int)rng_below( &w.r, 60 );
		const double off = rng_below( &w.r, 2 ) == 0 ? 0.0 : ldexp( 1.0, -50 ); // short of touching
		dbvh_cache cache = dbvh_cache_default();
		dbvh_pose pose = exact_pose( &w.r, 0.0 );
		bool touched = false;
		for ( int k = steps; k >= -2; --k ) {
			pose.pos[0] = pose.pos[1] = pose.pos[2] = 0.125;
			pose.pos[axis] = 1.0 + off + k * step;
			ask( &w, 6, NULL, 0, &pose, DBVH_POLICY_DEFAULT, DBVH_FIND_ANY, &cache );
			dbvh_pair *list = NULL;
			const dbvh_mesh_view cubes = shape_view( &w.meshes[6] ), cube = shape_view( &w.meshes[0] );
			touched = oracle_collide( &cubes, &cube, &pose, &list ) > 0;
			free( list );
			assert_true( touched == ( pose.pos[axis] <= 1.0 ) );
		}
		assert_true( touched );
	}
	assert_outcomes( count < 40 || ( w.still_clear > 0 && w.met > 0 ) );
	free_world( &w );
}

// A rod that turns about its middle until it strikes a cube, and on: nothing but its ends moves far.
static void spins( void **state ) {
	(void)state;
	world w = make_world( "collide_cached: spins" );
	const size_t count = rounds( 1200 );
	for ( size_t i = 0; i < count; ++i ) {
		const double step = rng_range( &w.r, 0.2, 3.0 );
		double at[3], axis[3];
		random_direction( &w.r, axis );
		for ( int k = 0; k < 3; ++k )
			at[k] = rng_range( &w.r, 0.5, 2.5 );
		dbvh_cache cache = dbvh_cache_default();
		for ( double degrees = 0.0; degrees < 90.0; degrees += step ) {
			const dbvh_pose pose = shape_pose( axis, degrees, at );
			ask( &w, 6, NULL, 7, &pose, DBVH_POLICY_DEFAULT, DBVH_FIND_ANY, &cache );
		}
	}
	assert_outcomes( w.still_clear > w.clear / 20 && w.met_again > w.met / 20 );
	free_world( &w );
}

static void mistakes( void **state ) {
	(void)state;
	world w = make_world( "collide_cached: mistakes" );
	dbvh_cache cache = dbvh_cache_default();
	dbvh_collide_result out;
	dbvh_error error;
	assert_int_equal( dbvh_collide_cached( w.trees[0], NULL, w.trees[0], NULL, NULL, NULL, NULL, &out, &error ),
	                  DBVH_INVALID_ARGUMENT );
	dbvh_pose pose = dbvh_pose_identity();
	assert_int_equal( dbvh_collide_cached( w.trees[0], NULL, w.trees[0], &pose, NULL, &cache, NULL, &out, &error ),
	                  DBVH_OK );
	assert_int_equal( out.verdict, DBVH_INTERSECTING );
	pose.pos[1] = NAN;
	assert_int_equal( dbvh_collide_cached( w.trees[0], NULL, w.trees[0], &pose, NULL, &cache, NULL, &out, &error ),
	                  DBVH_NOT_FINITE );
	assert_int_equal( out.verdict, DBVH_DISJOINT );
	pose.pos[1] = 0.25;
	assert_int_equal( dbvh_collide_cached( w.trees[0], NULL, w.trees[0], &pose, NULL, &cache, NULL, &out, &error ),
	                  DBVH_OK );
	assert_int_equal( out.verdict, DBVH_INTERSECTING );
	free_world( &w );
}

// A mesh that turns about its own origin, which is far away, goes many times as far as its radius says.
static void turns_about_a_far_origin( void **state ) {
	(void)state;
	world w = make_world( "cached: far origins" );
	const double middle[3] = { 5.0, -3.0, 1.0 }, axis[3] = { 0, 0, 1 };
	const double steps[] = { 0.0005, 0.002, 0.01, 0.04 };
	for ( size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k ) {
		dbvh_cache cache = { 0 };
		double pos[3];
		for ( int i = 0; i < 3; ++i )
			pos[i] = -middle[i];
		// Its middle comes by the origin where the angle is 0, where the plate is.
		for ( double angle = -0.45; angle < 0.2; angle += steps[k] ) {
			const dbvh_pose pose = shape_pose( axis, 57.29577951308232 * angle, pos );
			ask( &w, 3, NULL, 5, &pose, DBVH_POLICY_DEFAULT, DBVH_FIND_ANY, &cache );
		}
	}
	assert_true( w.met > 0 && w.clear > 0 && w.still_clear > 0 );
	free_world( &w );
}

// Poses that are no rotations, within what is allowed: a rod between two others, within the box about both, whose end
// comes down by shear alone, so far as no rotation of as much change would bring it.
static void deviations( void **state ) {
	(void)state;
	world w = make_world( "cached: deviations" );
	const shape *rod = &w.meshes[7];
	shape pair = { 0 };
	double half[3] = { 0, 0, 0 };
	shape_add_box( &pair, 1.5, 0.05, 0.05, 2 );
	shape_add_box( &pair, 1.5, 0.05, 0.05, 2 );
	scale_and_move( &pair, pair.vertex_count / 2, 1.0, 0.0, 0.0, 0.5 );
	dbvh_tree_destroy( w.trees[0] );
	shape_free( &w.meshes[0] );
	w.meshes[0] = pair;
	w.trees[0] = tree_of( &pair, NULL );
	for ( size_t i = 0; i < 3 * rod->vertex_count; ++i )
		half[i % 3] = fmax( half[i % 3], rod->positions[i] );
	for ( int k = 0; k < 200; ++k ) {
		const double shear = rng_range( &w.r, 2e-7, 1.9e-6 ), gap = rng_range( &w.r, 0.72, 1.1 ) * shear * half[0];
		const double step = rng_range( &w.r, 0.7, 1.0 ) * gap / 4.0;
		dbvh_cache cache = { 0 };
		dbvh_pose pose = dbvh_pose_identity();
		for ( int i = 0; i < 2; ++i ) {
			pose.pos[2] = 2.0 * half[2] + gap + ( i == 0 ? step : 0.0 );
			ask( &w, 0, NULL, 7, &pose, DBVH_POLICY_DEFAULT, DBVH_FIND_ANY, &cache );
		}
		pose.rot[2][0] = -shear;
		ask( &w, 0, NULL, 7, &pose, DBVH_POLICY_DEFAULT, DBVH_FIND_ANY, &cache );
	}
	assert_outcomes( w.met > 20 && w.clear > 20 );
	free_world( &w );
}

// Asked again, triangles that met cost one test: by the filter if they cross, exactly if they touch.
static void costs_of_meeting_again( void **state ) {
	(void)state;
	world w = make_world( "cached: costs" );
	for ( int touches = 0; touches < 2; ++touches ) {
		const double axis[3] = { 1.0, 2.0, 3.0 }, at[3] = { 0.6, 0.3, 0.2 };
		dbvh_pose pose = shape_pose( axis, 40.0, at );
		if ( touches ) {
			pose = dbvh_pose_identity();
			pose.pos[0] = 1.0;
		}
		const dbvh_collide_query query = { .find = DBVH_FIND_ANY };
		dbvh_cache cache = dbvh_cache_default();
		dbvh_collide_result result;
		for ( int i = 0; i < 2; ++i ) {
			assert_int_equal(
			    dbvh_collide_cached( w.trees[0], NULL, w.trees[0], &pose, &query, &cache, w.workspace, &result, NULL ),
			    DBVH_OK );
			assert_int_equal( result.verdict, DBVH_INTERSECTING );
		}
		assert_int_equal( result.counters.triangle_tests, 1 );
		assert_int_equal( result.counters.exact_tests, touches );
	}
	free_world( &w );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( motions ),
	    cmocka_unit_test( approaches ),
	    cmocka_unit_test( spins ),
	    cmocka_unit_test( turns_about_a_far_origin ),
	    cmocka_unit_test( deviations ),
	    cmocka_unit_test( mistakes ),
	    cmocka_unit_test( costs_of_meeting_again ),
	};
	return test_main( argc, argv, tests );
}
