// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cost of the exact decision for pairs that filters cannot decide: plates that lie flat on each other, or are
// parallel.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/distance.h"
#include "shapes/shapes.h"

#include <stdlib.h>

typedef struct row {
	const char *work;
	double axis[3], degrees; // how the upper plate is turned
	double at[3];
	bool tilted; // both plates, by the same pose
	bool distance;
	double relative_error;
} row;

static const row rows[] = {
    { "face on face", { 0, 0, 1 }, 0.0, { 0.125, 0.0625, 0.0 }, false, false, 0.0 },
    { "the same, moved by a third", { 0, 0, 1 }, 0.0, { 1.0 / 3.0, 0.0, 0.0 }, false, false, 0.0 },
    { "the same, turned by 30 degrees", { 0, 0, 1 }, 30.0, { 0.125, 0.0625, 0.0 }, false, false, 0.0 },
    { "the same, both tilted", { 1, 2, 3 }, 40.0, { 0.125, 0.0625, 0.25 }, true, false, 0.0 },
    { "parallel, 0.3 apart: distance", { 0, 0, 1 }, 0.0, { 0.01, 0.0, 0.3 }, false, true, 0.0 },
    { "the same, error 1e-12", { 0, 0, 1 }, 0.0, { 0.01, 0.0, 0.3 }, false, true, 1e-12 },
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

// A unit square of n by n cells.
static shape plate( uint32_t n ) {
	shape s = { 0 };
	for ( uint32_t i = 0; i <= n; ++i )
		for ( uint32_t j = 0; j <= n; ++j )
			shape_vertex( &s, (double)i / n, (double)j / n, 0.0 );
	for ( uint32_t i = 0; i < n; ++i )
		for ( uint32_t j = 0; j < n; ++j ) {
			const uint32_t a = i * ( n + 1 ) + j, b = a + n + 1;
			shape_triangle( &s, a, b, b + 1 );
			shape_triangle( &s, a, b + 1, a + 1 );
		}
	return s;
}

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

static void measure( const bench_options *options, const row *r, const dbvh_tree *lower, const dbvh_tree *upper,
                     dbvh_workspace *workspace ) {
	const dbvh_pose pose = shape_pose( r->axis, r->degrees, r->at );
	const dbvh_pose *lower_pose = r->tilted ? &pose : NULL;
	dbvh_collide_query all = { .find = DBVH_FIND_ALL };
	const dbvh_distance_query distance = { .relative_error = r->relative_error };
	double *times = malloc( options->rounds * sizeof *times );
	if ( times == NULL )
		must( DBVH_OUT_OF_MEMORY );
	uint64_t pairs = 0, tests = 0, exact = 0;
	for ( size_t round = 0; round < options->rounds; ++round ) {
		const double begin = stats_thread_now();
		if ( r->distance ) {
			dbvh_distance_result found;
			must( dbvh_distance( lower, lower_pose, upper, &pose, &distance, workspace, &found, NULL ) );
			tests = found.counters.triangle_tests;
			exact = found.counters.exact_tests;
		} else {
			dbvh_collide_result found;
			must( dbvh_collide( lower, lower_pose, upper, &pose, &all, workspace, &found, NULL ) );
			pairs = found.pair_count;
			tests = found.counters.triangle_tests;
			exact = found.counters.exact_tests;
		}
		times[round] = ( stats_thread_now() - begin ) * 1e3;
	}
	const double ms = stats_median( times, options->rounds ), each = tests > 0 ? ms * 1e6 / (double)tests : 0.0;
	printf( "%-32s %8llu %8llu %8llu %9.3f %9.1f\n", r->work, (unsigned long long)pairs, (unsigned long long)tests,
	        (unsigned long long)exact, ms, each );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%llu,%llu,%llu,%.4f,%.2f\n", r->work, (unsigned long long)pairs,
		         (unsigned long long)tests, (unsigned long long)exact, ms, each );
	free( times );
}

int bench_flat( const bench_options *options ) {
	shape coarse = plate( 40 ), fine = plate( 50 );
	const dbvh_mesh_view coarse_view = shape_view( &coarse ), fine_view = shape_view( &fine );
	dbvh_tree *lower = scene_tree( &fine_view, NULL ), *upper = scene_tree( &coarse_view, NULL );
	dbvh_workspace *workspace = NULL;
	must( dbvh_workspace_create( NULL, &workspace, NULL ) );
	printf(
	    "\nplates of 5,000 and 3,200 triangles; one thread, median of %zu rounds; a pair of triangles that was tested\n"
	    "%-32s %8s %8s %8s %9s %9s\n",
	    options->rounds, "", "hits", "tested", "exactly", "ms", "ns a pair" );
	if ( options->csv != NULL )
		fputs( "work,intersecting_pairs,triangle_tests,exact_tests,ms,ns_a_test\n", options->csv );
	for ( int i = 0; i < ROW_COUNT; ++i )
		measure( options, &rows[i], lower, upper, workspace );
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( lower );
	dbvh_tree_destroy( upper );
	shape_free( &coarse );
	shape_free( &fine );
	return EXIT_SUCCESS;
}
