// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenario I, in little: every overlap policy on the same poses, in turn.

#include "base/hash.h"
#include "common/experiment.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	dbvh_policy policy;
} policies[] = {
    { "rapid", DBVH_POLICY_RAPID },
    { "sat-lite", DBVH_POLICY_SAT_LITE },
    { "dual", DBVH_POLICY_DUAL },
    { "default", DBVH_POLICY_DEFAULT },
};
enum { POLICY_COUNT = sizeof( policies ) / sizeof( policies[0] ) };

static const struct {
	const char *name;
	int row;
	dbvh_find find;
} rows[] = {
    { "0 %", 0, DBVH_FIND_ANY },
    { "1 %", 1, DBVH_FIND_ANY },
    { "2 %", 2, DBVH_FIND_ANY },
    { "3 %", 3, DBVH_FIND_ANY },
    { "4 %", 4, DBVH_FIND_ANY },
    { "5 %", 5, DBVH_FIND_ANY },
    { "hits, first", POSES_HITS, DBVH_FIND_ANY },
    { "hits, all", POSES_HITS, DBVH_FIND_ALL },
};
enum { ROW_COUNT = sizeof( rows ) / sizeof( rows[0] ) };

enum { PAIR_ROOM = 1 << 16 };

typedef struct tally {
	dbvh_counters counters;
	size_t intersecting, pairs;
	uint64_t hash;
} tally;

// Ask about all poses of a row once. Counting costs a few additions a query, the same for all policies.
static tally run( const dbvh_tree *tree, const pose_set *set, int row, dbvh_find find, dbvh_policy policy,
                  dbvh_workspace *workspace, dbvh_pair *room ) {
	tally t = { .hash = DBVHI_HASH_SEED };
	const dbvh_collide_query query = { .find = find, .policy = policy, .pairs = room, .pair_capacity = PAIR_ROOM };
	for ( size_t i = 0; i < set->count; ++i ) {
		dbvh_collide_result result;
		if ( dbvh_collide( tree, NULL, tree, &set->rows[row][i], &query, workspace, &result, NULL ) != DBVH_OK ) {
			fputs( "dualbvh-bench: a query failed\n", stderr );
			exit( 2 );
		}
		t.counters.sphere_tests += result.counters.sphere_tests;
		t.counters.box_tests += result.counters.box_tests;
		t.counters.triangle_tests += result.counters.triangle_tests;
		t.intersecting += result.verdict == DBVH_INTERSECTING;
		t.hash = dbvhi_hash_word( t.hash, result.verdict );
		// The first pair found depends on the policy; the list of all pairs does not.
		if ( find == DBVH_FIND_ALL ) {
			t.pairs += result.pair_count;
			for ( size_t k = 0; k < result.pair_written; ++k )
				t.hash = dbvhi_hash_word( t.hash, (uint64_t)room[k].a << 32 | room[k].b );
		}
	}
	return t;
}

static int one_fit( const bench_options *options, const scene_mesh *mesh, dbvh_box_fit fit, const char *fit_name ) {
	dbvh_tree_options tree_options = dbvh_tree_options_default();
	tree_options.box_fit = fit;
	// The paper's tree has both: boxes by covariance, splits at the mean.
	tree_options.split = tree_options.box_fit == DBVH_BOX_FIT_COVARIANCE ? DBVH_SPLIT_MEAN : DBVH_SPLIT_COST;
	dbvh_tree *tree = scene_reference_tree( &mesh->view, &tree_options );
	pose_set set = poses_by_sphere( tree, options->sample );
	dbvh_workspace *workspace = NULL;
	dbvh_pair *room = malloc( PAIR_ROOM * sizeof( *room ) );
	if ( room == NULL || dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK ||
	     dbvh_workspace_reserve( workspace, tree, tree, PAIR_ROOM, NULL ) != DBVH_OK ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		exit( 2 );
	}
	int status = EXIT_SUCCESS;
	printf( "\n%s; box fit: %s; %zu poses a row, %zu lines that pass by\n", mesh->label, fit_name, set.count,
	        set.missed );
	printf( "%-12s %-9s %10s %10s %8s %9s %9s %9s %9s %8s\n", "distance", "policy", "us/query", "/rapid", "saved",
	        "spheres", "boxes", "triangles", "hits", "pairs" );
	for ( int r = 0; r < ROW_COUNT; ++r ) {
		tally tallies[POLICY_COUNT];
		double samples[64 * POLICY_COUNT];
		size_t repeats[POLICY_COUNT];
		for ( int p = 0; p < POLICY_COUNT; ++p ) {
			const double start = stats_thread_now();
			tallies[p] = run( tree, &set, rows[r].row, rows[r].find, policies[p].policy, workspace, room );
			repeats[p] = 1 + (size_t)( STATS_ROUND / ( stats_thread_now() - start + 1e-9 ) );
		}
		for ( size_t round = 0; round < options->rounds; ++round )
			for ( int p = 0; p < POLICY_COUNT; ++p ) {
				const double start = stats_thread_now();
				for ( size_t i = 0; i < repeats[p]; ++i )
					tallies[p] = run( tree, &set, rows[r].row, rows[r].find, policies[p].policy, workspace, room );
				samples[round * POLICY_COUNT + (size_t)p] =
				    ( stats_thread_now() - start ) / (double)( set.count * repeats[p] ) * 1e6;
			}
		const double rapid = stats_competitor_median( samples, options->rounds, POLICY_COUNT, 0 );
		for ( int p = 0; p < POLICY_COUNT; ++p ) {
			const double us = stats_competitor_median( samples, options->rounds, POLICY_COUNT, (size_t)p );
			const tally *t = &tallies[p];
			const double n = (double)set.count;
			printf( "%-12s %-9s %10.3f %10.3f %6.1f %% %9.1f %9.1f %9.2f %9zu %8zu%s\n", rows[r].name, policies[p].name,
			        us, us / rapid, 100.0 * ( 1.0 - us / rapid ), (double)t->counters.sphere_tests / n,
			        (double)t->counters.box_tests / n, (double)t->counters.triangle_tests / n, t->intersecting,
			        t->pairs, t->hash == tallies[0].hash ? "" : "  ANSWERS DIFFER" );
			if ( t->hash != tallies[0].hash )
				status = EXIT_FAILURE;
			if ( options->csv != NULL )
				fprintf( options->csv, "%s,%s,%s,%zu,%.4f,%.4f,%.2f,%.2f,%.3f,%zu,%zu\n", fit_name, rows[r].name,
				         policies[p].name, set.count, us, us / rapid, (double)t->counters.sphere_tests / n,
				         (double)t->counters.box_tests / n, (double)t->counters.triangle_tests / n, t->intersecting,
				         t->pairs );
		}
	}
	free( room );
	dbvh_workspace_destroy( workspace );
	pose_set_free( &set );
	dbvh_tree_destroy( tree );
	return status;
}

int bench_policies( const bench_options *options ) {
	scene_mesh mesh = scene_choose( options->mesh );
	if ( options->csv != NULL )
		fprintf(
		    options->csv,
		    "# mesh: %s; distances in %% of the diameter of its smallest enclosing sphere; medians of %zu alternate "
		    "rounds\nbox_fit,distance,policy,poses,us_per_query,ratio_to_rapid,sphere_tests,box_tests,"
		    "triangle_tests,intersecting,pairs\n",
		    mesh.label, options->rounds );
	int status = one_fit( options, &mesh, DBVH_BOX_FIT_BEST, "best" );
	const int other = one_fit( options, &mesh, DBVH_BOX_FIT_COVARIANCE, "covariance" );
	status = status != EXIT_SUCCESS ? status : other;
	scene_free( &mesh );
	return status;
}
