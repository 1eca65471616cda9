// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees with fragments of long triangles beside trees without: a mesh against its copy at 3 %, 1 % and 0.1 % of its
// diameter and 1 % inside, on the same poses in turn.

#include "base/hash.h"
#include "common/experiment.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_ROOM = 1 << 16 };

static const struct {
	const char *name;
	bool fine; // the size is a tenth of the diameter
	int row;
	dbvh_find find; // CLOSEST: the distance
} rows[] = {
    { "3 %", false, 3, DBVH_FIND_ANY },
    { "1 %", false, 1, DBVH_FIND_ANY },
    { "0.1 %", true, 1, DBVH_FIND_ANY },
    { "1 %, distance", false, 1, DBVH_FIND_CLOSEST },
    { "1 % inside, first", false, POSES_HITS, DBVH_FIND_ANY },
    { "1 % inside, all", false, POSES_HITS, DBVH_FIND_ALL },
};
enum { ROW_COUNT = sizeof( rows ) / sizeof( rows[0] ) };

typedef struct tally {
	dbvh_counters counters;
	uint64_t hash;
} tally;

static tally run( const dbvh_tree *tree, const pose_set *set, int row, dbvh_find find, dbvh_workspace *workspace,
                  dbvh_pair *room ) {
	tally t = { .hash = DBVHI_HASH_SEED };
	const dbvh_collide_query query = { .find = find, .pairs = room, .pair_capacity = PAIR_ROOM };
	for ( size_t i = 0; i < set->count; ++i ) {
		dbvh_collide_result result;
		dbvh_distance_result distance;
		if ( find == DBVH_FIND_CLOSEST ) {
			if ( dbvh_distance( tree, NULL, tree, &set->rows[row][i], NULL, workspace, &distance, NULL ) != DBVH_OK ) {
				fputs( "dualbvh-bench: a query failed\n", stderr );
				exit( 2 );
			}
			t.counters.sphere_tests += distance.counters.sphere_tests;
			t.counters.triangle_tests += distance.counters.triangle_tests;
			t.hash = dbvhi_hash_word( t.hash, (uint64_t)distance.pair.a << 32 | distance.pair.b );
			continue;
		}
		if ( dbvh_collide( tree, NULL, tree, &set->rows[row][i], &query, workspace, &result, NULL ) != DBVH_OK ) {
			fputs( "dualbvh-bench: a query failed\n", stderr );
			exit( 2 );
		}
		t.counters.sphere_tests += result.counters.sphere_tests;
		t.counters.box_tests += result.counters.box_tests;
		t.counters.triangle_tests += result.counters.triangle_tests;
		t.hash = dbvhi_hash_word( t.hash, result.verdict );
		for ( size_t k = 0; find == DBVH_FIND_ALL && k < result.pair_written; ++k )
			t.hash = dbvhi_hash_word( t.hash, (uint64_t)room[k].a << 32 | room[k].b );
	}
	return t;
}

static const struct {
	const char *name;
	dbvh_fragments fragments;
} kinds[] = {
    { "none", DBVH_FRAGMENTS_NONE },
    { "few", DBVH_FRAGMENTS_FEW },
    { "chosen", DBVH_FRAGMENTS_CHOSEN },
    { "all", DBVH_FRAGMENTS_ALL },
};
enum { KIND_COUNT = sizeof( kinds ) / sizeof( kinds[0] ) };

typedef struct contest {
	dbvh_tree *trees[KIND_COUNT];
	pose_set sets[2]; // poses at parts of the diameter, and of a tenth of it
	dbvh_workspace *workspace;
	dbvh_pair *room;
} contest;

static void build_trees( contest *c, const scene_mesh *mesh ) {
	double seconds[KIND_COUNT];
	printf( "\n%s\n", mesh->label );
	for ( int k = 0; k < KIND_COUNT; ++k ) {
		dbvh_tree_options options = dbvh_tree_options_default();
		options.thread_count = 1;
		options.fragments = kinds[k].fragments;
		const double begin = stats_thread_now();
		c->trees[k] = scene_tree( &mesh->view, &options );
		seconds[k] = stats_thread_now() - begin;
		const dbvh_tree_stats s = dbvh_tree_get_stats( c->trees[k] );
		const double n = (double)s.triangle_count;
		printf( "%-7s %8zu in the leaves, %.2f a triangle, %4.0f packed bytes a triangle, build %.2f ms\n",
		        kinds[k].name, s.fragment_count, (double)s.fragment_count / n, (double)s.packed_bytes / n,
		        1e3 * seconds[k] );
	}
}

// Returns false where answers differ.
static bool one_row( const bench_options *options, contest *c, size_t row ) {
	const pose_set *set = &c->sets[rows[row].fine];
	const double n = (double)set->count;
	tally tallies[KIND_COUNT];
	double samples[64 * KIND_COUNT];
	size_t repeats[KIND_COUNT];
	for ( int k = 0; k < KIND_COUNT; ++k ) {
		const double begin = stats_thread_now();
		tallies[k] = run( c->trees[k], set, rows[row].row, rows[row].find, c->workspace, c->room );
		repeats[k] = 1 + (size_t)( STATS_ROUND / ( stats_thread_now() - begin + 1e-9 ) );
	}
	for ( size_t round = 0; round < options->rounds; ++round )
		for ( int k = 0; k < KIND_COUNT; ++k ) {
			const double begin = stats_thread_now();
			for ( size_t i = 0; i < repeats[k]; ++i )
				tallies[k] = run( c->trees[k], set, rows[row].row, rows[row].find, c->workspace, c->room );
			samples[round * KIND_COUNT + (size_t)k] = ( stats_thread_now() - begin ) / ( n * (double)repeats[k] ) * 1e6;
		}
	const double base = stats_competitor_median( samples, options->rounds, KIND_COUNT, 0 );
	bool same = true;
	printf( "%-17s", rows[row].name );
	for ( int k = 0; k < KIND_COUNT; ++k ) {
		const double us = stats_competitor_median( samples, options->rounds, KIND_COUNT, (size_t)k );
		const bool differs = tallies[k].hash != tallies[0].hash;
		printf( "  %9.3f us %5.2f (%5.0f %5.0f %6.1f)%s", us, base / us, (double)tallies[k].counters.sphere_tests / n,
		        (double)tallies[k].counters.box_tests / n, (double)tallies[k].counters.triangle_tests / n,
		        differs ? " ANSWERS DIFFER" : "" );
		if ( options->csv != NULL )
			fprintf( options->csv, "%s,%s,%.4f,%.3f\n", rows[row].name, kinds[k].name, us, base / us );
		same = same && !differs;
	}
	puts( "" );
	return same;
}

int bench_fragments( const bench_options *options ) {
	scene_mesh mesh = scene_choose( options->mesh );
	contest c = { .room = malloc( PAIR_ROOM * sizeof( dbvh_pair ) ) };
	if ( c.room == NULL || dbvh_workspace_create( NULL, &c.workspace, NULL ) != DBVH_OK ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		exit( 2 );
	}
	build_trees( &c, &mesh );
	poses_options wide = { .size = POSES_DIAMETER, .sample = options->sample, .loose = true };
	c.sets[0] = poses_at_distances( c.trees[0], &wide );
	wide.size = POSES_LENGTH;
	wide.length = 0.1 * c.sets[0].diameter;
	c.sets[1] = poses_at_distances( c.trees[0], &wide );
	printf( "%zu poses a row; how many times as fast as `none`, and tests of spheres, boxes and triangles a query\n",
	        c.sets[0].count );
	if ( options->csv != NULL )
		fputs( "distance,fragments,us_per_query,times_as_fast\n", options->csv );
	bool same = true;
	for ( size_t row = 0; row < ROW_COUNT; ++row )
		same = one_row( options, &c, row ) && same;
	free( c.room );
	dbvh_workspace_destroy( c.workspace );
	for ( int k = 0; k < 2; ++k )
		pose_set_free( &c.sets[k] );
	for ( int k = 0; k < KIND_COUNT; ++k )
		dbvh_tree_destroy( c.trees[k] );
	scene_free( &mesh );
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
