// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches that move more bodies than pairs of which are listed: scene/moving.h sweeps their boxes.

#include "bvh/any_node.h"
#include "query/common/workspace.h"
#include "scene/moving.h"
#include "scene_stage.h"

#include <stdlib.h>
#include <time.h>

enum { MOVED = DBVHI_MOST_LISTED + 26, OTHERS = 10, COUNT = 12 };

static dbvh_pose poses[COUNT * MOVED];

// Bodies far from the origin on some axes, where floats are coarser than the bodies: the sweep sorts by floats.
static void fill_stage( stage *s, rng *r, bool is_far, size_t others ) {
	raise( s, r );
	s->size = 13.0;
	while ( s->count < MOVED + others )
		add_body( s, r );
	for ( int i = 0; i < 6; ++i ) {
		const dbvh_pair_rule allowed = { .may_collide = true };
		const uint32_t a = s->bodies[rng_below( r, s->count )], b = s->bodies[rng_below( r, s->count )];
		if ( a != b )
			assert_int_equal( dbvh_scene_set_pair_rule( s->scene, a, b, &allowed, NULL ), DBVH_OK );
	}
	for ( size_t i = 0; i < COUNT * MOVED; ++i ) {
		poses[i] = somewhere( s, r );
		for ( int k = 0; k < 3 && is_far; ++k )
			poses[i].pos[k] += k == 0 ? 0x1p26 : -0x1p27;
	}
	if ( !is_far )
		return;
	for ( size_t k = MOVED; k < s->count; ++k ) {
		dbvh_pose pose = somewhere( s, r );
		for ( int j = 0; j < 3; ++j )
			pose.pos[j] += j == 0 ? 0x1p26 : -0x1p27;
		assert_int_equal( dbvh_scene_set_pose( s->scene, s->bodies[k], &pose, NULL ), DBVH_OK );
	}
}

static bool is_before( dbvh_body_pair a, dbvh_scene_collision b ) {
	return a.a != b.a ? a.a < b.a : a.b < b.b;
}

// Each configuration as the scene itself says once its bodies are there; `room` for pairs is enough or not.
static void configurations( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: configurations of many bodies", 96 );
	static dbvh_configuration_result all[COUNT], any[COUNT], near[COUNT];
	static dbvh_body_pair pairs[COUNT * 64];
	static dbvh_scene_collision met[MOST * MOST];
	size_t cut = 0, whole = 0, total = 0;
	for ( size_t n = 0; n < rounds( 10 ); ++n ) {
		stage s;
		const size_t others = n % 2 == 0 ? 0 : OTHERS;
		fill_stage( &s, &r, n % 3 != 0, others );
		size_t begin[COUNT + 1] = { 0 };
		for ( size_t i = 0; i < COUNT; ++i )
			begin[i + 1] = begin[i] + rng_below( &r, 64 );
		dbvh_configurations_query query = { .find = DBVH_FIND_ALL,
		                                    .bodies = others > 0 ? s.bodies : NULL,
		                                    .body_count = MOVED,
		                                    .thread_count = 1 + (uint32_t)( n % 2 ),
		                                    .pairs = pairs,
		                                    .pair_begin = begin };
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, all, NULL ), DBVH_OK );
		query.find = DBVH_FIND_ANY;
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, any, NULL ), DBVH_OK );
		query.max_distance = 0.25;
		query.find = DBVH_FIND_ALL;
		query.pairs = NULL;
		query.pair_begin = NULL;
		assert_int_equal( dbvh_scene_collide_batch( s.scene, poses, COUNT, &query, near, NULL ), DBVH_OK );
		for ( size_t i = 0; i < COUNT; ++i ) {
			assert_int_equal( dbvh_scene_set_poses( s.scene, query.bodies, poses + i * MOVED, MOVED, NULL ), DBVH_OK );
			const dbvh_scene_query every = { .find = DBVH_FIND_ALL };
			dbvh_scene_result result;
			assert_int_equal( dbvh_scene_collide( s.scene, &every, met, MOST * MOST, &result, NULL ), DBVH_OK );
			size_t count = 0;
			for ( size_t k = 0; k < result.found_count; ++k ) {
				bool is_moved = others == 0;
				for ( size_t b = 0; b < MOVED && !is_moved; ++b )
					is_moved = s.bodies[b] == met[k].a || s.bodies[b] == met[k].b;
				if ( is_moved )
					met[count++] = met[k];
			}
			const size_t room = begin[i + 1] - begin[i], written = count < room ? count : room;
			assert_int_equal( all[i].pair_count, count );
			assert_int_equal( near[i].pair_count, count );
			assert_int_equal( all[i].written_count, written );
			for ( size_t k = 0; k < written; ++k )
				assert_true( pairs[begin[i] + k].a == met[k].a && pairs[begin[i] + k].b == met[k].b );
			assert_int_equal( any[i].verdict, count > 0 ? DBVH_INTERSECTING : DBVH_DISJOINT );
			assert_int_equal( all[i].verdict, any[i].verdict );
			if ( count > 0 ) {
				assert_true( all[i].first.a == met[0].a && all[i].first.b == met[0].b );
				assert_true( !is_before( any[i].first, met[0] ) );
				assert_true( near[i].has_distance && near[i].distance == 0.0 );
				assert_true( near[i].nearest.a == met[0].a && near[i].nearest.b == met[0].b );
			}
			cut += written < count;
			whole += written == count && count > 0;
			total += count;
		}
		strike( &s );
	}
	printf( "scene: %zu configurations with room for all pairs, %zu without; %zu pairs\n", whole, cut, total );
	assert_outcomes( rounds( 10 ) < 2 || ( whole > 0 && cut > 0 ) );
}

// The oracle: every pair by dbvh_time_of_impact().
static void edges( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: edges of many bodies", 97 );
	size_t contacts = 0, late = 0;
	for ( size_t n = 0; n < rounds( 10 ); ++n ) {
		stage s;
		fill_stage( &s, &r, n % 2 != 0, 0 );
		for ( size_t k = 0; k < MOVED; ++k ) {
			for ( int j = 0; j < 3; ++j ) {
				// A grid on which bodies are apart at first.
				const size_t at = j == 0 ? k % 6 : j == 1 ? k / 6 % 6 : k / 36;
				poses[k].pos[j] = 5.0 * (double)at + ( n % 2 == 0 ? 0.0 : 0x1p26 );
				poses[MOVED + k].pos[j] = poses[k].pos[j] + rng_range( &r, -3.0, 3.0 );
			}
			memcpy( poses[MOVED + k].rot, poses[k].rot, sizeof poses[k].rot );
		}
		dbvh_motions_query query = { .find = DBVH_FIND_CLOSEST, .body_count = MOVED, .thread_count = 1 };
		dbvh_edge_result first, any;
		assert_int_equal( dbvh_scene_motion_batch( s.scene, poses, 2, &query, &first, NULL ), DBVH_OK );
		query.find = DBVH_FIND_ANY;
		assert_int_equal( dbvh_scene_motion_batch( s.scene, poses, 2, &query, &any, NULL ), DBVH_OK );
		dbvh_edge_result truth = { .verdict = DBVH_TOI_VERDICT_CLEAR, .time = 1.0 };
		for ( uint32_t i = 0; i < MOVED; ++i ) {
			for ( uint32_t j = i + 1; j < MOVED; ++j ) {
				if ( !dbvh_scene_get_rule( s.scene, i, j, NULL ) )
					continue;
				const dbvh_tree *a, *b;
				assert_true( dbvh_scene_get_body( s.scene, i, &a, NULL, NULL ) );
				assert_true( dbvh_scene_get_body( s.scene, j, &b, NULL, NULL ) );
				dbvh_motion motion_a, motion_b;
				assert_int_equal( dbvh_motion_between( &poses[i], &poses[MOVED + i], NULL, &motion_a, NULL ), DBVH_OK );
				assert_int_equal( dbvh_motion_between( &poses[j], &poses[MOVED + j], NULL, &motion_b, NULL ), DBVH_OK );
				dbvh_toi_result x;
				assert_int_equal( dbvh_time_of_impact( a, &motion_a, b, &motion_b, NULL, NULL, &x, NULL ), DBVH_OK );
				if ( x.verdict == DBVH_TOI_VERDICT_CLEAR ||
				     ( truth.verdict != DBVH_TOI_VERDICT_CLEAR && x.time >= truth.time ) )
					continue;
				truth = ( dbvh_edge_result ){ .verdict = x.verdict, .time = x.time, .bodies = { i, j } };
			}
		}
		assert_int_equal( first.verdict, truth.verdict );
		assert_true( first.time == truth.time );
		assert_true( truth.verdict == DBVH_TOI_VERDICT_CLEAR ||
		             ( first.bodies.a == truth.bodies.a && first.bodies.b == truth.bodies.b ) );
		assert_int_equal( any.verdict == DBVH_TOI_VERDICT_CLEAR, truth.verdict == DBVH_TOI_VERDICT_CLEAR );
		contacts += truth.verdict == DBVH_TOI_VERDICT_CONTACT;
		late += truth.verdict == DBVH_TOI_VERDICT_CONTACT && truth.time > 0.0;
		strike( &s );
	}
	printf( "scene: %zu edges of many bodies meet, %zu of them on the way\n", contacts, late );
	assert_outcomes( rounds( 10 ) < 4 || late > 0 );
}

// Twice the bodies take about twice the memory, not four times, with all pairs counted and with none.
static void memory( void **state ) {
	(void)state;
	shape box = { 0 };
	shape_add_box( &box, 0.5, 0.5, 0.5, 1 );
	const dbvh_mesh_view view = shape_view( &box );
	dbvh_tree *tree;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
	size_t peaks[2][2];
	for ( size_t n = 0; n < 2; ++n ) {
		const size_t count = 1500 << n;
		ledger books = { 0 };
		const dbvh_allocator allocator = ledger_allocator( &books );
		dbvh_scene *scene;
		assert_int_equal( dbvh_scene_create( &allocator, &scene, NULL ), DBVH_OK );
		dbvh_pose *all = malloc( 2 * count * sizeof *all );
		assert_non_null( all );
		for ( size_t i = 0; i < count; ++i ) {
			uint32_t number;
			all[i] = all[count + i] = dbvh_pose_identity();
			all[i].pos[0] = all[count + i].pos[0] = 0.75 * (double)i; // each meets its neighbours
			all[count + i].pos[1] = 0.125;
			assert_int_equal( dbvh_scene_add_body( scene, tree, &all[i], NULL, &number, NULL ), DBVH_OK );
		}
		const dbvh_configurations_query query = { .find = DBVH_FIND_ALL };
		dbvh_configuration_result results[2];
		books.most = books.bytes;
		assert_int_equal( dbvh_scene_collide_batch( scene, all, 2, &query, results, NULL ), DBVH_OK );
		assert_int_equal( results[0].pair_count, count - 1 );
		assert_int_equal( results[1].pair_count, count - 1 );
		peaks[n][0] = books.most;
		const dbvh_motions_query motions = { .find = DBVH_FIND_CLOSEST };
		dbvh_edge_result edge;
		books.most = books.bytes;
		assert_int_equal( dbvh_scene_motion_batch( scene, all, 2, &motions, &edge, NULL ), DBVH_OK );
		assert_int_equal( edge.verdict, DBVH_TOI_VERDICT_CONTACT );
		peaks[n][1] = books.most;
		dbvh_scene_destroy( scene );
		assert_true( books.live == 0 && books.mistakes == 0 );
		free( all );
	}
	printf( "scene: %zu and %zu bytes for configurations, %zu and %zu for edges\n", peaks[0][0], peaks[1][0],
	        peaks[0][1], peaks[1][1] );
	for ( int k = 0; k < 2; ++k )
		assert_true( 2 * peaks[1][k] < 5 * peaks[0][k] );
	dbvh_tree_destroy( tree );
	shape_free( &box );
}

// Preparing a batch takes no time for each pair of bodies, also where neighbours by number have different trees.
// 32,000 bodies take some hundredths of a second; a look at each pair would take several.
static void many_in_turn( void **state ) {
	(void)state;
	enum { BODIES = 32000 };
	dbvh_tree *trees[2];
	for ( uint32_t k = 0; k < 2; ++k ) {
		shape box = { 0 };
		shape_add_box( &box, 0.5, 0.5, 0.5, 1 + 7 * k );
		const dbvh_mesh_view view = shape_view( &box );
		assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &trees[k], NULL ), DBVH_OK );
		shape_free( &box );
	}
	dbvh_scene *scene;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	dbvh_pose *all = malloc( 2 * sizeof *all * BODIES );
	assert_non_null( all );
	for ( size_t i = 0; i < BODIES; ++i ) {
		uint32_t number;
		all[i] = dbvh_pose_identity();
		all[i].pos[0] = 2.0 * (double)i;
		all[BODIES + i] = all[i];
		assert_int_equal( dbvh_scene_add_body( scene, trees[i % 2], &all[i], NULL, &number, NULL ), DBVH_OK );
	}
	const clock_t begin = clock();
	dbvh_configuration_result apart;
	assert_int_equal( dbvh_scene_collide_batch( scene, all, 1, NULL, &apart, NULL ), DBVH_OK );
	assert_int_equal( apart.verdict, DBVH_DISJOINT );
	dbvh_edge_result clear;
	assert_int_equal( dbvh_scene_motion_batch( scene, all, 2, NULL, &clear, NULL ), DBVH_OK );
	assert_int_equal( clear.verdict, DBVH_TOI_VERDICT_CLEAR );
	const double seconds = (double)( clock() - begin ) / CLOCKS_PER_SEC;
	printf( "scene: %d bodies of two trees in turn: %.3f s\n", BODIES, seconds );
	assert_true( seconds < 5.0 );
	dbvh_scene_destroy( scene );
	for ( int k = 0; k < 2; ++k )
		dbvh_tree_destroy( trees[k] );
	free( all );
}

// A workspace has room for any two bodies, one of them moved, whichever of them the deep ones are.
static void room_for_every_pair( void **state ) {
	(void)state;
	enum { KINDS = 5 };
	dbvh_tree *trees[KINDS];
	for ( int k = 0; k < KINDS; ++k ) {
		shape s = { 0 };
		dbvh_tree_options options = dbvh_tree_options_default();
		if ( k == 1 ) { // the deepest packed form
			shape_add_torus( &s, 1.0, 0.25, 120, 60 );
		} else if ( k == 2 ) { // the deepest reference tree, without a packed form
			for ( int i = 0; i < 1500; ++i ) {
				const double x = ldexp( 1.0, i % 500 - 400 ), y = ldexp( (double)( i / 500 ), i % 500 - 402 );
				for ( uint32_t c = 0; c < 3; ++c )
					shape_vertex( &s, x, c == 1 ? x : y, c == 2 ? x : y );
				shape_triangle( &s, 3 * (uint32_t)i, 3 * (uint32_t)i + 1, 3 * (uint32_t)i + 2 );
			}
			options.leaf_size = 8;
		} else {
			shape_add_box( &s, k == 3 ? 400.0 : 0.5, 0.5, 0.5, 1 );
			options.fragments = k == 3 ? DBVH_FRAGMENTS_ALL : DBVH_FRAGMENTS_NONE;
		}
		const dbvh_mesh_view view = shape_view( &s );
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &trees[k], NULL ), DBVH_OK );
		shape_free( &s );
	}
	assert_true( trees[1]->packed != NULL && trees[2]->packed == NULL && trees[3]->fragment != NULL );
	for ( int turn = 0; turn < KINDS; ++turn ) {
		dbvh_scene *scene;
		assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
		dbvh_pose away = dbvh_pose_identity();
		uint32_t moved[2], number;
		for ( int i = 0; i < KINDS; ++i ) {
			away.pos[0] = ldexp( 1.0, 200 + i ); // nothing meets
			assert_int_equal( dbvh_scene_add_body( scene, trees[( turn + i ) % KINDS], &away, NULL, &number, NULL ),
			                  DBVH_OK );
			if ( i < 2 )
				moved[i] = number;
		}
		const dbvh_pose poses_of_moved[2] = { dbvh_pose_identity(), dbvh_pose_identity() };
		const dbvh_configurations_query query = { .bodies = moved, .body_count = 2 };
		dbvh_configuration_result result;
		assert_int_equal( dbvh_scene_collide_batch( scene, poses_of_moved, 1, &query, &result, NULL ), DBVH_OK );
		const dbvh_workspace *w = scene->workspace;
		for ( int i = 0; i < 2; ++i ) {
			const dbvh_tree *a = trees[( turn + i ) % KINDS];
			for ( int k = 0; k < KINDS; ++k ) {
				const dbvh_tree *b = trees[k];
				assert_true( w->stack_capacity > dbvhi_any_room( a ) + dbvhi_any_room( b ) );
				assert_true( a->packed == NULL || b->packed == NULL ||
				             w->packed_capacity >= DBVHI_PACKED_STACK( a->packed->depth, b->packed->depth ) );
				assert_true( ( a->fragment == NULL && b->fragment == NULL ) || w->seen.capacity > 0 );
			}
		}
		dbvh_scene_destroy( scene );
	}
	for ( int k = 0; k < KINDS; ++k ) {
		printf( "scene: tree %d: room for %zu, packed depth %u\n", k, dbvhi_any_room( trees[k] ),
		        trees[k]->packed != NULL ? (unsigned)trees[k]->packed->depth : 0 );
		dbvh_tree_destroy( trees[k] );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( configurations ),
	    cmocka_unit_test( edges ),
	    cmocka_unit_test( memory ),
	    cmocka_unit_test( many_in_turn ),
	    cmocka_unit_test( room_for_every_pair ),
	};
	return test_main( argc, argv, tests );
}
