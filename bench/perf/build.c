// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How fast trees are built, and how large they are. By the clock on the wall, so that threads can be compared; on a
// machine that others use as well, the numbers for several threads suffer most.

#include "base/parallel.h"
#include "common/scene.h"
#include "common/stats.h"
#include "experiment.h"

#include <stdlib.h>

static void one_mesh( const bench_options *options, scene_mesh mesh ) {
	const size_t rounds = options->rounds < 5 ? options->rounds : 5;
	const uint32_t all = dbvhi_thread_count( 0 );
	const double count = (double)mesh.view.triangle_count;
	for ( int fit = 0; fit < 2; ++fit ) {
		double samples[64 * 2];
		dbvh_tree_stats stats = { 0 };
		for ( size_t round = 0; round < rounds; ++round )
			for ( size_t k = 0; k < 2; ++k ) {
				dbvh_tree_options tree_options = dbvh_tree_options_default();
				tree_options.box_fit = fit == 0 ? DBVH_BOX_FIT_BEST : DBVH_BOX_FIT_COVARIANCE;
				// The paper's tree has both: boxes by covariance, splits at the mean.
				tree_options.split =
				    tree_options.box_fit == DBVH_BOX_FIT_COVARIANCE ? DBVH_SPLIT_MEAN : DBVH_SPLIT_COST;
				tree_options.thread_count = k == 0 ? 1 : all;
				const double start = stats_now();
				dbvh_tree *tree = scene_tree( &mesh.view, &tree_options );
				samples[2 * round + k] = stats_now() - start;
				stats = dbvh_tree_get_stats( tree );
				dbvh_tree_destroy( tree );
			}
		const double one = stats_competitor_median( samples, rounds, 2, 0 );
		const double many = stats_competitor_median( samples, rounds, 2, 1 );
		const char *name = fit == 0 ? "best" : "covariance";
		printf( "%-52s %-10s %9.1f %12.0f %9.1f %12.0f %8.2f %10.1f %10.1f %6u\n", mesh.label, name, one * 1e3,
		        count / one, many * 1e3, count / many, one / many, (double)stats.bytes / count,
		        (double)stats.packed_bytes / count, stats.depth );
		if ( options->csv != NULL )
			fprintf( options->csv, "\"%s\",%s,%zu,%.3f,%.0f,%u,%.3f,%.0f,%.1f,%.1f,%u\n", mesh.label, name,
			         mesh.view.triangle_count, one * 1e3, count / one, all, many * 1e3, count / many,
			         (double)stats.bytes / count, (double)stats.packed_bytes / count, stats.depth );
	}
	scene_free( &mesh );
}

int bench_build( const bench_options *options ) {
	if ( options->csv != NULL )
		fputs( "mesh,box_fit,triangles,ms_1_thread,triangles_per_s_1_thread,threads,ms_all_threads,"
		       "triangles_per_s_all_threads,bytes_per_triangle,packed_bytes_per_triangle,depth\n",
		       options->csv );
	printf( "\n%-52s %-10s %9s %12s %9s %12s %8s %10s %10s %6s\n", "mesh", "box fit", "ms, 1 thr", "triangles/s",
	        "ms, all", "triangles/s", "speed-up", "bytes/tri", "packed/tri", "depth" );
	if ( options->mesh != NULL ) {
		one_mesh( options, scene_file( options->mesh ) );
		return EXIT_SUCCESS;
	}
	one_mesh( options, scene_buddha() );
	one_mesh( options, scene_hand( 0 ) );
	one_mesh( options, scene_cabin() );
	one_mesh( options, scene_sphere( 1.0 ) );
	one_mesh( options, scene_torus( 1000, 500 ) ); // a million
	return EXIT_SUCCESS;
}
