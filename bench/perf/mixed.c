// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Do ellipsoids in nodes pay? Meshes, robot links among them, against copies of themselves, with the reference
// tree's boxes and spheres alone, with ellipsoids in the nodes that the cost model chooses, and in all nodes.

#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "experiment.h"
#include "perf/mixed_cost.h"
#include "shapes/shapes.h"
#include "support/data.h"

#include <stdlib.h>
#include <string.h>

enum { POLICY_COUNT = 6 };

// The first of each form is what the others of it are compared with. `all`: with ellipsoids in all nodes (in the packed
// form in the 255 largest), not only in those that the cost model chooses.
static const struct {
	const char *name;
	dbvh_policy policy;
	int base;
	bool all;
} policies[POLICY_COUNT] = { { "dual", DBVH_POLICY_DUAL, 0, false },
                             { "mixed", DBVH_POLICY_MIXED, 0, false },
                             { "ellipsoid", DBVH_POLICY_ELLIPSOID, 0, true },
                             { "packed", DBVH_POLICY_PACKED, 3, false },
                             { "packed mixed", DBVH_POLICY_DEFAULT, 3, false },
                             { "packed all", DBVH_POLICY_DEFAULT, 3, true } };

static const struct {
	const char *name;
	int row;
} rows[] = { { "0 %", 0 }, { "1 %", 1 }, { "5 %", 5 }, { "hits", POSES_HITS } };
enum { ROW_COUNT = sizeof( rows ) / sizeof( rows[0] ) };

typedef struct totals {
	double spheres, boxes, ellipsoids, triangles;
	size_t intersecting;
} totals;

// A mesh and a copy of it; trees with chosen ellipsoids and with all.
typedef struct subject {
	const dbvh_tree *trees[2];
	dbvh_workspace *workspace;
} subject;

// What the costs are fitted to.
static struct {
	mixed_row rows[2][128];
	size_t count;
	double ellipsoid_ns[32];
	size_t meshes;
} found;

static void remember_row( const totals t[POLICY_COUNT], const double us[POLICY_COUNT], double leaf_tests, double n ) {
	if ( found.count == sizeof found.rows[0] / sizeof found.rows[0][0] )
		return;
	const totals *dual = &t[0], *packed = &t[3];
	found.rows[0][found.count] = ( mixed_row ){ dual->spheres / n, dual->boxes / n, dual->triangles / n, us[0] };
	found.rows[1][found.count] = ( mixed_row ){ packed->spheres / n / 16.0, packed->boxes / n, leaf_tests / n, us[3] };
	found.count += 1;
}

static totals run( const subject *s, const dbvh_pose *poses, size_t count, int which ) {
	totals t = { 0 };
	const dbvh_tree *tree = s->trees[policies[which].all];
	const dbvh_collide_query query = { .find = DBVH_FIND_ANY, .policy = policies[which].policy };
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_collide_result result;
		if ( dbvh_collide( tree, NULL, tree, &poses[i], &query, s->workspace, &result, NULL ) != DBVH_OK )
			exit( 2 );
		t.spheres += (double)result.counters.sphere_tests;
		t.boxes += (double)result.counters.box_tests;
		t.ellipsoids += (double)( result.counters.ellipsoid_pair_tests + result.counters.ellipsoid_box_tests );
		t.triangles += (double)result.counters.triangle_tests;
		t.intersecting += result.verdict == DBVH_INTERSECTING;
	}
	return t;
}

static void print_part( double part, double whole ) {
	if ( whole > 0.0 )
		printf( "%5.2f ", part / whole );
	else
		printf( "%5s ", "-" );
}

// One row of the table. False if an answer differs.
static bool one_row( const bench_options *options, const char *label, const char *row, const subject *s,
                     const dbvh_pose *poses, size_t count ) {
	double samples[64 * POLICY_COUNT];
	size_t repeats[POLICY_COUNT];
	totals t[POLICY_COUNT];
	for ( int p = 0; p < POLICY_COUNT; ++p ) {
		const double start = stats_thread_now();
		t[p] = run( s, poses, count, p );
		repeats[p] = 1 + (size_t)( STATS_ROUND / ( stats_thread_now() - start + 1e-9 ) );
	}
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( int p = 0; p < POLICY_COUNT; ++p ) {
			// Once for the caches and the branches, which the one before has filled with its own.
			run( s, poses, count, p );
			const double start = stats_thread_now();
			for ( size_t i = 0; i < repeats[p]; ++i )
				run( s, poses, count, p );
			samples[round * POLICY_COUNT + (size_t)p] =
			    ( stats_thread_now() - start ) / (double)( count * repeats[p] ) * 1e6;
		}
	}
	const double n = (double)count;
	bool same = true;
	double us[POLICY_COUNT];
	printf( "%-22.22s %-5s", label, row );
	for ( int p = 0; p < POLICY_COUNT; ++p ) {
		const int base = policies[p].base;
		const totals *of = &t[base];
		double ratios[64];
		for ( size_t round = 0; round < options->rounds; ++round )
			ratios[round] = samples[round * POLICY_COUNT + (size_t)p] / samples[round * POLICY_COUNT + (size_t)base];
		const double ratio = stats_median( ratios, options->rounds );
		us[p] = stats_competitor_median( samples, options->rounds, POLICY_COUNT, (size_t)p );
		same = same && t[p].intersecting == t[0].intersecting;
		if ( p == base ) {
			printf( " | %8.2f %8.1f %7.1f", us[p], t[p].boxes / n, t[p].triangles / n );
		} else {
			printf( " | %5.2f ", ratio );
			print_part( t[p].boxes, of->boxes );
			print_part( t[p].triangles, of->triangles );
			printf( "%8.1f", t[p].ellipsoids / n );
		}
		if ( options->csv != NULL )
			fprintf( options->csv, "%s,%s,%s,%.4f,%.3f,%.2f,%.2f,%.2f,%.3f,%zu\n", label, row, policies[p].name, us[p],
			         ratio, t[p].spheres / n, t[p].boxes / n, t[p].ellipsoids / n, t[p].triangles / n,
			         t[p].intersecting );
	}
	remember_row( t, us, mixed_leaf_tests( s->trees[0], poses, count, s->workspace ), n );
	puts( same ? "" : "  ANSWERS DIFFER" );
	return same;
}

static bool one_mesh( const bench_options *options, const char *label, const dbvh_mesh_view *view ) {
	dbvh_tree_options tree_options = dbvh_tree_options_default();
	subject s = { 0 };
	dbvh_tree *trees[2];
	double seconds[3];
	for ( int k = 0; k < 3; ++k ) { // without first, to see what they cost to fit and choose
		tree_options.ellipsoids = k == 0 ? DBVH_ELLIPSOIDS_NONE : k == 1 ? DBVH_ELLIPSOIDS_MIXED : DBVH_ELLIPSOIDS_ALL;
		const double start = stats_now();
		dbvh_tree *tree = scene_reference_tree( view, &tree_options );
		seconds[k] = stats_now() - start;
		if ( k == 0 )
			dbvh_tree_destroy( tree );
		else
			s.trees[k - 1] = trees[k - 1] = tree;
	}
	if ( dbvh_workspace_create( NULL, &s.workspace, NULL ) != DBVH_OK )
		exit( 2 );
	pose_set set = poses_at_distances(
	    s.trees[0], &( poses_options ){ .sample = options->sample < 96 && options->sample > 0 ? options->sample : 96,
	                                    .loose = true } );
	const dbvh_tree_stats stats = dbvh_tree_get_stats( s.trees[0] );
	printf( "%-22.22s %zu triangles, %zu of %zu nodes chosen, %zu for the packed form; built in %.0f ms, without %.0f, "
	        "all %.0f\n",
	        label, stats.triangle_count, stats.ellipsoid_chosen, stats.node_count, stats.ellipsoid_packed,
	        1e3 * seconds[1], 1e3 * seconds[0], 1e3 * seconds[2] );
	bool same = true;
	for ( int r = 0; r < ROW_COUNT; ++r )
		same = one_row( options, label, rows[r].name, &s, set.rows[rows[r].row], set.count ) && same;
	if ( found.meshes < sizeof found.ellipsoid_ns / sizeof found.ellipsoid_ns[0] )
		found.ellipsoid_ns[found.meshes++] = mixed_ellipsoid_ns( s.trees[1], set.rows[1], set.counts[1] );
	pose_set_free( &set );
	dbvh_workspace_destroy( s.workspace );
	dbvh_tree_destroy( trees[0] );
	dbvh_tree_destroy( trees[1] );
	return same;
}

// A shape that is made here, and given back.
static bool one_shape( const bench_options *options, const char *label, shape *s ) {
	const dbvh_mesh_view view = shape_view( s );
	const bool same = s->failed || one_mesh( options, label, &view );
	shape_free( s );
	return same;
}

static void print_costs( void ) {
	const double ns = found.meshes > 0 ? stats_median( found.ellipsoid_ns, found.meshes ) : 0.0;
	mixed_print_costs( found.rows[0], found.count, ns, false );
	mixed_print_costs( found.rows[1], found.count, ns, true );
}

int bench_mixed( const bench_options *options ) {
	static const char *const files[] = {
	    "stanford/happy_vrip_res4.ply", "classics/spot.obj",       "classics/rocker-arm.obj",
	    "classics/suzanne.obj",         "cad/trimesh_ballA.off",   "cad/trimesh_featuretype.stl",
	    "cad/stlmodels_gearwheel.stl",  "hands/fg_hand_R_805.obj", "robot/panda/link0.stl",
	    "robot/panda/link1.stl",        "robot/panda/link5.stl",   "robot/panda/hand.stl",
	    "robot/ur5e/base.stl",          "robot/ur5e/shoulder.stl", "robot/ur5e/upperarm.stl",
	    "robot/ur5e/forearm.stl",       "robot/ur5e/wrist1.stl",   "robot/ur10/shoulder.stl",
	    "robot/ur10/upperarm.stl",      "robot/ur10/forearm.stl",  "robot/ur10/wrist1.stl",
	};
	printf( "time (us), boxes and triangles a query of boxes and spheres alone | with ellipsoids: time, boxes and "
	        "triangles "
	        "as a part of that, and ellipsoid tests\n%-28s | %25s | %26s | %26s | %25s | %26s | %26s\n",
	        "mesh and distance", "dual", "mixed", "ellipsoid", "packed", "packed mixed", "packed all" );
	if ( options->csv != NULL )
		fputs( "mesh,distance,policy,us_per_query,ratio_to_base,sphere_tests,box_tests,ellipsoid_tests,triangle_tests,"
		       "intersecting\n",
		       options->csv );
	bool same = true;
	if ( options->mesh != NULL ) {
		scene_mesh mesh = scene_file( options->mesh );
		same = one_mesh( options, mesh.label, &mesh.view );
		scene_free( &mesh );
		print_costs();
		return same ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 40, 40 );
	same = one_shape( options, "sphere (made)", &s ) && same;
	shape_add_torus( &s, 1.0, 0.1, 96, 16 );
	same = one_shape( options, "ring of pipe (made)", &s ) && same;
	const double centre[3] = { 0, 0, 0 }, limb[3] = { 1.0, 0.25, 0.2 };
	const uint32_t cells[3] = { 24, 10, 10 };
	shape_add_cushion( &s, centre, limb, cells, 1.0 );
	same = one_shape( options, "limb (made)", &s ) && same;
	for ( int i = 0; i < 12; ++i ) { // a heap of pills: each component is an ellipsoid
		const double at[3] = { 0.9 * ( i % 3 ), 0.7 * ( i / 3 % 2 ), 0.8 * ( i / 6 ) };
		const double pill[3] = { 0.4, 0.3, 0.2 };
		const uint32_t few[3] = { 8, 6, 6 };
		shape_add_cushion( &s, at, pill, few, 1.0 );
	}
	same = one_shape( options, "twelve pills (made)", &s ) && same;
	for ( size_t i = 0; i < sizeof files / sizeof files[0]; ++i ) {
		dbvh_mesh *mesh = data_mesh( files[i] );
		if ( mesh == NULL )
			continue;
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		// "panda/link1.stl", "spot.obj"
		const char *label = strncmp( files[i], "robot/", 6 ) == 0 ? files[i] + 6 : strrchr( files[i], '/' ) + 1;
		same = one_mesh( options, label, &view ) && same;
		dbvh_mesh_destroy( mesh );
	}
	print_costs();
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
