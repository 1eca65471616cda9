// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenario II: two spheres round one centre, and the paper's own counts beside ours.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "paper/algorithm_library.h"
#include "paper/paper.h"

#include <stdlib.h>

enum { GAP_COUNT = 5, POLICY_COUNT = 3 };

static const double gaps[GAP_COUNT] = { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 };

static const struct {
	const char *name;
	dbvh_policy policy;
	paper_column column;
} policies[POLICY_COUNT] = { { "rapid", DBVH_POLICY_RAPID, PAPER_RAPID },
                             { "sat-lite", DBVH_POLICY_SAT_LITE, PAPER_SAT_LITE },
                             { "dual", DBVH_POLICY_DUAL, PAPER_DUAL } };

typedef enum tree_kind { TREE_TEXT, TREE_PROGRAM, TREE_BEST } tree_kind;

static const struct sphere_case {
	tree_kind tree;
	const char *name, *what;
	bool turned;
} cases[] = {
    { TREE_TEXT, "text", "the paper's text: boxes by covariance, extents in order, smallest spheres", false },
    { TREE_PROGRAM, "program", "its program: RAPID's tree and columns, Ritter's spheres", false },
    { TREE_BEST, "best", "the tree that this library builds by default", false },
    { TREE_TEXT, "text", "the paper's text, the spheres turned against each other", true },
};

static void print_count( double ours, double theirs ) {
	if ( theirs > 0.0 )
		printf( " %8.0f %8.0f %6.3f", ours, theirs, ours / theirs );
	else
		printf( " %8.0f %15s", ours, "" );
}

static dbvh_tree *make_tree( double radius, tree_kind kind ) {
	const dbvh_tree_options tree_options = kind == TREE_TEXT      ? library_text_options()
	                                       : kind == TREE_PROGRAM ? library_program_options()
	                                                              : dbvh_tree_options_default();
	scene_mesh mesh = scene_sphere( radius );
	dbvh_tree *tree = scene_reference_tree( &mesh.view, &tree_options );
	scene_free( &mesh );
	return tree;
}

static void show( const struct sphere_case *how, int gap, int p, double ms, double ratio,
                  const dbvh_collide_result *result, bool wrong, FILE *csv ) {
	paper_counts theirs;
	paper_table2( PAPER_ROW_2 + (size_t)gap, policies[p].column, &theirs );
	const dbvh_counters *c = &result->counters;
	printf( "%.0e %-8s %9.4f %6.3f", gaps[gap], policies[p].name, ms, ratio );
	print_count( (double)c->sphere_tests, theirs.spheres );
	print_count( (double)c->box_tests, theirs.boxes );
	print_count( (double)c->triangle_tests, theirs.triangles );
	printf( " %s%s\n", result->verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint", wrong ? "  WRONG" : "" );
	if ( csv != NULL )
		fprintf( csv, "%s,%s,%.0e,%s,%.5f,%.4f,%llu,%.0f,%llu,%.0f,%llu,%.0f\n", how->name,
		         how->turned ? "turned" : "aligned", gaps[gap], policies[p].name, ms, ratio,
		         (unsigned long long)c->sphere_tests, theirs.spheres, (unsigned long long)c->box_tests, theirs.boxes,
		         (unsigned long long)c->triangle_tests, theirs.triangles );
}

static int one_gap( const bench_options *options, int gap, const struct sphere_case *how ) {
	dbvh_tree *a = make_tree( 1.0, how->tree ), *b = make_tree( 1.0 + gaps[gap], how->tree );
	// The paper does not say how its spheres are turned; aligned, flat against flat, is the worse case at small gaps.
	const double turn[4] = { 0.3, 0.2, -0.5, 0.8 }, nowhere[3] = { 0.0, 0.0, 0.0 };
	const dbvh_pose pose = how->turned ? dbvh_pose_from_quaternion( turn, nowhere ) : dbvh_pose_identity();
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK ||
	     dbvh_workspace_reserve( workspace, a, b, 0, NULL ) != DBVH_OK )
		return 2;
	dbvh_collide_result results[POLICY_COUNT];
	double samples[64 * POLICY_COUNT];
	int status = EXIT_SUCCESS;
	for ( size_t round = 0; round < options->rounds; ++round )
		for ( int p = 0; p < POLICY_COUNT; ++p ) {
			// A query of microseconds is repeated, so that the clock can see it.
			const int repeats = gap == 0 ? 200 : gap == 1 ? 12 : 1;
			const dbvh_collide_query query = { .policy = policies[p].policy };
			const double start = stats_thread_now();
			for ( int i = 0; i < repeats; ++i )
				if ( dbvh_collide( a, NULL, b, &pose, &query, workspace, &results[p], NULL ) != DBVH_OK )
					status = 2;
			samples[round * POLICY_COUNT + (size_t)p] = ( stats_thread_now() - start ) / repeats * 1e3;
		}
	const double rapid = stats_competitor_median( samples, options->rounds, POLICY_COUNT, 0 );
	for ( int p = 0; p < POLICY_COUNT; ++p ) {
		const double ms = stats_competitor_median( samples, options->rounds, POLICY_COUNT, (size_t)p );
		// Aligned spheres do not intersect. (Turned ones may, where the gap is smaller than the tessellation's error.)
		const bool wrong =
		    results[p].verdict != results[0].verdict || ( !how->turned && results[p].verdict == DBVH_INTERSECTING );
		show( how, gap, p, ms, ms / rapid, &results[p], wrong, options->csv );
		status = wrong ? EXIT_FAILURE : status;
	}
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	return status;
}

int bench_spheres( const bench_options *options ) {
	int status = EXIT_SUCCESS;
	if ( options->csv != NULL )
		fprintf( options->csv,
		         "# concentric spheres, 79,600 triangles each; medians of %zu alternate rounds; paper_*: "
		         "Table 2 of Chang, Wang and Kim (2009), 0 where it has no number\n"
		         "tree,pose,gap,policy,ms,ratio_to_rapid,sphere_tests,paper_sphere_tests,box_tests,"
		         "paper_box_tests,triangle_tests,paper_triangle_tests\n",
		         options->rounds );
	for ( size_t i = 0; i < sizeof( cases ) / sizeof( cases[0] ); ++i ) {
		printf( "\nspheres of 79,600 triangles; %s\n%-5s %-8s %9s %6s %8s %8s %6s %8s %8s %6s %8s %8s %6s\n",
		        cases[i].what, "gap", "policy", "ms", "/rapid", "spheres", "paper", "ratio", "boxes", "paper", "ratio",
		        "triangle", "paper", "ratio" );
		for ( int gap = 0; gap < GAP_COUNT; ++gap ) {
			const int one = one_gap( options, gap, &cases[i] );
			status = one != EXIT_SUCCESS ? one : status;
		}
	}
	return status;
}
