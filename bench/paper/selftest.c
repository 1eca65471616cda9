// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The benchmark's own parts against slow and simple ones: a wrong pose would make every number about it worthless.

#include "paper/selftest.h"

#include "common/experiment.h"
#include "common/path.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/distance.h"
#include "exact/tri_tri_distance.h"
#include "support/oracle.h"

#include <math.h>
#include <string.h>

static int failures;

void selftest_expect( bool fact, const char *what ) {
	if ( fact )
		return;
	failures += 1;
	fprintf( stderr, "FAILED: %s\n", what );
}

static void move( const dbvh_pose *pose, const double in[9], double out[9] ) {
	for ( int k = 0; k < 9; k += 3 )
		for ( int i = 0; i < 3; ++i )
			out[k + i] =
			    pose->rot[i][0] * in[k] + pose->rot[i][1] * in[k + 1] + pose->rot[i][2] * in[k + 2] + pose->pos[i];
}

static double measured( const double a[9], const double b[9] ) {
	dbvh_triangles_distance_result r;
	selftest_expect( dbvh_triangles_distance( (const dbvh_triangle *)a, (const dbvh_triangle *)b, NULL, &r, NULL ) ==
	                     DBVH_OK,
	                 "two triangles are measured" );
	return r.distance;
}

double selftest_brute_distance( const dbvh_mesh_view *view, const dbvh_pose *pose ) {
	double best = INFINITY;
	for ( size_t i = 0; i < view->triangle_count; ++i )
		for ( size_t j = 0; j < view->triangle_count; ++j ) {
			double a[9], b[9], moved[9];
			oracle_triangle( view, i, a );
			oracle_triangle( view, j, b );
			move( pose, b, moved );
			dbvhi_tri_tri_bounds gap;
			dbvhi_triangles_gap( a, moved, 0.0, &gap );
			// The bound in doubles of triangles that intersect may be above 0; if the lower one is 0, the exact measure
			// decides.
			best = fmin( best, gap.lower == 0.0 && measured( a, moved ) == 0.0 ? 0.0 : gap.upper );
		}
	return best;
}

// The distance of two triangles by sampling both: never less than the truth, and near it.
static double sampled_distance( const double a[9], const double b[9] ) {
	enum { STEPS = 24 };
	double best = INFINITY;
	for ( int i = 0; i <= STEPS; ++i )
		for ( int j = 0; i + j <= STEPS; ++j )
			for ( int k = 0; k <= STEPS; ++k )
				for ( int l = 0; k + l <= STEPS; ++l ) {
					double sum = 0.0;
					for ( int x = 0; x < 3; ++x ) {
						const double p = ( i * a[x] + j * a[3 + x] + ( STEPS - i - j ) * a[6 + x] ) / STEPS;
						const double q = ( k * b[x] + l * b[3 + x] + ( STEPS - k - l ) * b[6 + x] ) / STEPS;
						sum += ( p - q ) * ( p - q );
					}
					best = fmin( best, sum );
				}
	return sqrt( best );
}

static void test_triangles( rng *r ) {
	int zero = 0;
	for ( int i = 0; i < 300; ++i ) {
		double a[9], b[9];
		for ( int k = 0; k < 9; ++k ) {
			a[k] = rng_range( r, -1.0, 1.0 );
			b[k] = rng_range( r, -1.0, 1.0 ) + ( k % 3 == 0 ? rng_range( r, 0.0, 2.0 ) : 0.0 );
		}
		const double d = measured( a, b ), sampled = sampled_distance( a, b );
		zero += d == 0.0;
		selftest_expect( d <= sampled + 1e-12, "the distance of two triangles is at most that of two of their points" );
		selftest_expect( sampled <= d + 0.2, "the distance of two triangles is near that of their nearest samples" );
		selftest_expect( ( d == 0.0 ) == oracle_triangles_meet( a, b, NULL ), "triangles are 0 apart where they meet" );
		selftest_expect( d == measured( b, a ), "the distance of two triangles is symmetric" );
	}
	selftest_expect( zero > 20 && zero < 280, "both outcomes were seen" );
}

dbvh_pose selftest_random_pose( rng *r, double reach ) {
	double q[4], p[3];
	for ( int k = 0; k < 4; ++k )
		q[k] = rng_range( r, -1.0, 1.0 );
	for ( int k = 0; k < 3; ++k )
		p[k] = rng_range( r, -reach, reach );
	return dbvh_pose_from_quaternion( q, p );
}

static void test_meshes( rng *r, const scene_mesh *mesh ) {
	dbvh_tree *tree = scene_reference_tree( &mesh->view, NULL );
	int zero = 0;
	for ( int i = 0; i < 24; ++i ) {
		const dbvh_pose pose = selftest_random_pose( r, 2.0 );
		const double truth = selftest_brute_distance( &mesh->view, &pose );
		dbvh_distance_result found;
		selftest_expect( dbvh_distance( tree, NULL, tree, &pose, NULL, NULL, &found, NULL ) == DBVH_OK,
		                 "a distance is measured" );
		zero += truth == 0.0;
		selftest_expect( fabs( found.distance - truth ) <= 1e-12,
		                 "the tree finds the distance that trying all pairs finds" );
	}
	selftest_expect( zero > 2 && zero < 22, "both outcomes were seen" );
	dbvh_tree_destroy( tree );
}

static void test_placing( const scene_mesh *mesh ) {
	enum { SAMPLE = 40 };
	const poses_options options = { .sample = SAMPLE };
	dbvh_tree *tree = scene_reference_tree( &mesh->view, NULL );
	poses_forget( tree, &options );
	pose_set first = poses_by_sphere( tree, SAMPLE ), again = poses_by_sphere( tree, SAMPLE );
	selftest_expect( first.count + first.missed == SAMPLE, "each configuration is placed or counted as missed" );
	selftest_expect( first.count > SAMPLE / 2, "most lines come near" );
	for ( int row = 0; row < POSES_ROWS; ++row )
		selftest_expect( again.count == first.count &&
		                     memcmp( again.rows[row], first.rows[row], first.count * sizeof( dbvh_pose ) ) == 0,
		                 "the cache gives back what was put into it" );
	size_t hits = 0;
	for ( size_t i = 0; i < first.count; ++i ) {
		for ( int level = 0; level < POSES_LEVELS; level += 5 ) {
			const double off =
			    selftest_brute_distance( &mesh->view, &first.rows[level][i] ) - 0.01 * level * first.diameter;
			selftest_expect( fabs( off ) <= POSES_ACCURACY * first.diameter, "a pose is at the distance asked for" );
			selftest_expect( level > 0 || off > 0.0, "level 0 does not touch" );
		}
		hits += oracle_collide( &mesh->view, &mesh->view, &first.rows[POSES_HITS][i], NULL ) > 0;
	}
	selftest_expect( 2 * hits > first.count, "most poses 1 % inwards of touching are hits" );
	poses_forget( tree, &options );
	pose_set_free( &first );
	pose_set_free( &again );
	dbvh_tree_destroy( tree );
}

static void test_path( void ) {
	enum { FRAMES = 300 };
	static dbvh_pose poses[FRAMES];
	const double lower[3] = { 0.0, -2.0, 0.0 }, upper[3] = { 20.0, 2.0, 2.0 };
	path_fly( lower, upper, 1, FRAMES, poses );
	for ( int i = 0; i < FRAMES; ++i ) {
		selftest_expect( dbvh_pose_check( &poses[i], NULL, NULL ) == DBVH_OK, "each frame is a pose" );
		for ( int k = 0; i > 0 && k < 3; ++k ) {
			selftest_expect( fabs( poses[i].pos[k] - poses[i - 1].pos[k] ) < 1.0, "the path does not jump" );
			for ( int l = 0; l < 3; ++l )
				selftest_expect( fabs( poses[i].rot[k][l] - poses[i - 1].rot[k][l] ) < 0.3, "nor does it twist" );
		}
	}
}

static void test_stats( void ) {
	double odd[] = { 3.0, 1.0, 2.0 }, even[] = { 4.0, 1.0, 3.0, 2.0 };
	selftest_expect( stats_median( odd, 3 ) == 2.0 && stats_median( even, 4 ) == 2.5, "medians" );
	const double rounds[] = { 1.0, 10.0, 3.0, 30.0, 2.0, 20.0 };
	selftest_expect( stats_competitor_median( rounds, 3, 2, 1 ) == 20.0, "the median of one competitor" );
}

int bench_selftest( const bench_options *options ) {
	(void)options;
	rng r = rng_announce( "bench_selftest", 20261 );
	scene_mesh torus = scene_torus( 14, 8 );
	test_stats();
	test_path();
	test_triangles( &r );
	test_meshes( &r, &torus );
	test_placing( &torus );
	selftest_scenarios( &r, &torus );
	scene_free( &torus );
	puts( failures == 0 ? "bench selftest: passed" : "bench selftest: FAILED" );
	return failures == 0 ? 0 : 1;
}
