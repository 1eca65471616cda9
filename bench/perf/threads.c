// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The gain of a second thread and of all threads, for a batch of poses and for one heavy query. Times are those of the
// wall clock: on a machine that others use as well, these numbers suffer most. Every run's answers are compared with
// those of one thread.

#include "base/parallel.h"
#include "common/experiment.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"

#include <stdlib.h>
#include <string.h>

enum { VARIANTS = 3 };

// 1 thread, 2 threads, all threads.
static uint32_t threads_of( size_t variant ) {
	return variant == 2 ? dbvhi_thread_count( 0 ) : (uint32_t)variant + 1;
}

static void report( const bench_options *options, const char *work, const double *samples ) {
	double median[VARIANTS];
	for ( size_t k = 0; k < VARIANTS; ++k )
		median[k] = stats_competitor_median( samples, options->rounds, VARIANTS, k );
	printf( "%-52s %11.3f %11.3f %7.2f %11.3f %7.2f\n", work, median[0] * 1e3, median[1] * 1e3, median[0] / median[1],
	        median[2] * 1e3, median[0] / median[2] );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%.4f,%.4f,%.3f,%u,%.4f,%.3f\n", work, median[0] * 1e3, median[1] * 1e3,
		         median[0] / median[1], threads_of( 2 ), median[2] * 1e3, median[0] / median[2] );
}

// All 480 poses of one distance as one batch.
static bool batch( const bench_options *options, const char *work, const dbvh_tree *tree, const dbvh_pose *poses,
                   size_t count, dbvh_find find, dbvh_workspace *workspace ) {
	dbvh_collide_result *results = calloc( VARIANTS * count, sizeof *results );
	if ( results == NULL )
		return false;
	const dbvh_collide_query query = { .find = find };
	double samples[64 * VARIANTS];
	bool same = true;
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( size_t k = 0; k < VARIANTS; ++k ) {
			const dbvh_batch_options batch_options = { .thread_count = threads_of( k ), .workspace = workspace };
			dbvh_collide_result *mine = results + k * count;
			double spent = 0.0;
			size_t runs = 0;
			for ( ; spent < STATS_ROUND; ++runs ) {
				const double start = stats_now();
				same = dbvh_collide_batch( tree, NULL, tree, poses, count, &query, &batch_options, mine, NULL ) ==
				           DBVH_OK &&
				       same;
				spent += stats_now() - start;
			}
			samples[VARIANTS * round + k] = spent / (double)runs;
			for ( size_t i = 0; i < count; ++i )
				same = same && mine[i].verdict == results[i].verdict && mine[i].pair_count == results[i].pair_count;
		}
	}
	report( options, work, samples );
	free( results );
	return same;
}

static bool heavy( const bench_options *options, const char *work, const dbvh_tree *a, const dbvh_tree *b,
                   dbvh_find find, dbvh_policy policy, dbvh_workspace *workspace ) {
	double samples[64 * VARIANTS];
	dbvh_collide_result results[VARIANTS];
	bool same = true;
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( size_t k = 0; k < VARIANTS; ++k ) {
			const dbvh_collide_query query = { .find = find, .policy = policy, .thread_count = threads_of( k ) };
			double spent = 0.0;
			size_t runs = 0;
			for ( ; spent < STATS_ROUND; ++runs ) {
				const double start = stats_now();
				same = dbvh_collide( a, NULL, b, NULL, &query, workspace, &results[k], NULL ) == DBVH_OK && same;
				spent += stats_now() - start;
			}
			samples[VARIANTS * round + k] = spent / (double)runs;
			same = same && results[k].verdict == results[0].verdict && results[k].pair_count == results[0].pair_count;
		}
	}
	report( options, work, samples );
	return same;
}

int bench_threads( const bench_options *options ) {
	bool same = true;
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK )
		return 2;
	printf( "\n%-52s %11s %11s %7s %11s %7s\n", "work", "ms, 1 thr", "ms, 2 thr", "gain", "ms, all", "gain" );
	if ( options->csv != NULL )
		fputs( "work,ms_1_thread,ms_2_threads,gain_2,all_threads,ms_all_threads,gain_all\n", options->csv );

	scene_mesh mesh = scene_choose( options->mesh );
	dbvh_tree *tree = scene_tree( &mesh.view, NULL );
	pose_set poses = poses_by_sphere( tree, options->sample );
	static const char *const rows[POSES_ROWS] = { "batch, 0 %",
	                                              "batch, 1 %",
	                                              "batch, 2 %",
	                                              "batch, 3 %",
	                                              "batch, 4 %",
	                                              "batch, 5 %",
	                                              "batch, hits, first contact" };
	for ( int row = 0; row < POSES_ROWS; ++row )
		same = batch( options, rows[row], tree, poses.rows[row], poses.count, DBVH_FIND_ANY, workspace ) && same;
	same = batch( options, "batch, hits, all contacts", tree, poses.rows[POSES_HITS], poses.count, DBVH_FIND_ALL,
	              workspace ) &&
	       same;
	same = heavy( options, "one query: the mesh on itself, all contacts", tree, tree, DBVH_FIND_ALL,
	              DBVH_POLICY_DEFAULT, workspace ) &&
	       same;
	pose_set_free( &poses );
	dbvh_tree_destroy( tree );
	scene_free( &mesh );

	static const double gaps[] = { 1e-3, 1e-4, 1e-5 };
	static const struct {
		const char *name;
		dbvh_policy policy;
	} reference[] = { { "dual", DBVH_POLICY_DUAL }, { "rapid", DBVH_POLICY_RAPID } };
	scene_mesh inner = scene_sphere( 1.0 );
	dbvh_tree *a = scene_reference_tree( &inner.view, NULL );
	for ( size_t i = 0; i < sizeof gaps / sizeof gaps[0]; ++i ) {
		char work[80];
		snprintf( work, sizeof work, "one query: spheres of 79,600, gap %g", gaps[i] );
		scene_mesh outer = scene_sphere( 1.0 + gaps[i] );
		dbvh_tree *b = scene_reference_tree( &outer.view, NULL );
		same = heavy( options, work, a, b, DBVH_FIND_ANY, DBVH_POLICY_DEFAULT, workspace ) && same;
		for ( size_t k = 0; k < sizeof reference / sizeof reference[0]; ++k ) {
			snprintf( work, sizeof work, "one query: the same, policy %s", reference[k].name );
			same = heavy( options, work, a, b, DBVH_FIND_ANY, reference[k].policy, workspace ) && same;
		}
		dbvh_tree_destroy( b );
		scene_free( &outer );
	}
	dbvh_tree_destroy( a );
	scene_free( &inner );
	dbvh_workspace_destroy( workspace );
	if ( !same )
		puts( "the answers DIFFER between numbers of threads" );
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
