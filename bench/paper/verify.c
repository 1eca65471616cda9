// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Are the poses of Scenario I where they should be? Random ones are measured again by code that shares nothing with the
// library.

#include "base/parallel.h"
#include "cli/progress.h"
#include "common/stats.h"
#include "paper/independent.h"
#include "paper/scenario.h"
#include "support/rng.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { DEFAULT_COUNT = 1000 };

typedef struct work {
	const independent_tree *tree;
	const pose_set *set;
	const struct choice {
		int level;
		size_t index;
	} * choices;
	double *distances;
	size_t count;
	atomic_size_t done;
} work;

static void measure_one( void *context, size_t index, uint32_t thread ) {
	work *w = context;
	const struct choice *c = &w->choices[index];
	w->distances[index] = independent_distance( w->tree, w->tree, &w->set->rows[c->level][c->index] );
	const size_t done = atomic_fetch_add( &w->done, 1 ) + 1;
	if ( thread == 0 )
		progress_step( "measuring", done, w->count );
}

int bench_verify( const bench_options *options ) {
	rng r = rng_announce( "verify", 20262 );
	// The poses are those of the scenario, which a run of it needs anyway; with --sample only that many, and no more
	// are placed.
	const bool sampled = options->sample != SIZE_MAX && options->sample != 0;
	bench_options placed = *options;
	placed.sample = sampled ? ( options->sample + POSES_LEVELS - 1 ) / POSES_LEVELS : SIZE_MAX;
	const size_t count = sampled ? options->sample : DEFAULT_COUNT;
	scene_mesh mesh;
	pose_set set = scenario1_poses( &placed, &mesh );
	size_t total = 0;
	for ( int level = 0; level < POSES_LEVELS; ++level )
		total += set.counts[level];
	independent_tree *tree = independent_build( &mesh.view );
	struct choice *choices = malloc( count * sizeof( *choices ) );
	double *distances = malloc( count * sizeof( *distances ) );
	if ( tree == NULL || choices == NULL || distances == NULL || total == 0 ) {
		fputs( total == 0 ? "dualbvh-bench: there are no poses\n" : "dualbvh-bench: out of memory\n", stderr );
		exit( 2 );
	}
	for ( size_t i = 0; i < count; ++i ) {
		// A sample has just about as many as are wanted: all of them, from the first on.
		size_t at = sampled ? i % total : (size_t)rng_below( &r, total );
		choices[i].level = 0;
		while ( at >= set.counts[choices[i].level] )
			at -= set.counts[choices[i].level++];
		choices[i].index = at;
	}
	work w = { .tree = tree, .set = &set, .choices = choices, .distances = distances, .count = count };
	const double start = stats_now();
	progress_begin( true );
	dbvhi_parallel_for( count, 1, dbvhi_thread_count( 0 ), measure_one, &w );
	progress_end();

	printf( "%s; %zu of %zu configurations, measured again in %.1f s\n", mesh.label, count, total,
	        stats_now() - start );
	printf( "%-8s %8s %24s %24s %12s\n", "distance", "poses", "least, in 1e-5 sizes off", "most, in 1e-5 sizes off",
	        "worse than 1" );
	size_t wrong = 0;
	if ( options->csv != NULL )
		fputs( "level,poses,least_off,most_off,wrong\n", options->csv );
	for ( int level = 0; level < POSES_LEVELS; ++level ) {
		double least = INFINITY, most = -INFINITY;
		size_t here = 0, bad = 0;
		for ( size_t i = 0; i < count; ++i ) {
			if ( choices[i].level != level )
				continue;
			const double off = ( distances[i] - 0.01 * level * set.size ) / ( POSES_ACCURACY * set.size );
			least = fmin( least, off );
			most = fmax( most, off );
			here += 1;
			// Poses at 0 % must not touch.
			bad += !( fabs( off ) <= 1.0 ) || ( level == 0 && !( distances[i] > 0.0 ) );
		}
		if ( here == 0 )
			continue;
		printf( "%d %%      %8zu %24.4f %24.4f %12zu\n", level, here, least, most, bad );
		if ( options->csv != NULL )
			fprintf( options->csv, "%d,%zu,%.5f,%.5f,%zu\n", level, here, least, most, bad );
		wrong += bad;
	}
	puts( wrong == 0 ? "all are right to 0.001 % of the size" : "some are WRONG" );
	free( choices );
	free( distances );
	independent_destroy( tree );
	pose_set_free( &set );
	scene_free( &mesh );
	return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
