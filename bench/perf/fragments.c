// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees with fragments of long triangles beside trees without: a mesh against its copy at 3 %, 1 % and 0.1 % of its
// diameter and 1 % inside, on the same poses in turn.

#include "base/hash.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "experiment.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TREES = 16, PAIR_ROOM = 1 << 16 };

static const struct {
	const char *name;
	bool fine; // of a tenth of the diameter
	int row;
	dbvh_find find;
} rows[] = {
    { "3 %", false, 3, DBVH_FIND_ANY },
    { "1 %", false, 1, DBVH_FIND_ANY },
    { "0.1 %", true, 1, DBVH_FIND_ANY },
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

int bench_fragments( const bench_options *options ) {
	scene_mesh mesh = scene_choose( options->mesh );
	dbvh_tree *trees[MOST_TREES];
	const char *names[MOST_TREES];
	double seconds[MOST_TREES];
	size_t count = 0;
	char *list = strdup( getenv( "FRAG_TRY" ) != NULL ? getenv( "FRAG_TRY" ) : "8/1.5" );
	dbvh_tree_options none = dbvh_tree_options_default();
	none.thread_count = 1;
	dbvh_tree_options some = none;
	none.fragments = DBVH_FRAGMENTS_NONE;
	double start = stats_thread_now();
	trees[0] = scene_tree( &mesh.view, &none );
	seconds[0] = stats_thread_now() - start;
	names[count++] = "none";
	for ( char *at = strtok( list, " ," ); at != NULL && count < MOST_TREES; at = strtok( NULL, " ," ) ) {
		names[count] = at;
		char tau[32];
		snprintf( tau, sizeof tau, "%s", at );
		char *slash = strchr( tau, '/' );
		*slash = '\0';
		setenv( "FRAG_TAU", tau, 1 );
		setenv( "FRAG_CAP", slash + 1, 1 );
		start = stats_thread_now();
		trees[count] = scene_tree( &mesh.view, &some );
		seconds[count] = stats_thread_now() - start;
		dbvh_error error;
		if ( dbvh_tree_validate( trees[count], &error ) != DBVH_OK ) {
			printf( "INVALID: %s\n", error.text );
			return EXIT_FAILURE;
		}
		count += 1;
	}
	const size_t sample = options->sample != SIZE_MAX ? options->sample : 480;
	const dbvh_tree_stats stats = dbvh_tree_get_stats( trees[0] );
	poses_options wide = { .size = POSES_DIAMETER, .sample = sample, .loose = true };
	poses_options fine = { .size = POSES_LENGTH, .length = 0.2 * stats.sphere.radius, .sample = sample, .loose = true };
	pose_set sets[2] = { poses_at_distances( trees[0], &wide ), poses_at_distances( trees[0], &fine ) };
	dbvh_workspace *workspace = NULL;
	dbvh_pair *room = malloc( PAIR_ROOM * sizeof( *room ) );
	dbvh_workspace_create( NULL, &workspace, NULL );
	printf( "%s\n", mesh.label );
	for ( size_t k = 0; k < count; ++k ) {
		const dbvh_tree_stats s = dbvh_tree_get_stats( trees[k] );
		printf( "  %-10s %8zu in leaves (%.2f)  %.0f packed bytes a triangle, build %.2f\n", names[k], s.fragment_count,
		        (double)s.fragment_count / (double)s.triangle_count, (double)s.packed_bytes / (double)s.triangle_count,
		        seconds[k] / seconds[0] );
	}
	int status = EXIT_SUCCESS;
	for ( int r = 0; r < ROW_COUNT; ++r ) {
		const pose_set *set = &sets[rows[r].fine];
		tally tallies[MOST_TREES];
		double samples[64 * MOST_TREES];
		size_t repeats[MOST_TREES];
		for ( size_t p = 0; p < count; ++p ) {
			const double begin = stats_thread_now();
			tallies[p] = run( trees[p], set, rows[r].row, rows[r].find, workspace, room );
			repeats[p] = 1 + (size_t)( STATS_ROUND / ( stats_thread_now() - begin + 1e-9 ) );
		}
		for ( size_t round = 0; round < options->rounds; ++round )
			for ( size_t p = 0; p < count; ++p ) {
				const double begin = stats_thread_now();
				for ( size_t i = 0; i < repeats[p]; ++i )
					tallies[p] = run( trees[p], set, rows[r].row, rows[r].find, workspace, room );
				samples[round * count + p] = ( stats_thread_now() - begin ) / (double)( set->count * repeats[p] ) * 1e6;
			}
		const double base = stats_competitor_median( samples, options->rounds, count, 0 );
		printf( "%-18s %9.3f us:", rows[r].name, base );
		for ( size_t p = 0; p < count; ++p ) {
			const double us = stats_competitor_median( samples, options->rounds, count, p );
			printf( "  %s %.2f [%.0f %.0f %.1f]%s", names[p], base / us, (double)tallies[p].counters.sphere_tests / (double)set->count,
			        (double)tallies[p].counters.box_tests / (double)set->count,
			        (double)tallies[p].counters.triangle_tests / (double)set->count,
			        tallies[p].hash == tallies[0].hash ? "" : " ANSWERS DIFFER" );
			if ( tallies[p].hash != tallies[0].hash )
				status = EXIT_FAILURE;
		}
		puts( "" );
		fflush( stdout );
	}
	free( room );
	dbvh_workspace_destroy( workspace );
	for ( int k = 0; k < 2; ++k )
		pose_set_free( &sets[k] );
	for ( size_t k = 0; k < count; ++k )
		dbvh_tree_destroy( trees[k] );
	scene_free( &mesh );
	free( list );
	return status;
}
