// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Budgets of scenes: what is finished is right, what is not is marked, a total ends where one thread ends whatever the
// number of threads, what a call has spent is enough for it, and callbacks end a call from anywhere.

#define _POSIX_C_SOURCE 200809L

#include "scene/scene.h"
#include "scene/scene_stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { PAIRS = MOST * ( MOST - 1 ) / 2, BODIES = 40 };

static dbvh_clash whole[PAIRS], found[PAIRS], again[PAIRS];
static dbvh_body_pair pairs[PAIRS], open_ones[PAIRS], open_again[PAIRS];

static void crowd( stage *s, rng *r ) {
	raise( s, r );
	s->size = 3.0;
	while ( s->count < BODIES )
		add_body( s, r );
	// Clearances make some pairs take two questions.
	const dbvh_pair_rule rule = { .clearance = 0.2, .may_touch = true };
	assert_int_equal( dbvh_scene_set_default_rule( s->scene, &rule, NULL ), DBVH_OK );
}

static const dbvh_clash *clash_of( const dbvh_clash *list, size_t count, dbvh_body_pair pair ) {
	for ( size_t i = 0; i < count; ++i )
		if ( list[i].a == pair.a && list[i].b == pair.b )
			return &list[i];
	return NULL;
}

static bool is_open( const dbvh_scene_result *result, dbvh_body_pair pair ) {
	for ( size_t i = 0; i < result->open_written; ++i )
		if ( open_ones[i].a == pair.a && open_ones[i].b == pair.b )
			return true;
	return false;
}

// Two clashes are equal but for `first`, which for bodies that touch may be any pair at distance 0 (distance.h).
static bool are_same( const dbvh_clash *x, const dbvh_clash *y ) {
	dbvh_clash z = *y;
	if ( x->kind == DBVH_CLASH_KIND_CLEARANCE && x->distance == 0.0 ) {
		z.first = x->first;
		memcpy( z.point_a, x->point_a, sizeof z.point_a );
		memcpy( z.point_b, x->point_b, sizeof z.point_b );
	}
	return memcmp( x, &z, sizeof z ) == 0;
}

// Every pair is found, open, or clear, as the unlimited call says.
static void check_parts( const dbvh_scene_result *result, size_t pair_count, size_t whole_count ) {
	assert_int_equal( result->pair_count, pair_count );
	assert_int_equal( result->done_count + result->open_count, pair_count );
	assert_true( result->open_written == result->open_count && result->written_count == result->found_count );
	for ( size_t i = 0; i < pair_count; ++i ) {
		const dbvh_clash *expected = clash_of( whole, whole_count, pairs[i] );
		const dbvh_clash *now = clash_of( found, result->written_count, pairs[i] );
		if ( is_open( result, pairs[i] ) )
			assert_null( now );
		else
			assert_true( ( now != NULL ) == ( expected != NULL ) && ( now == NULL || are_same( now, expected ) ) );
	}
}

static void totals_of_clashes( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: totals of clashes", 181 );
	size_t cut = 0, finished = 0;
	for ( size_t round = 0; round < rounds( 2 ); ++round ) {
		stage s;
		crowd( &s, &r );
		dbvh_scene_result all, part, other;
		assert_int_equal( dbvh_scene_pairs( s.scene, pairs, PAIRS, &all, NULL ), DBVH_OK );
		const size_t pair_count = all.pair_count;
		uint64_t spent = 0;
		dbvh_budget budget = { .spent = &spent };
		dbvh_scene_query query = {
		    .find = DBVH_FIND_ALL, .thread_count = 1, .open = open_ones, .open_capacity = PAIRS };
		assert_int_equal( dbvh_scene_clashes( s.scene, &query, whole, PAIRS, &all, NULL ), DBVH_OK );
		query.budget = &budget;
		assert_int_equal( dbvh_scene_clashes( s.scene, &query, found, PAIRS, &part, NULL ), DBVH_OK );
		assert_true( part.open_count == 0 && part.found_count == all.found_count && spent >= pair_count );
		const uint64_t enough = spent;
		for ( int k = 0; k < 8; ++k ) {
			budget.max_total = k == 0 ? 1 : k == 1 ? enough : k == 2 ? enough - 1 : 1 + rng_below( &r, enough );
			budget.max_work = k % 3 == 0 ? 1 + rng_below( &r, 200 ) : 0;
			spent = 0;
			query.thread_count = 1;
			dbvh_error error;
			const dbvh_status status = dbvh_scene_clashes( s.scene, &query, found, PAIRS, &part, &error );
			const uint64_t spent_alone = spent;
			assert_int_equal( status, part.open_count > 0 ? DBVH_BUDGET_SPENT : DBVH_OK );
			assert_true( k != 1 || status == DBVH_OK );
			check_parts( &part, pair_count, all.found_count );
			cut += part.open_count;
			finished += part.done_count;
			for ( uint32_t threads = 2; threads <= 3; ++threads ) {
				spent = 0;
				query.thread_count = threads;
				query.open = open_again;
				assert_int_equal( dbvh_scene_clashes( s.scene, &query, again, PAIRS, &other, NULL ), status );
				query.open = open_ones;
				assert_memory_equal( &other, &part, sizeof part );
				assert_memory_equal( again, found, part.written_count * sizeof *found );
				assert_memory_equal( open_again, open_ones, part.open_written * sizeof *open_ones );
				assert_true( spent == spent_alone );
			}
		}
		strike( &s );
	}
	printf( "scene: %zu pairs were left open, %zu were finished\n", cut, finished );
	assert_true( cut > 0 && finished > 0 );
}

// The first pair in order is the answer if the total reaches it, with any number of threads.
static void totals_of_any( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: totals of any", 182 );
	size_t yes = 0, no = 0;
	for ( size_t round = 0; round < rounds( 6 ) || ( no == 0 && round < 60 ); ++round ) {
		stage s;
		raise( &s, &r );
		s.size = 15.0;
		while ( s.count < BODIES )
			add_body( &s, &r );
		for ( int k = 0; k < 10; ++k ) {
			// The lowest pair is hardly ever told with one step.
			const dbvh_budget budget = { .max_total = k < 3 ? 1 : 1 + rng_below( &r, 200 ) };
			dbvh_scene_query query = { .find = DBVH_FIND_ANY, .thread_count = 1, .budget = &budget };
			dbvh_scene_collision one, same;
			dbvh_scene_result result, other;
			const dbvh_status status = dbvh_scene_collide( s.scene, &query, &one, 1, &result, NULL );
			assert_int_equal( status, result.found_count == 0 && result.open_count > 0 ? DBVH_BUDGET_SPENT : DBVH_OK );
			yes += result.found_count;
			no += status != DBVH_OK;
			query.thread_count = 3;
			assert_int_equal( dbvh_scene_collide( s.scene, &query, &same, 1, &other, NULL ), status );
			assert_int_equal( other.found_count, result.found_count );
			if ( result.found_count > 0 )
				assert_true( one.a == same.a && one.b == same.b );
		}
		strike( &s );
	}
	printf( "scene: %zu calls found one, %zu did not come so far\n", yes, no );
	assert_outcomes( yes > 0 && no > 0 );
}

typedef struct limits {
	atomic_int flag; // set by another thread, or after so many questions
	int asked, most;
} limits;

static bool has_ended( void *user ) {
	limits *l = user;
	return ++l->asked >= l->most || atomic_load( &l->flag ) != 0;
}

static bool goes_on( void *user, size_t done, size_t total ) {
	assert_true( done <= total );
	return !has_ended( user );
}

static void callbacks( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: callbacks", 183 );
	stage s;
	crowd( &s, &r );
	dbvh_scene_result all, part;
	assert_int_equal( dbvh_scene_pairs( s.scene, pairs, PAIRS, &all, NULL ), DBVH_OK );
	const size_t pair_count = all.pair_count;
	dbvh_scene_query query = { .find = DBVH_FIND_ALL, .thread_count = 1 };
	assert_int_equal( dbvh_scene_clashes( s.scene, &query, whole, PAIRS, &all, NULL ), DBVH_OK );
	query.open = open_ones;
	query.open_capacity = PAIRS;
	size_t ended = 0;
	for ( int k = 0; k < 24; ++k ) {
		limits l = { .most = k % 3 == 0 ? 1 : 1 + (int)rng_below( &r, 30 ) };
		const dbvh_budget budget = { .is_cancelled = has_ended, .user = &l };
		query.thread_count = 1 + (uint32_t)k % 4;
		query.budget = k % 2 == 0 ? &budget : NULL;
		query.progress = k % 2 == 0 ? NULL : goes_on;
		query.user = &l;
		dbvh_error error;
		const dbvh_status status = dbvh_scene_clashes( s.scene, &query, found, PAIRS, &part, &error );
		assert_int_equal( status, part.open_count > 0 ? DBVH_CANCELLED : DBVH_OK );
		check_parts( &part, pair_count, all.found_count );
		ended += status == DBVH_CANCELLED;
	}
	assert_outcomes( ended > 0 );
	// Too little room for those that are open.
	limits l = { .most = 1 };
	query.thread_count = 1;
	query.budget = NULL;
	query.progress = goes_on;
	query.user = &l;
	query.open_capacity = 1;
	assert_int_equal( dbvh_scene_clashes( s.scene, &query, found, PAIRS, &part, NULL ), DBVH_CANCELLED );
	assert_true( part.open_count > 1 && part.open_written == 1 );
	query.open = NULL;
	assert_int_equal( dbvh_scene_clashes( s.scene, &query, found, PAIRS, &part, NULL ), DBVH_INVALID_ARGUMENT );
	strike( &s );
}

// A flag that another thread sets ends a call whose own thread has nothing left to do.
static void *set_soon( void *user ) {
	const struct timespec moment = { .tv_nsec = 20000000 };
	nanosleep( &moment, NULL );
	atomic_store( (atomic_int *)user, 1 );
	return NULL;
}

static bool is_set( void *user ) {
	return atomic_load( (atomic_int *)user ) != 0;
}

static void cancelled_by_another_thread( void **state ) {
	(void)state;
	// Needles that lie across each other: distances that take seconds.
	enum { NEEDLES = 4000 };
	static double points[NEEDLES][3][3];
	for ( int i = 0; i < NEEDLES; ++i ) {
		const double y = 0.001 * i;
		const double needle[3][3] = { { -1000.0, y, 0.0 }, { 1000.0, y, 0.0 }, { 1000.0, y + 0.0005, 0.0 } };
		memcpy( points[i], needle, sizeof needle );
	}
	const dbvh_mesh_view view = { .positions = points,
	                              .vertex_count = 3 * NEEDLES,
	                              .position_type = DBVH_POSITION_TYPE_FLOAT64,
	                              .index_type = DBVH_INDEX_TYPE_NONE };
	dbvh_tree *tree;
	dbvh_scene *scene;
	uint32_t body;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	const double turned[4] = { 0.0, 0.0, 0.7071067811865476, 0.7071067811865476 };
	for ( int i = 0; i < 3; ++i ) {
		const double at[3] = { 0.0, 0.0, 1.0 * i };
		const double straight[4] = { 0.0, 0.0, 0.0, 1.0 };
		const dbvh_pose pose = dbvh_pose_from_quaternion( i % 2 == 0 ? straight : turned, at );
		assert_int_equal( dbvh_scene_add_body( scene, tree, &pose, NULL, &body, NULL ), DBVH_OK );
	}
	for ( uint32_t threads = 1; threads <= 3; ++threads ) {
		atomic_int flag;
		atomic_init( &flag, 0 );
		const dbvh_budget budget = { .is_cancelled = is_set, .user = &flag };
		const dbvh_scene_distance_query query = { .thread_count = threads, .budget = &budget };
		dbvh_scene_distance_result result;
		pthread_t other;
		assert_int_equal( pthread_create( &other, NULL, set_soon, &flag ), 0 );
		const dbvh_status status = dbvh_scene_distance( scene, &query, &result, NULL );
		pthread_join( other, NULL );
		if ( status == DBVH_OK ) // on a machine that is that fast
			continue;
		assert_int_equal( status, DBVH_CANCELLED );
		assert_true( result.at_least <= 1.0 && ( !result.found || result.distance >= 1.0 ) );
	}
	dbvh_scene_destroy( scene );
	dbvh_tree_destroy( tree );
}

static bool same_distance( const dbvh_scene_distance_result *x, const dbvh_scene_distance_result *y ) {
	if ( x->found != y->found || x->a != y->a || x->b != y->b || x->distance != y->distance || x->at_least != 0.0 )
		return false;
	return x->distance == 0.0 || memcmp( x, y, sizeof *x ) == 0;
}

static void distances( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: budgets of distances", 184 );
	size_t cut = 0, bounded = 0;
	for ( size_t round = 0; round < rounds( 8 ); ++round ) {
		stage s;
		raise( &s, &r );
		s.size = 14.0;
		while ( s.count < 12 )
			add_body( &s, &r );
		dbvh_scene_distance_query query = { .thread_count = 1 };
		dbvh_scene_distance_result best, part;
		assert_int_equal( dbvh_scene_distance( s.scene, &query, &best, NULL ), DBVH_OK );
		uint64_t spent = 0;
		dbvh_budget budget = { .spent = &spent };
		query.budget = &budget;
		assert_int_equal( dbvh_scene_distance( s.scene, &query, &part, NULL ), DBVH_OK );
		assert_true( same_distance( &part, &best ) );
		const uint64_t enough = spent;
		for ( int k = 0; k < 16; ++k ) {
			budget.max_total = k == 0 ? 1 : k == 1 ? enough : 1 + rng_below( &r, enough );
			budget.max_work = k % 4 == 3 ? 1 + rng_below( &r, 100 ) : 0;
			query.thread_count = k < 2 ? 1 : 1 + (uint32_t)k % 3;
			const dbvh_status status = dbvh_scene_distance( s.scene, &query, &part, NULL );
			if ( status == DBVH_OK ) {
				assert_true( same_distance( &part, &best ) );
				continue;
			}
			assert_true( k != 1 );
			assert_int_equal( status, DBVH_BUDGET_SPENT );
			assert_true( part.at_least <= best.distance );
			assert_true( !part.found || part.distance >= best.distance );
			cut += 1;
			bounded += part.found && part.at_least > 0.0;
		}
		strike( &s );
	}
	printf( "scene: %zu searches of a distance were ended, %zu with bounds on both sides\n", cut, bounded );
	assert_outcomes( cut > 0 && ( rounds( 8 ) < 8 || bounded > 0 ) );
}

static void configurations( void **state ) {
	(void)state;
	enum { COUNT = 300 };
	rng r = rng_announce( "scene: budgets of configurations", 185 );
	static dbvh_pose poses[COUNT];
	static dbvh_configuration_result complete[COUNT], part[COUNT], other[COUNT];
	stage s;
	crowd( &s, &r );
	for ( int i = 0; i < COUNT; ++i )
		poses[i] = somewhere( &s, &r );
	size_t finished = 0, begun = 0;
	for ( int mode = 0; mode < 4; ++mode ) {
		uint64_t spent = 0;
		dbvh_budget budget = { .spent = &spent };
		dbvh_configurations_query query = { .find = mode % 2 == 0 ? DBVH_FIND_ANY : DBVH_FIND_ALL,
		                                    .max_distance = mode / 2 == 0 ? 0.0 : 0.5,
		                                    .bodies = s.bodies,
		                                    .body_count = 1,
		                                    .thread_count = 1,
		                                    .budget = &budget };
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, complete, NULL ), DBVH_OK );
		const uint64_t enough = spent;
		for ( int k = 0; k < 8; ++k ) {
			budget.max_total = k == 0 ? 1 : k == 1 ? enough : 1 + rng_below( &r, enough );
			spent = 0;
			query.thread_count = 1;
			dbvh_error error;
			const dbvh_status status = dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, part, &error );
			const size_t end = status == DBVH_OK ? COUNT : (size_t)error.element;
			assert_true( status == ( end < COUNT ? DBVH_BUDGET_SPENT : DBVH_OK ) && ( k != 1 || status == DBVH_OK ) );
			for ( size_t i = 0; i < COUNT; ++i ) {
				assert_int_equal( part[i].status, i < end ? DBVH_OK : DBVH_BUDGET_SPENT );
				if ( i < end )
					assert_memory_equal( &part[i], &complete[i], sizeof *part );
				else // pairs found before the budget ended
					assert_true( part[i].pair_count <= complete[i].pair_count );
			}
			finished += end;
			begun += end < COUNT && part[end].pair_count > 0;
			for ( uint32_t threads = 2; threads <= 3; ++threads ) {
				query.thread_count = threads;
				const uint64_t alone = spent;
				spent = 0;
				assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, other, NULL ), status );
				assert_memory_equal( other, part, sizeof part );
				assert_true( spent == alone );
			}
		}
		// A limit for each configuration, not for all of them: the others are answered.
		budget = ( dbvh_budget ){ .max_work = 30 };
		const dbvh_status status = dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, part, NULL );
		assert_true( status == DBVH_BUDGET_SPENT || status == DBVH_OK );
		for ( size_t i = 0; i < COUNT; ++i ) {
			assert_true( part[i].pair_count <= complete[i].pair_count );
			assert_true( part[i].status == DBVH_BUDGET_SPENT || part[i].verdict == complete[i].verdict );
		}
	}
	printf( "scene: %zu configurations were finished, %zu had begun\n", finished, begun );
	assert_true( finished > 0 );
	strike( &s );
}

static bool count_questions( void *user ) {
	*(uint64_t *)user += 1;
	return false;
}

// One configuration of many queries, each of which ends before its own meter asks: the caller is asked between them, at
// least once in twice as many steps as a meter takes (account.c).
static void questions_between_queries( void **state ) {
	(void)state;
	enum { SHELLS = 200, STEPS = 4096 };
	shape mesh[2] = { { 0 }, { 0 } };
	dbvh_tree *tree[2];
	dbvh_scene *scene;
	uint32_t moved, number;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	for ( int i = 0; i < 2; ++i ) { // a ball, and the shells around it
		shape_add_sphere( &mesh[i], i == 0 ? 1.0 : 1.0625, 40, 24 );
		const dbvh_mesh_view view = shape_view( &mesh[i] );
		assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree[i], NULL ), DBVH_OK );
	}
	assert_int_equal( dbvh_scene_add_body( scene, tree[0], NULL, NULL, &moved, NULL ), DBVH_OK );
	for ( int i = 0; i < SHELLS; ++i )
		assert_int_equal( dbvh_scene_add_body( scene, tree[1], NULL, NULL, &number, NULL ), DBVH_OK );
	uint64_t spent = 0, asked = 0;
	const dbvh_budget budget = { .spent = &spent, .is_cancelled = count_questions, .user = &asked };
	const dbvh_configurations_query query = {
	    .find = DBVH_FIND_ALL, .bodies = &moved, .body_count = 1, .thread_count = 1, .budget = &budget };
	const dbvh_pose pose = dbvh_pose_identity();
	dbvh_configuration_result out;
	assert_int_equal( dbvh_scene_collide_batch( scene, &pose, 1, &query, &out, NULL ), DBVH_OK );
	assert_int_equal( out.pair_count, 0 );
	printf( "scene: %.0f steps a query, asked %.0f times in %.0f steps\n", (double)spent / SHELLS, (double)asked,
	        (double)spent );
	assert_true( spent < (uint64_t)STEPS * SHELLS && spent > 8 * STEPS );
	assert_true( asked + 1 >= spent / ( 2 * STEPS ) );
	dbvh_scene_destroy( scene );
	for ( int i = 0; i < 2; ++i ) {
		dbvh_tree_destroy( tree[i] );
		shape_free( &mesh[i] );
	}
}

static void motions( void **state ) {
	(void)state;
	enum { COUNT = 60 };
	rng r = rng_announce( "scene: totals of motions", 186 );
	static dbvh_pose poses[COUNT];
	static dbvh_edge_result complete[COUNT], part[COUNT], other[COUNT];
	stage s;
	raise( &s, &r );
	s.size = 8.0;
	while ( s.count < 12 )
		add_body( &s, &r );
	for ( int i = 0; i < COUNT; ++i )
		poses[i] = somewhere( &s, &r );
	for ( int mode = 0; mode < 2; ++mode ) {
		uint64_t spent = 0;
		dbvh_budget budget = { .spent = &spent };
		dbvh_motions_query query = { .find = mode == 0 ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST,
		                             .bodies = s.bodies,
		                             .body_count = 1,
		                             .thread_count = 1,
		                             .budget = &budget };
		assert_int_equal( dbvh_scene_motion_batch( s.scene, poses, COUNT, &query, complete, NULL ), DBVH_OK );
		const uint64_t enough = spent;
		for ( int k = 0; k < 6; ++k ) {
			budget.max_total = k == 0 ? 1 : k == 1 ? enough : 1 + rng_below( &r, enough );
			query.thread_count = 1;
			dbvh_error error;
			const dbvh_status status = dbvh_scene_motion_batch( s.scene, poses, COUNT, &query, part, &error );
			const size_t end = status == DBVH_OK ? COUNT - 1 : (size_t)error.element;
			assert_true( k != 1 || status == DBVH_OK );
			for ( size_t i = 0; i < COUNT - 1; ++i ) {
				assert_int_equal( part[i].status, i < end ? DBVH_OK : DBVH_BUDGET_SPENT );
				if ( i < end )
					assert_memory_equal( &part[i], &complete[i], sizeof *part );
				else
					assert_int_equal( part[i].verdict, DBVH_TOI_VERDICT_UNDECIDED );
			}
			query.thread_count = 3;
			assert_int_equal( dbvh_scene_motion_batch( s.scene, poses, COUNT, &query, other, NULL ), status );
			assert_memory_equal( other, part, ( COUNT - 1 ) * sizeof *part );
		}
	}
	strike( &s );
}

// ------------------------------------------------------------------------------------------------
// Crowds

typedef struct pile {
	ledger books;
	shape triangle;
	dbvh_tree *tree;
	dbvh_scene *scene;
	size_t count;
} pile;

// `count` bodies at one place, one triangle each; each meets all others.
static void heap_up( pile *p, size_t count ) {
	*p = ( pile ){ .count = count };
	shape_vertex( &p->triangle, 0.0, 0.0, 0.0 );
	shape_vertex( &p->triangle, 1.0, 0.0, 0.0 );
	shape_vertex( &p->triangle, 0.0, 1.0, 0.0 );
	shape_triangle( &p->triangle, 0, 1, 2 );
	const dbvh_mesh_view view = shape_view( &p->triangle );
	const dbvh_allocator allocator = ledger_allocator( &p->books );
	uint32_t body;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &p->tree, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( &allocator, &p->scene, NULL ), DBVH_OK );
	for ( size_t i = 0; i < count; ++i )
		assert_int_equal( dbvh_scene_add_body( p->scene, p->tree, NULL, NULL, &body, NULL ), DBVH_OK );
}

// Memory grows with the number of bodies, not with that of pairs.
static void clear_away( pile *p ) {
	assert_true( p->books.most < 1500 * p->count + 30000000 );
	dbvh_scene_destroy( p->scene );
	dbvh_tree_destroy( p->tree );
	shape_free( &p->triangle );
	assert_true( p->books.live == 0 && p->books.mistakes == 0 );
}

static void crowd_and_one( void **state ) {
	(void)state;
	pile p;
	heap_up( &p, 100000 );
	dbvh_scene_result result;
	dbvh_scene_collision first;
	assert_int_equal( dbvh_scene_collide( p.scene, NULL, &first, 1, &result, NULL ), DBVH_OK );
	assert_true( result.found_count == 1 && first.a == 0 && first.b == 1 && result.has_more );
	assert_true( result.pair_count < 16 * p.count );
	dbvh_scene_distance_result nearest;
	assert_int_equal( dbvh_scene_distance( p.scene, NULL, &nearest, NULL ), DBVH_OK );
	assert_true( nearest.found && nearest.a == 0 && nearest.b == 1 && nearest.distance == 0.0 );
	const dbvh_scene_query of_one = { .find = DBVH_FIND_ALL, .has_body = true, .body = 7, .thread_count = 1 };
	assert_int_equal( dbvh_scene_collide( p.scene, &of_one, NULL, 0, &result, NULL ), DBVH_OK );
	assert_true( result.found_count == p.count - 1 && !result.has_more );
	clear_away( &p );
}

// A total ends the listing, and of what was listed each is found or open, in order.
static void crowd_and_totals( void **state ) {
	(void)state;
	enum { MOST_FOUND = 100000 };
	static dbvh_scene_collision pairs_found[MOST_FOUND];
	pile p;
	heap_up( &p, 5000 );
	for ( uint32_t threads = 1; threads <= 2; ++threads ) {
		uint64_t spent = 0;
		const dbvh_budget budget = { .max_total = 200000, .spent = &spent };
		const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .thread_count = threads, .budget = &budget };
		dbvh_scene_result result;
		assert_int_equal( dbvh_scene_collide( p.scene, &query, pairs_found, MOST_FOUND, &result, NULL ),
		                  DBVH_BUDGET_SPENT );
		assert_true( result.has_more && result.found_count > 1000 && result.found_count == result.done_count );
		assert_true( result.done_count + result.open_count == result.pair_count );
		assert_true( spent <= budget.max_total + budget.max_total / 10 );
		for ( size_t i = 0, a = 0, b = 1; i < result.written_count; ++i ) {
			assert_true( pairs_found[i].a == a && pairs_found[i].b == b );
			if ( ++b == p.count )
				b = ++a + 1;
		}
	}
	clear_away( &p );
}

static bool count_and_end( void *user ) {
	size_t *left = user;
	*left -= *left > 0;
	return *left == 0;
}

// Pairs that no rule lets be looked at cost, too; and callbacks are asked while they are passed over.
static void crowd_of_nothing( void **state ) {
	(void)state;
	pile p;
	heap_up( &p, 50000 );
	const dbvh_pair_rule may_meet = { .may_collide = true };
	assert_int_equal( dbvh_scene_set_default_rule( p.scene, &may_meet, NULL ), DBVH_OK );
	uint64_t spent = 0;
	size_t asks = 1000;
	dbvh_budget budget = { .max_total = 1000000, .spent = &spent };
	const dbvh_scene_query query = { .find = DBVH_FIND_ANY, .budget = &budget };
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_clashes( p.scene, &query, NULL, 0, &result, NULL ), DBVH_BUDGET_SPENT );
	assert_true( result.pair_count == 0 && result.has_more && spent == budget.max_total + 1 );
	budget = ( dbvh_budget ){ .is_cancelled = count_and_end, .user = &asks };
	assert_int_equal( dbvh_scene_clashes( p.scene, &query, NULL, 0, &result, NULL ), DBVH_CANCELLED );
	assert_true( asks == 0 && result.has_more );
	asks = 1000;
	const dbvh_scene_distance_query near = { .budget = &budget };
	dbvh_scene_distance_result nearest;
	assert_int_equal( dbvh_scene_distance( p.scene, &near, &nearest, NULL ), DBVH_CANCELLED );
	assert_true( !nearest.found && nearest.at_least == 0.0 );
	clear_away( &p );
}

// Queries without a budget of their own take that of the scene.
static void budget_of_the_scene( void **state ) {
	(void)state;
	pile p;
	heap_up( &p, 3000 );
	const dbvh_ray ray = { .from = { 0.25, 0.25, -1.0 }, .direction = { 0.0, 0.0, 1.0 } };
	const dbvh_aabb box = { .min = { 0.0, 0.0, 0.0 }, .max = { 1.0, 1.0, 1.0 } };
	const double point[3] = { 0.25, 0.25, 5.0 };
	dbvh_scene_hit hit;
	dbvh_scene_closest_point_result closest;
	static uint32_t bodies[3000];
	size_t count, all_of_them, asks = 2;
	uint64_t spent = 0;
	dbvh_budget budget = { .spent = &spent };
	assert_int_equal( dbvh_scene_set_budget( NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_set_budget( p.scene, &budget, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_overlap_aabb( p.scene, &box, bodies, p.count, &all_of_them, NULL ), DBVH_OK );
	assert_true( all_of_them == p.count && spent >= p.count );
	const uint64_t enough = spent;
	for ( uint64_t total = enough; total > 0; total = total > enough / 3 ? total - enough / 3 : 0 ) {
		spent = 0;
		budget.max_total = total;
		assert_int_equal( dbvh_scene_set_budget( p.scene, &budget, NULL ), DBVH_OK );
		const dbvh_status status = dbvh_scene_overlap_aabb( p.scene, &box, bodies, p.count, &count, NULL );
		assert_int_equal( status, total == enough ? DBVH_OK : DBVH_BUDGET_SPENT );
		assert_true( spent <= total + 100 && count <= all_of_them && ( total == enough ) == ( count == all_of_them ) );
		for ( size_t i = 0; i < count; ++i )
			assert_int_equal( bodies[i], i );
	}
	budget.max_total = 500;
	assert_int_equal( dbvh_scene_set_budget( p.scene, &budget, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_raycast( p.scene, &ray, &hit, NULL ), DBVH_BUDGET_SPENT );
	assert_true( hit.body != DBVH_NO_BODY && hit.hit.t == 1.0 );
	assert_int_equal( dbvh_scene_closest_point( p.scene, point, NULL, &closest, NULL ), DBVH_BUDGET_SPENT );
	assert_true( closest.body != DBVH_NO_BODY && closest.closest.distance == 5.0 );
	budget = ( dbvh_budget ){ .is_cancelled = count_and_end, .user = &asks };
	assert_int_equal( dbvh_scene_set_budget( p.scene, &budget, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_raycast( p.scene, &ray, &hit, NULL ), DBVH_CANCELLED );
	assert_int_equal( dbvh_scene_overlap_aabb( p.scene, &box, NULL, 0, &count, NULL ), DBVH_CANCELLED );
	assert_true( count < all_of_them );
	assert_int_equal( dbvh_scene_set_budget( p.scene, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_raycast( p.scene, &ray, &hit, NULL ), DBVH_OK );
	assert_int_equal( hit.body, 0 );
	clear_away( &p );
}

// Says it once, and never again.
static bool ends_once( void *user ) {
	size_t *left = user;
	*left -= 1;
	return *left == 0;
}

// A callback that has ended a call is not asked again, whatever is left to list.
static void cancelled_once( void **state ) {
	(void)state;
	pile p;
	heap_up( &p, 1500 );
	for ( size_t after = 100; after < 8000; after += 1500 ) {
		size_t left = after;
		const dbvh_budget budget = { .is_cancelled = ends_once, .user = &left };
		const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .thread_count = 1, .budget = &budget };
		dbvh_scene_result result;
		assert_int_equal( dbvh_scene_collide( p.scene, &query, NULL, 0, &result, NULL ), DBVH_CANCELLED );
		assert_true( left == 0 && result.has_more );
		assert_true( result.found_count + result.open_count == result.pair_count );
	}
	clear_away( &p );
}

// A total that is enough to the last step is enough, also where nothing is left to be listed after it.
static void total_to_the_last_step( void **state ) {
	(void)state;
	pile p;
	heap_up( &p, 10 );
	p.scene->most_asked = 3;
	uint64_t spent = 0;
	dbvh_budget budget = { .spent = &spent };
	const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .has_body = true, .thread_count = 1, .budget = &budget };
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_collide( p.scene, &query, NULL, 0, &result, NULL ), DBVH_OK );
	assert_true( result.found_count == 9 && spent >= 9 );
	budget.max_total = spent;
	assert_int_equal( dbvh_scene_collide( p.scene, &query, NULL, 0, &result, NULL ), DBVH_OK );
	budget.max_total -= 1;
	assert_int_equal( dbvh_scene_collide( p.scene, &query, NULL, 0, &result, NULL ), DBVH_BUDGET_SPENT );
	clear_away( &p );
}

// A call that is ended while boxes are made leaves the rest of them to the next.
static void cancelled_while_boxes_are_made( void **state ) {
	(void)state;
	enum { COUNT = 3000 };
	pile p;
	heap_up( &p, COUNT );
	static dbvh_pose poses[COUNT];
	for ( size_t i = 0; i < COUNT; ++i ) {
		poses[i] = dbvh_pose_identity();
		poses[i].pos[2] = (double)i;
	}
	assert_int_equal( dbvh_scene_set_poses( p.scene, NULL, poses, COUNT, NULL ), DBVH_OK );
	dbvh_scene_result result;
	for ( size_t after = 1; after < 9; ++after ) {
		// Neighbours are nearer than the rule asks, or not.
		const dbvh_pair_rule rule = { .clearance = after % 2 == 0 ? 0.5 : 1.5 };
		const dbvh_budget budget = { .is_cancelled = count_and_end, .user = &( size_t ){ after } };
		const dbvh_scene_query cut = { .find = DBVH_FIND_ALL, .budget = &budget };
		assert_int_equal( dbvh_scene_set_default_rule( p.scene, &rule, NULL ), DBVH_OK );
		assert_int_equal( dbvh_scene_clashes( p.scene, &cut, NULL, 0, &result, NULL ), DBVH_CANCELLED );
		assert_int_equal( dbvh_scene_pairs( p.scene, NULL, 0, &result, NULL ), DBVH_OK );
		assert_int_equal( result.pair_count, after % 2 == 0 ? 0 : COUNT - 1 );
	}
	clear_away( &p );
}

// One query has the smaller of the two limits.
static void smaller_of_two_limits( void **state ) {
	(void)state;
	shape ball = { 0 };
	shape_add_sphere( &ball, 1.0, 24, 16 );
	const dbvh_mesh_view view = shape_view( &ball );
	dbvh_tree *tree;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
	uint64_t enough = 0;
	dbvh_budget budget = { .spent = &enough };
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .budget = &budget };
	dbvh_collide_result result;
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, &query, NULL, &result, NULL ), DBVH_OK );
	const uint64_t little = enough / 2, much = enough + 1;
	budget = ( dbvh_budget ){ .max_work = little, .max_total = much };
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, &query, NULL, &result, NULL ), DBVH_BUDGET_SPENT );
	budget = ( dbvh_budget ){ .max_work = much, .max_total = little };
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, &query, NULL, &result, NULL ), DBVH_BUDGET_SPENT );
	budget = ( dbvh_budget ){ .max_work = much, .max_total = much };
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, &query, NULL, &result, NULL ), DBVH_OK );
	dbvh_tree_destroy( tree );
	shape_free( &ball );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( totals_of_clashes ),
	    cmocka_unit_test( totals_of_any ),
	    cmocka_unit_test( callbacks ),
	    cmocka_unit_test( cancelled_by_another_thread ),
	    cmocka_unit_test( distances ),
	    cmocka_unit_test( configurations ),
	    cmocka_unit_test( questions_between_queries ),
	    cmocka_unit_test( motions ),
	    cmocka_unit_test( crowd_and_one ),
	    cmocka_unit_test( crowd_and_totals ),
	    cmocka_unit_test( crowd_of_nothing ),
	    cmocka_unit_test( budget_of_the_scene ),
	    cmocka_unit_test( cancelled_once ),
	    cmocka_unit_test( total_to_the_last_step ),
	    cmocka_unit_test( cancelled_while_boxes_are_made ),
	    cmocka_unit_test( smaller_of_two_limits ),
	};
	return test_main( argc, argv, tests );
}
