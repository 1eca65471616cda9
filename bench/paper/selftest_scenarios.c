// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/hash.h"
#include "common/cache.h"
#include "common/poses.h"
#include "paper/independent.h"
#include "paper/measure.h"
#include "paper/report.h"
#include "paper/scenario.h"
#include "paper/selftest.h"
#include "support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_keep( void ) {
	char path[CACHE_PATH_SIZE];
	cache_path( "selftest.bin", path );
	char bytes[100], back[100];
	for ( size_t i = 0; i < sizeof( bytes ); ++i )
		bytes[i] = (char)( 3 * i );
	remove( path );
	selftest_expect( !cache_load( path, 7, back, sizeof( back ) ), "what was never kept is not there" );
	selftest_expect( cache_store( path, 7, bytes, sizeof( bytes ) ), "bytes are kept" );
	selftest_expect( cache_load( path, 7, back, sizeof( back ) ) && memcmp( bytes, back, sizeof( bytes ) ) == 0,
	                 "and come back" );
	selftest_expect( !cache_load( path, 8, back, sizeof( back ) ), "not for another question" );
	selftest_expect( !cache_load( path, 7, back, sizeof( back ) - 1 ), "not of another size" );
	for ( long at = 0; at < 140; at += 13 ) {
		cache_store( path, 7, bytes, sizeof( bytes ) );
		FILE *file = fopen( path, "r+b" );
		selftest_expect( file != NULL, "the file can be opened" );
		if ( file == NULL )
			break;
		fseek( file, at, SEEK_SET );
		const int was = fgetc( file );
		fseek( file, at, SEEK_SET );
		fputc( was ^ 1, file );
		fclose( file );
		selftest_expect( !cache_load( path, 7, back, sizeof( back ) ), "not with one bit changed" );
	}
	remove( path );
}

// Compare with the library's distance, which has another method, and with all pairs.
static void test_independent( rng *r, const scene_mesh *torus ) {
	independent_tree *tree = independent_build( &torus->view );
	selftest_expect( tree != NULL, "the independent tree is built" );
	int zero = 0;
	for ( int i = 0; i < 30 && tree != NULL; ++i ) {
		const dbvh_pose pose = selftest_random_pose( r, 2.0 );
		const double truth = selftest_brute_distance( &torus->view, &pose );
		zero += truth == 0.0;
		selftest_expect( fabs( independent_distance( tree, tree, &pose ) - truth ) <= 1e-12,
		                 "the independent distance is that of all pairs" );
	}
	selftest_expect( zero > 2 && zero < 28, "both outcomes were seen" );
	independent_destroy( tree );

	zero = 0;
	for ( int i = 0; i < 3000; ++i ) {
		double a[9], b[9];
		long double wide_a[9], wide_b[9];
		for ( int k = 0; k < 9; ++k ) {
			a[k] = rng_range( r, -1.0, 1.0 );
			b[k] = rng_range( r, -1.0, 1.0 );
			// Coincidences are common on a coarse grid.
			if ( i % 2 == 0 ) {
				a[k] = round( 4.0 * a[k] ) / 4.0;
				b[k] = round( 4.0 * b[k] ) / 4.0;
			}
		}
		// Points, and needles.
		if ( i % 7 == 0 )
			memcpy( a + 3, a, 3 * sizeof( double ) );
		if ( i % 14 == 0 )
			memcpy( a + 6, a, 3 * sizeof( double ) );
		if ( i % 5 == 0 )
			for ( int k = 0; k < 3; ++k )
				b[6 + k] = 0.5 * ( b[k] + b[3 + k] );
		for ( int k = 0; k < 9; ++k ) {
			wide_a[k] = a[k];
			wide_b[k] = b[k];
		}
		dbvh_triangles_distance_result apart;
		selftest_expect( dbvh_triangles_distance( (const dbvh_triangle *)a, (const dbvh_triangle *)b, NULL, &apart,
		                                          NULL ) == DBVH_OK,
		                 "they are measured" );
		const double distance = apart.distance;
		zero += distance == 0.0;
		selftest_expect( fabs( (double)independent_triangles( wide_a, wide_b ) - distance ) <= 1e-9,
		                 "two triangles are as far apart as the library says" );
	}
	selftest_expect( zero > 100 && zero < 2900, "both outcomes were seen" );
}

// Check --stop steps on all pairs of triangles: level 0 is the only level that collides, and neighbours are one step
// apart along a line.
static void test_steps( const scene_mesh *torus ) {
	dbvh_tree *tree = scene_reference_tree( &torus->view, NULL );
	const poses_options options = { .stop = POSES_STOP_STEPS, .size = POSES_RADIUS, .sample = 40 };
	poses_forget( tree, &options );
	pose_set set = poses_at_distances( tree, &options );
	selftest_expect( set.count > 20, "most lines meet the torus" );
	for ( size_t i = 0; i < set.count; ++i )
		for ( int level = 0; level < POSES_LEVELS; ++level ) {
			const dbvh_pose *pose = &set.rows[level][i], *below = &set.rows[level > 0 ? level - 1 : 0][i];
			double square = 0.0;
			for ( int k = 0; k < 3; ++k )
				square += ( pose->pos[k] - below->pos[k] ) * ( pose->pos[k] - below->pos[k] );
			const double step = level > 0 ? 0.01 * set.size : 0.0;
			selftest_expect( fabs( sqrt( square ) - step ) <= 1e-12 * set.size, "levels are a step apart" );
			const bool meets = oracle_collide( &torus->view, &torus->view, pose, NULL ) > 0;
			selftest_expect( meets == ( level == 0 ), "level 0 is the first that collides" );
		}
	poses_forget( tree, &options );
	pose_set_free( &set );
	dbvh_tree_destroy( tree );
}

static void test_grid( const scene_mesh *torus ) {
	dbvh_tree *tree = scene_reference_tree( &torus->view, NULL );
	const poses_options options = { .method = POSES_GRID, .size = POSES_RADIUS, .cells = 8, .sample = 3000 };
	poses_forget( tree, &options );
	pose_set set = poses_at_distances( tree, &options );
	selftest_expect( fabs( set.size - 0.5 * set.diameter ) < 1e-12 * set.size, "the size is the radius" );
	bool differ = false;
	double nearest_centre = INFINITY;
	for ( int level = 0; level < POSES_LEVELS; ++level ) {
		differ = differ || set.counts[level] != set.counts[0];
		selftest_expect( set.counts[level] > 50, "the grid finds poses at each distance" );
		for ( size_t i = 0; i < set.counts[level]; i += 25 ) {
			const dbvh_pose *pose = &set.rows[level][i];
			const double off = selftest_brute_distance( &torus->view, pose ) - 0.01 * level * set.size;
			selftest_expect( fabs( off ) <= POSES_ACCURACY * set.size,
			                 "a pose of the grid is at the distance asked for" );
			selftest_expect( level > 0 || off > 0.0, "and does not touch at level 0" );
			nearest_centre = fmin( nearest_centre, hypot( hypot( pose->pos[0], pose->pos[1] ), pose->pos[2] ) );
		}
	}
	selftest_expect( differ, "the levels have different numbers of poses" );
	poses_forget( tree, &options );
	pose_set_free( &set );
	dbvh_tree_destroy( tree );
}

// Compare every algorithm of the table with brute force.
static void test_contenders( rng *r, const scene_mesh *torus ) {
	enum { POSES = 16 };
	dbvh_pose poses[POSES];
	algorithm_answer truth[POSES], answers[POSES];
	size_t intersecting = 0;
	for ( int i = 0; i < POSES; ++i ) {
		poses[i] = selftest_random_pose( r, 1.5 );
		dbvh_pair *pairs;
		truth[i] =
		    ( algorithm_answer ){ .pair_count = oracle_collide( &torus->view, &torus->view, &poses[i], &pairs ) };
		for ( size_t k = 0; k < truth[i].pair_count; ++k )
			truth[i].pair_hash += algorithm_pair_hash( pairs[k].a, pairs[k].b );
		intersecting += truth[i].pair_count > 0;
		free( pairs );
	}
	selftest_expect( intersecting > 1 && intersecting < POSES, "both outcomes were seen" );
	algorithm_scene *scene = algorithm_scene_create( &torus->view, &torus->view );
	for ( size_t c = 0; c < algorithm_count; ++c ) {
		const algorithm *who = &algorithm_table[c];
		void *prepared = who->prepare( who, scene ), *scratch = who->scratch( prepared );
		for ( int find = DBVH_FIND_ANY; find <= DBVH_FIND_ALL; ++find ) {
			who->run( prepared, scratch, poses, POSES, (dbvh_find)find, answers );
			for ( int i = 0; i < POSES; ++i ) {
				const bool good = ( answers[i].verdict == DBVH_INTERSECTING ) == ( truth[i].pair_count > 0 ) &&
				                  ( find == DBVH_FIND_ANY || ( answers[i].pair_count == truth[i].pair_count &&
				                                               answers[i].pair_hash == truth[i].pair_hash ) );
				selftest_expect( good, who->name );
			}
		}
		who->free_scratch( scratch );
		who->release( prepared );
	}
	uint32_t mask;
	selftest_expect( algorithm_choose( "dual,rapid", &mask ) &&
	                     mask == ( 1u << ( algorithm_find( "dual" ) - algorithm_table ) |
	                               1u << ( algorithm_find( "rapid" ) - algorithm_table ) ),
	                 "algorithms are chosen by name" );
	selftest_expect( !algorithm_choose( "dual,nonsense", &mask ) && !algorithm_choose( "dua", &mask ),
	                 "and no others" );

	// The same through measure_rows(), in parts and in one piece.
	const measure_row row = { .name = "selftest", .poses = poses, .count = POSES, .find = DBVH_FIND_ALL };
	measure_cell cells[2][ALGORITHM_MAX];
	algorithm_choose( "rapid,packed-all", &mask );
	for ( size_t k = 0; k < 2; ++k ) {
		const measure_options options = { .algorithms = mask, .rounds = 1, .threads = 2, .part = k == 0 ? 5 : 100 };
		selftest_expect( measure_rows( "selftest", &torus->view, &torus->view, &row, 1, &options, cells[k] ),
		                 "poses are measured" );
	}
	uint64_t pairs = 0;
	for ( int i = 0; i < POSES; ++i )
		pairs += truth[i].pair_count;
	for ( size_t c = 0; c < algorithm_count; ++c ) {
		const measure_cell *a = &cells[0][c], *b = &cells[1][c];
		const bool asked = ( mask >> c & 1 ) != 0;
		selftest_expect( a->queries == ( asked ? POSES : 0 ) && a->pairs == ( asked ? pairs : 0 ) &&
		                     a->intersecting == ( asked ? intersecting : 0 ),
		                 "a row adds up" );
		selftest_expect( memcmp( &a->counters, &b->counters, sizeof( a->counters ) ) == 0 &&
		                     ( a->seconds > 0.0 ) == asked,
		                 "counts do not depend on the parts" );
	}
	selftest_expect( measure_agree( &row, 1, mask, cells[0] ), "they agree" );
	cells[0][algorithm_find( "packed-all" ) - algorithm_table].hash ^= 1;
	puts( "(one line about answers that differ belongs here)" );
	selftest_expect( !measure_agree( &row, 1, mask, cells[0] ), "and it would be noticed if they did not" );
	algorithm_scene_destroy( scene );
}

// Check the tables against statements in the paper's text.
static void test_paper( void ) {
	double least = INFINITY, most = 0.0;
	for ( size_t row = 0; row < PAPER_ROWS; ++row ) {
		paper_counts rapid, lite, dual, none;
		selftest_expect( paper_table2( row, PAPER_RAPID, &rapid ) && paper_table2( row, PAPER_SAT_LITE, &lite ) &&
		                     paper_table2( row, PAPER_DUAL, &dual ) && !paper_table2( row, PAPER_QUICKCD, &none ),
		                 "three algorithms have counts" );
		selftest_expect( rapid.boxes < lite.boxes && dual.boxes < dual.spheres && rapid.triangles <= dual.triangles &&
		                     dual.triangles <= lite.triangles,
		                 "fewer axes mean more tests, and spheres save boxes" );
		// A binary descent of both trees compares one pair at the roots and two for each that is divided.
		if ( row >= PAPER_ROW_2 && row < PAPER_ROW_3 )
			selftest_expect( fmod( rapid.boxes, 2.0 ) == 1.0 && fmod( lite.boxes, 2.0 ) == 1.0,
			                 "odd numbers of tests" );
		if ( row < PAPER_ROW_2 ) {
			const double saved = 1.0 - paper_seconds( row, PAPER_DUAL ) / paper_seconds( row, PAPER_RAPID );
			least = fmin( least, saved );
			most = fmax( most, saved );
			const double quick = 1.0 - paper_seconds( row, PAPER_DUAL ) / paper_seconds( row, PAPER_QUICKCD );
			selftest_expect( quick > 0.59 && quick < 0.82, "'about 60-80 %' against QuickCD" );
		}
	}
	selftest_expect( fabs( least - 0.24 ) < 0.01 && fabs( most - 0.405 ) < 0.01, "'about 24-40 %' against RAPID" );
	selftest_expect( paper_queries( 0 ) == 38304 && paper_queries( 8 ) == 1 && paper_queries( 11 ) == 2528, "queries" );
}

static void test_fit( void ) {
	const double v[] = { 100.0, 50.0, 10.0 }, p[] = { 10.0, 1.0, 0.0 }, none[] = { 0.0, 0.0, 0.0 };
	double t[3];
	for ( int i = 0; i < 3; ++i )
		t[i] = 3e-9 * v[i] + 7e-9 * p[i];
	report_costs costs = report_fit( t, v, p, 3 );
	selftest_expect( fabs( costs.volume - 3e-9 ) < 1e-15 && fabs( costs.primitive - 7e-9 ) < 1e-15,
	                 "both costs are found" );
	costs = report_fit( t, v, none, 3 );
	selftest_expect( costs.primitive == 0.0 && costs.volume > 3e-9, "without triangles all is volumes'" );
}

// The generated flight has about as many contacts as Klosowski's.
static void test_flight( void ) {
	static dbvh_pose poses[PAPER_FRAMES];
	scene_mesh cabin = scene_cabin_generated(), hand = scene_hand( 2 );
	dbvh_tree *a = scene_reference_tree( &cabin.view, NULL ), *b = scene_reference_tree( &hand.view, NULL );
	scenario3_path( &cabin.view, &hand.view, SCENARIO3_HEIGHT, PAPER_FRAMES, poses );
	size_t pairs = 0, intersecting = 0;
	for ( size_t i = 0; i < PAPER_FRAMES; ++i ) {
		const dbvh_collide_query query = { .find = DBVH_FIND_ALL };
		dbvh_collide_result result;
		selftest_expect( dbvh_collide( a, NULL, b, &poses[i], &query, NULL, &result, NULL ) == DBVH_OK,
		                 "a frame is asked" );
		pairs += result.pair_count;
		intersecting += result.verdict == DBVH_INTERSECTING;
	}
	selftest_expect( cabin.view.triangle_count == 169944 && hand.view.triangle_count == 404, "as many triangles" );
	selftest_expect( pairs > 25 * PAPER_FRAMES && pairs < 45 * PAPER_FRAMES, "contacts in the order of 33.6 a frame" );
	selftest_expect( intersecting > PAPER_FRAMES / 4 && intersecting < 3 * PAPER_FRAMES / 4,
	                 "some frames meet, some do not" );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	scene_free( &cabin );
	scene_free( &hand );
}

void selftest_scenarios( rng *r, const scene_mesh *torus ) {
	test_keep();
	test_independent( r, torus );
	test_grid( torus );
	test_steps( torus );
	test_contenders( r, torus );
	test_paper();
	test_fit();
	test_flight();
}
