// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances of configurations against brute force: the distance of every pair that is checked, by dbvh_distance() at
// the poses of dbvh_robot_place(), bit by bit; and at poses in long doubles, which know nothing of the library, up to
// the rounding of the two.

#include "robot_stage.h"

#include <stdlib.h>

enum { STANDING = 4, MOST_BODIES = STANDING + 80, ROWS = 40, MOST_PAIRS = MOST_BODIES * MOST_BODIES / 2 };

typedef struct cell {
	robot_stage s;
	uint32_t bodies[MOST_BODIES], body_count; // attached ones, by their places
	uint32_t links[MOST_BODIES];
	dbvh_pose local[MOST_BODIES];
	double q[ROWS * MOST_WIDTH];
	dbvh_pose poses[ROWS * MOST_BODIES];
	dbvh_robot_layout layout;
} cell;

static uint32_t add_some_body( cell *c, rng *r, const dbvh_pose *pose, bool may_be_round ) {
	uint32_t body;
	const dbvh_body_options options = { .radius = may_be_round && rng_below( r, 3 ) == 0 ? 0.1 : 0.0 };
	assert_int_equal( dbvh_scene_add_body( c->s.scene, c->s.trees[rng_below( r, TREES )], pose, &options, &body, NULL ),
	                  DBVH_OK );
	return body;
}

static void hang_body( cell *c, rng *r, uint32_t link, double far, bool may_be_round ) {
	const uint32_t i = c->body_count++;
	c->local[i] = random_origin( r, far );
	c->links[i] = link;
	c->bodies[i] = add_some_body( c, r, NULL, may_be_round );
	assert_int_equal( dbvh_robot_attach( c->s.robot, link, c->bodies[i], &c->local[i], NULL ), DBVH_OK );
}

// Rules of pairs, of bodies and of all: some may meet, some have a clearance of their own.
static void set_rules( cell *c, rng *r ) {
	for ( uint32_t i = 0; i < c->body_count; ++i ) {
		const dbvh_pair_rule padded = { .clearance = rng_range( r, 0.0, 0.6 ) };
		if ( rng_below( r, 3 ) == 0 )
			assert_int_equal( dbvh_scene_set_body_rule( c->s.scene, c->bodies[i], &padded, NULL ), DBVH_OK );
		const uint32_t other = (uint32_t)rng_below( r, c->body_count );
		const dbvh_pair_rule own = { .may_collide = rng_below( r, 2 ) == 0, .clearance = rng_range( r, 0.0, 0.9 ) };
		if ( c->bodies[other] != c->bodies[i] )
			assert_int_equal( dbvh_scene_set_pair_rule( c->s.scene, c->bodies[i], c->bodies[other], &own, NULL ),
			                  DBVH_OK );
	}
}

static void raise_cell( cell *c, rng *r, uint32_t links, uint32_t bodies, double far, bool may_be_round ) {
	raise_robot( &c->s );
	c->body_count = 0;
	add_links( &c->s, r, links, 1.2 );
	for ( uint32_t i = 0; i < STANDING / 2; ++i ) {
		dbvh_pose pose = random_origin( r, 3.0 );
		pose.pos[0] += far;
		(void)add_some_body( c, r, &pose, may_be_round );
	}
	for ( uint32_t i = 0; i < bodies; ++i )
		hang_body( c, r, bodies == links ? i : (uint32_t)rng_below( r, links ), bodies > links ? 3.0 : 0.2,
		           may_be_round );
	for ( uint32_t i = STANDING / 2; i < STANDING; ++i ) {
		dbvh_pose pose = random_origin( r, 3.0 );
		pose.pos[1] += far;
		(void)add_some_body( c, r, &pose, may_be_round );
	}
	set_rules( c, r );
	c->layout = rng_below( r, 2 ) == 0 ? DBVH_ROBOT_LAYOUT_ANGLES : DBVH_ROBOT_LAYOUT_PINOCCHIO;
	for ( size_t i = 0; i < ROWS; ++i )
		random_row( &c->s, r, c->layout, 3.0, 1.0, c->q + i * dbvh_robot_width( c->s.robot, c->layout ) );
	assert_int_equal( dbvh_robot_place( c->s.robot, c->layout, c->q, ROWS, NULL, c->poses, NULL ), DBVH_OK );
}

// ------------------------------------------------------------------------------------------------
// Brute force

typedef struct measured_pair {
	dbvh_body_pair bodies;
	double distance, margin;
} measured_pair;

static bool is_attached( const cell *c, uint32_t body ) {
	for ( uint32_t i = 0; i < c->body_count; ++i )
		if ( c->bodies[i] == body )
			return true;
	return false;
}

// The distance of a pair where its bodies are. Radii are the scene's business, which tests of its own look after.
static double distance_of( const cell *c, uint32_t a, uint32_t b ) {
	dbvh_distance_result result;
	const dbvh_tree *trees[2];
	dbvh_pose poses[2];
	dbvh_body_options options[2];
	assert_true( dbvh_scene_get_body( c->s.scene, a, &trees[0], &poses[0], &options[0] ) );
	assert_true( dbvh_scene_get_body( c->s.scene, b, &trees[1], &poses[1], &options[1] ) );
	if ( options[0].radius > 0.0 || options[1].radius > 0.0 )
		assert_int_equal( dbvh_scene_pair_distance( c->s.scene, a, b, NULL, &result, NULL ), DBVH_OK );
	else
		assert_int_equal( dbvh_distance( trees[0], &poses[0], trees[1], &poses[1], NULL, NULL, &result, NULL ),
		                  DBVH_OK );
	return result.distance;
}

// Every pair that is checked, ascending, with the bodies at these poses.
static size_t measure_all_pairs( const cell *c, const dbvh_pose *poses, measured_pair *out ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < c->body_count; ++i )
		assert_int_equal( dbvh_scene_set_pose( c->s.scene, c->bodies[i], &poses[i], NULL ), DBVH_OK );
	const uint32_t end = (uint32_t)dbvh_scene_body_count( c->s.scene );
	for ( uint32_t a = 0; a < end; ++a ) {
		for ( uint32_t b = a + 1; b < end; ++b ) {
			dbvh_pair_rule rule;
			if ( ( is_attached( c, a ) || is_attached( c, b ) ) && dbvh_scene_get_rule( c->s.scene, a, b, &rule ) )
				out[count++] = ( measured_pair ){ { a, b }, distance_of( c, a, b ), rule.clearance };
		}
	}
	return count;
}

static bool is_same_pair( dbvh_body_pair x, dbvh_body_pair y ) {
	return x.a == y.a && x.b == y.b;
}

// The points are as far apart as the distance says, in the direction of the normal.
static void check_points( const dbvh_robot_distance *d ) {
	double square = 0.0, along = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		square += d->normal[k] * d->normal[k];
		along += d->normal[k] * ( d->point_b[k] - d->point_a[k] );
	}
	assert_true( d->distance == 0.0 ? square == 0.0 : fabs( square - 1.0 ) < 1e-14 );
	assert_true( fabs( along - d->distance ) < 1e-12 );
}

// ------------------------------------------------------------------------------------------------
// Questions

typedef struct tally {
	size_t near, far;
} tally;

static void check_closest( cell *c, double limit, uint32_t threads, tally *t ) {
	const dbvh_robot_distances_query query = {
	    .layout = c->layout, .find = DBVH_FIND_CLOSEST, .limit = limit, .thread_count = threads };
	dbvh_robot_distances_result results[ROWS];
	static measured_pair all[MOST_PAIRS];
	assert_int_equal( dbvh_robot_distance_batch( c->s.robot, c->s.scene, c->q, ROWS, &query, results, NULL ), DBVH_OK );
	for ( size_t i = 0; i < ROWS; ++i ) {
		const size_t count = measure_all_pairs( c, c->poses + i * c->body_count, all );
		const measured_pair *least = NULL;
		for ( size_t k = 0; k < count; ++k )
			least = least == NULL || all[k].distance < least->distance ? &all[k] : least;
		const bool found = least != NULL && ( limit == 0.0 || least->distance <= limit );
		assert_int_equal( results[i].found, found );
		*( found ? &t->near : &t->far ) += 1;
		if ( !found )
			continue;
		assert_true( results[i].nearest.distance == least->distance );
		assert_true( is_same_pair( results[i].nearest.bodies, least->bodies ) );
		check_points( &results[i].nearest );
	}
}

static void check_list( const dbvh_robot_distance *list, size_t room, const measured_pair *all, size_t count,
                        double margin, const dbvh_robot_distances_result *result ) {
	size_t met = 0;
	const measured_pair *nearest = NULL;
	for ( size_t k = 0; k < count; ++k ) {
		const double own = fmax( all[k].margin, margin );
		if ( all[k].distance >= own && all[k].distance > 0.0 )
			continue;
		nearest = nearest == NULL || all[k].distance < nearest->distance ? &all[k] : nearest;
		if ( met < room ) {
			assert_true( is_same_pair( list[met].bodies, all[k].bodies ) );
			assert_true( list[met].distance == all[k].distance && list[met].margin == own );
			check_points( &list[met] );
		}
		met += 1;
	}
	assert_int_equal( result->pair_count, met );
	assert_int_equal( result->written_count, met < room ? met : room );
	assert_int_equal( result->found, met > 0 );
	if ( met > 0 )
		assert_true( is_same_pair( result->nearest.bodies, nearest->bodies ) );
}

static void check_margins( cell *c, double margin, uint32_t threads, tally *t ) {
	enum { ROOM = 5 };
	static dbvh_robot_distance list[ROWS * ROOM];
	size_t begin[ROWS + 1];
	for ( size_t i = 0; i <= ROWS; ++i )
		begin[i] = i * ROOM;
	dbvh_robot_distances_query query = { .layout = c->layout,
	                                     .find = DBVH_FIND_ALL,
	                                     .margin = margin,
	                                     .distances = list,
	                                     .distance_begin = begin,
	                                     .thread_count = threads };
	dbvh_robot_distances_result results[ROWS], any[ROWS];
	static measured_pair all[MOST_PAIRS];
	assert_int_equal( dbvh_robot_distance_batch( c->s.robot, c->s.scene, c->q, ROWS, &query, results, NULL ), DBVH_OK );
	query.find = DBVH_FIND_ANY;
	assert_int_equal( dbvh_robot_distance_batch( c->s.robot, c->s.scene, c->q, ROWS, &query, any, NULL ), DBVH_OK );
	for ( size_t i = 0; i < ROWS; ++i ) {
		const size_t count = measure_all_pairs( c, c->poses + i * c->body_count, all );
		check_list( list + i * ROOM, ROOM, all, count, margin, &results[i] );
		assert_int_equal( any[i].found, results[i].found );
		assert_int_equal( any[i].pair_count, results[i].found );
		if ( any[i].found )
			assert_true( is_same_pair( any[i].nearest.bodies, list[i * ROOM].bodies ) );
		*( results[i].found ? &t->near : &t->far ) += 1;
	}
}

static void distances_are_those_of_brute_force( void **state ) {
	(void)state;
	static cell c;
	tally closest = { 0 }, margins = { 0 };
	rng r = rng_announce( "robot distances: brute force", 171 );
	for ( size_t n = 0; n < rounds( 8 ); ++n ) {
		const uint32_t links = 2 + (uint32_t)rng_below( &r, 6 );
		raise_cell( &c, &r, links, links, 1.0 + (double)rng_below( &r, 3 ), n % 2 == 1 );
		check_closest( &c, 0.0, 1, &closest );
		check_closest( &c, 0.2, 2, &closest );
		check_margins( &c, 0.0, 1, &margins );
		check_margins( &c, 0.3, 2, &margins );
		strike_robot( &c.s );
	}
	// A robot and bodies so far away that all are found, and none is within the limit.
	raise_cell( &c, &r, 2, 1, 100.0, false );
	check_closest( &c, 0.0, 1, &closest );
	check_closest( &c, 1.0, 1, &closest );
	check_margins( &c, 1.0, 1, &margins );
	strike_robot( &c.s );
	assert_true( closest.near > 0 && closest.far > 0 && margins.far > 0 );
}

// More bodies than pairs are listed of: they are swept.
static void many_bodies( void **state ) {
	(void)state;
	static cell c;
	tally t = { 0 };
	rng r = rng_announce( "robot distances: many bodies", 172 );
	raise_cell( &c, &r, 4, is_short_run() ? 66 : 80, 1.0, true );
	check_closest( &c, 0.0, 1, &t );
	check_margins( &c, 0.1, 1, &t );
	strike_robot( &c.s );
}

// At poses in long doubles the least distance is the same, but for the rounding of both.
static void distances_are_those_of_other_kinematics( void **state ) {
	(void)state;
	static cell c;
	rng r = rng_announce( "robot distances: other kinematics", 173 );
	for ( size_t n = 0; n < rounds( 4 ); ++n ) {
		raise_cell( &c, &r, 6, 6, 1.0, false );
		const dbvh_robot_distances_query query = { .layout = c.layout, .find = DBVH_FIND_CLOSEST };
		dbvh_robot_distances_result results[ROWS];
		static measured_pair all[MOST_PAIRS];
		assert_int_equal( dbvh_robot_distance_batch( c.s.robot, c.s.scene, c.q, ROWS, &query, results, NULL ),
		                  DBVH_OK );
		for ( size_t i = 0; i < ROWS; ++i ) {
			frame_l links[MOST_LINKS];
			dbvh_pose poses[MOST_BODIES];
			links_l( &c.s, c.layout, c.q + i * dbvh_robot_width( c.s.robot, c.layout ), NULL, 0, links );
			for ( uint32_t k = 0; k < c.body_count; ++k ) {
				const frame_l local = frame_of( &c.local[k] ), at = times_l( &links[c.links[k]], &local );
				for ( int x = 0; x < 3; ++x ) {
					for ( int y = 0; y < 3; ++y )
						poses[k].rot[x][y] = (double)at.rot[x][y];
					poses[k].pos[x] = (double)at.pos[x];
				}
			}
			const size_t count = measure_all_pairs( &c, poses, all );
			double least = INFINITY;
			for ( size_t k = 0; k < count; ++k )
				least = fmin( least, all[k].distance );
			assert_true( count == 0 ? !results[i].found : fabs( results[i].nearest.distance - least ) < 1e-10 );
		}
		strike_robot( &c.s );
	}
}

// ------------------------------------------------------------------------------------------------
// By hand

// A cube that slides along x past two standing ones; its face is `x` + .5, those of the others are at 2 and -2.
typedef struct slide {
	shape cube;
	dbvh_tree *tree;
	dbvh_scene *scene;
	dbvh_robot *robot;
	uint32_t right, left, moved;
} slide;

static void raise_slide( slide *s ) {
	const dbvh_joint along_x = { .kind = DBVH_JOINT_KIND_PRISMATIC, .axis = { 1, 0, 0 } };
	dbvh_pose pose = dbvh_pose_identity();
	memset( s, 0, sizeof *s );
	shape_add_box( &s->cube, 0.5, 0.5, 0.5, 1 );
	const dbvh_mesh_view view = shape_view( &s->cube );
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &s->tree, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &s->scene, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_create( NULL, &s->robot, NULL ), DBVH_OK );
	pose.pos[0] = 2.5;
	assert_int_equal( dbvh_scene_add_body( s->scene, s->tree, &pose, NULL, &s->right, NULL ), DBVH_OK );
	pose.pos[0] = -2.5;
	assert_int_equal( dbvh_scene_add_body( s->scene, s->tree, &pose, NULL, &s->left, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( s->scene, s->tree, NULL, NULL, &s->moved, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_add_link( s->robot, DBVH_NO_LINK, NULL, &along_x, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_attach( s->robot, 0, s->moved, NULL, NULL ), DBVH_OK );
}

static void strike_slide( slide *s ) {
	dbvh_robot_destroy( s->robot );
	dbvh_scene_destroy( s->scene );
	dbvh_tree_destroy( s->tree );
	shape_free( &s->cube );
}

static dbvh_robot_distances_result ask_slide( const slide *s, double x, dbvh_find find, double margin ) {
	const dbvh_robot_distances_query query = { .find = find, .margin = margin };
	dbvh_robot_distances_result result;
	assert_int_equal( dbvh_robot_distance_batch( s->robot, s->scene, &x, 1, &query, &result, NULL ), DBVH_OK );
	return result;
}

// A pair at its margin keeps it; a clearance of its own is exact; of two that are as near the lower one is named.
static void margins_are_exact( void **state ) {
	(void)state;
	slide s;
	raise_slide( &s );
	dbvh_robot_distances_result r = ask_slide( &s, 0.0, DBVH_FIND_CLOSEST, 0.0 );
	assert_true( r.found && r.nearest.distance == 1.5 && r.nearest.bodies.a == s.right );
	assert_true( r.nearest.bodies.b == s.moved && r.nearest.normal[0] == -1.0 );
	assert_false( ask_slide( &s, 0.0, DBVH_FIND_ALL, 1.5 ).found );
	assert_int_equal( ask_slide( &s, 0.0, DBVH_FIND_ALL, nextafter( 1.5, 2.0 ) ).pair_count, 2 );
	assert_int_equal( ask_slide( &s, 0.25, DBVH_FIND_ALL, 1.5 ).pair_count, 1 );
	// Touching counts without any margin.
	assert_int_equal( ask_slide( &s, 1.5, DBVH_FIND_ANY, 0.0 ).pair_count, 1 );
	assert_false( ask_slide( &s, nextafter( 1.5, 0.0 ), DBVH_FIND_ANY, 0.0 ).found );
	// The left one keeps 1.25 by a rule of its pair, whatever the margin of the others.
	const dbvh_pair_rule own = { .clearance = 1.25 };
	assert_int_equal( dbvh_scene_set_pair_rule( s.scene, s.left, s.moved, &own, NULL ), DBVH_OK );
	r = ask_slide( &s, -0.5, DBVH_FIND_ALL, 0.0 );
	assert_true( r.pair_count == 1 && r.nearest.bodies.a == s.left && r.nearest.distance == 1.0 );
	assert_true( r.nearest.margin == 1.25 && r.nearest.normal[0] == 1.0 );
	assert_false( ask_slide( &s, -0.25, DBVH_FIND_ALL, 0.0 ).found );
	assert_false( ask_slide( &s, 0.5, DBVH_FIND_ALL, 0.0 ).found );
	strike_slide( &s );
}

static void refusals_and_budgets( void **state ) {
	(void)state;
	slide s;
	raise_slide( &s );
	dbvh_error error;
	dbvh_robot_distances_result results[3];
	dbvh_robot_distance list[2];
	const double q[3] = { 0.0, NAN, 1.5 };
	const size_t begin[4] = { 0, 2, 1, 2 };
	dbvh_robot_distances_query query = { .find = DBVH_FIND_CLOSEST };
	assert_int_equal( dbvh_robot_distance_batch( s.robot, s.scene, q, 3, &query, results, &error ), DBVH_NOT_FINITE );
	assert_int_equal( error.element, 1 );
	assert_true( results[0].found && !results[1].found && results[2].nearest.distance == 0.0 );
	assert_int_equal( results[1].status, DBVH_NOT_FINITE );
	query.margin = -1.0;
	assert_int_equal( dbvh_robot_distance_batch( s.robot, s.scene, q, 1, &query, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	query = ( dbvh_robot_distances_query ){ .find = DBVH_FIND_ALL, .distances = list };
	assert_int_equal( dbvh_robot_distance_batch( s.robot, s.scene, q, 1, &query, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	query.distance_begin = begin;
	assert_int_equal( dbvh_robot_distance_batch( s.robot, s.scene, q, 3, &query, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_robot_distance_batch( s.robot, s.scene, q, 0, NULL, NULL, &error ), DBVH_OK );
	const dbvh_budget budget = { .max_total = 1 };
	query = ( dbvh_robot_distances_query ){ .find = DBVH_FIND_CLOSEST, .budget = &budget };
	assert_int_equal( dbvh_robot_distance_batch( s.robot, s.scene, q, 1, &query, results, &error ), DBVH_BUDGET_SPENT );
	assert_int_equal( results[0].status, DBVH_BUDGET_SPENT );
	assert_int_equal( dbvh_scene_remove_body( s.scene, s.moved, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_distance_batch( s.robot, s.scene, q, 1, NULL, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	strike_slide( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( distances_are_those_of_brute_force ),
	    cmocka_unit_test( many_bodies ),
	    cmocka_unit_test( distances_are_those_of_other_kinematics ),
	    cmocka_unit_test( margins_are_exact ),
	    cmocka_unit_test( refusals_and_budgets ),
	};
	return test_main( argc, argv, tests );
}
