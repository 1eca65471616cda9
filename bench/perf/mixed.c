// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Do ellipsoids in nodes pay? Meshes, robot links among them, against copies of themselves, and Scenarios II and III of
// the paper, in both forms of the tree: with boxes and spheres alone, with ellipsoids in the nodes that the cost model
// chooses, in all nodes, and in those of one of two trees.

#include "common/experiment.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "paper/scenario.h"
#include "perf/mixed_cost.h"
#include "shapes/shapes.h"
#include "support/data.h"

#include <stdlib.h>
#include <string.h>

enum { POLICY_COUNT = 10, DUAL = 0, PACKED = 5 };

// The kinds of trees: without ellipsoids, with those that the cost model chooses, with all (in the packed form the 255
// largest).
enum { NONE, CHOSEN, ALL, TREE_KINDS };

// The first of each form is what the others of it are compared with.
static const struct {
	const char *name;
	dbvh_policy policy;
	int base, tree_a, tree_b;
} policies[POLICY_COUNT] = { { "dual", DBVH_POLICY_DUAL, DUAL, NONE, NONE },
                             { "mixed", DBVH_POLICY_MIXED, DUAL, CHOSEN, CHOSEN },
                             { "mixed all", DBVH_POLICY_MIXED, DUAL, ALL, ALL },
                             { "of A alone", DBVH_POLICY_MIXED, DUAL, ALL, NONE },
                             { "pairs all", DBVH_POLICY_ELLIPSOID, DUAL, ALL, ALL },
                             { "packed", DBVH_POLICY_PACKED, PACKED, NONE, NONE },
                             { "default", DBVH_POLICY_DEFAULT, PACKED, CHOSEN, CHOSEN },
                             { "packed-mixed", DBVH_POLICY_PACKED_MIXED, PACKED, CHOSEN, CHOSEN },
                             { "all", DBVH_POLICY_PACKED_MIXED, PACKED, ALL, ALL },
                             { "of A alone", DBVH_POLICY_PACKED_MIXED, PACKED, ALL, NONE } };

static const struct {
	const char *name;
	int row;
} rows[] = { { "0 %", 0 }, { "1 %", 1 }, { "5 %", 5 }, { "hits", POSES_HITS } };
enum { ROW_COUNT = sizeof( rows ) / sizeof( rows[0] ) };

typedef struct totals {
	double spheres, boxes, pairs, mixed, separated, triangles; // `pairs`, `mixed`: of ellipsoids, with boxes
	size_t intersecting;
} totals;

// Two meshes, which may be the same.
typedef struct subject {
	const dbvh_tree *a[TREE_KINDS], *b[TREE_KINDS];
	dbvh_workspace *workspace;
} subject;

// Data that the costs are fitted to.
static struct {
	mixed_row rows[2][128];
	size_t count;
	double ellipsoid_ns[32];
	size_t meshes;
} found;

static void remember_row( const totals t[POLICY_COUNT], const double us[POLICY_COUNT], double leaf_tests, double n ) {
	if ( found.count == sizeof found.rows[0] / sizeof found.rows[0][0] )
		return;
	const totals *dual = &t[DUAL], *packed = &t[PACKED];
	found.rows[0][found.count] = ( mixed_row ){ dual->spheres / n, dual->boxes / n, dual->triangles / n, us[DUAL] };
	found.rows[1][found.count] =
	    ( mixed_row ){ packed->spheres / n / 16.0, packed->boxes / n, leaf_tests / n, us[PACKED] };
	found.count += 1;
}

static totals run( const subject *s, const dbvh_pose *poses, size_t count, int which ) {
	totals t = { 0 };
	const dbvh_tree *a = s->a[policies[which].tree_a], *b = s->b[policies[which].tree_b];
	const dbvh_collide_query query = { .find = DBVH_FIND_ANY, .policy = policies[which].policy };
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_collide_result result;
		if ( dbvh_collide( a, NULL, b, &poses[i], &query, s->workspace, &result, NULL ) != DBVH_OK )
			exit( 2 );
		t.spheres += (double)result.counters.sphere_tests;
		t.boxes += (double)result.counters.box_tests;
		t.pairs += (double)result.counters.ellipsoid_pair_tests;
		t.mixed += (double)result.counters.ellipsoid_box_tests;
		t.separated += (double)result.counters.ellipsoid_separated;
		t.triangles += (double)result.counters.triangle_tests;
		t.intersecting += result.verdict == DBVH_INTERSECTING;
	}
	return t;
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
		double ratios[64];
		for ( size_t round = 0; round < options->rounds; ++round )
			ratios[round] = samples[round * POLICY_COUNT + (size_t)p] / samples[round * POLICY_COUNT + (size_t)base];
		const double ratio = stats_median( ratios, options->rounds );
		us[p] = stats_competitor_median( samples, options->rounds, POLICY_COUNT, (size_t)p );
		same = same && t[p].intersecting == t[0].intersecting;
		if ( p == base )
			printf( " | %9.2f", us[p] );
		else
			printf( " %6.2f %7.1f", ratio, ( t[p].pairs + t[p].mixed ) / n );
		if ( options->csv != NULL )
			fprintf( options->csv, "%s,%s,%s,%s,%.4f,%.3f,%.2f,%.2f,%.2f,%.2f,%.2f,%.3f,%zu\n", label, row,
			         p < PACKED ? "reference" : "packed", policies[p].name, us[p], ratio, t[p].spheres / n,
			         t[p].boxes / n, t[p].pairs / n, t[p].mixed / n, t[p].separated / n, t[p].triangles / n,
			         t[p].intersecting );
	}
	if ( s->a[NONE] == s->b[NONE] )
		remember_row( t, us, mixed_leaf_tests( s->a[NONE], poses, count, s->workspace ), n );
	puts( same ? "" : "  ANSWERS DIFFER" );
	return same;
}

// Trees of each kind; says what the ellipsoids cost to fit and choose.
static void build( const char *label, const dbvh_mesh_view *view, const dbvh_tree *trees_out[TREE_KINDS] ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	double seconds[TREE_KINDS];
	for ( int k = 0; k < TREE_KINDS; ++k ) {
		options.ellipsoids = (dbvh_ellipsoids)k;
		const double start = stats_now();
		trees_out[k] = scene_reference_tree( view, &options );
		seconds[k] = stats_now() - start;
	}
	const dbvh_tree_stats stats = dbvh_tree_get_stats( trees_out[CHOSEN] );
	printf( "%-22.22s %zu triangles, %zu of %zu nodes chosen, %zu for the packed form; built in %.0f ms, without %.0f, "
	        "all %.0f\n",
	        label, stats.triangle_count, stats.ellipsoid_chosen, stats.node_count, stats.ellipsoid_packed,
	        1e3 * seconds[CHOSEN], 1e3 * seconds[NONE], 1e3 * seconds[ALL] );
}

static void discard( const dbvh_tree *trees[TREE_KINDS] ) {
	for ( int k = 0; k < TREE_KINDS; ++k )
		dbvh_tree_destroy( (dbvh_tree *)(uintptr_t)trees[k] );
}

static dbvh_workspace *make_workspace( void ) {
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK )
		exit( 2 );
	return workspace;
}

// A mesh and a copy of it, at distances.
static bool one_mesh( const bench_options *options, const char *label, const dbvh_mesh_view *view ) {
	subject s = { .workspace = make_workspace() };
	build( label, view, s.a );
	memcpy( s.b, s.a, sizeof s.b );
	pose_set set = poses_at_distances(
	    s.a[NONE], &( poses_options ){ .sample = options->sample < 96 && options->sample > 0 ? options->sample : 96,
	                                   .loose = true } );
	bool same = true;
	for ( int r = 0; r < ROW_COUNT; ++r )
		same = one_row( options, label, rows[r].name, &s, set.rows[rows[r].row], set.count ) && same;
	if ( found.meshes < sizeof found.ellipsoid_ns / sizeof found.ellipsoid_ns[0] )
		found.ellipsoid_ns[found.meshes++] = mixed_ellipsoid_ns( s.a[ALL], set.rows[1], set.counts[1] );
	pose_set_free( &set );
	dbvh_workspace_destroy( s.workspace );
	discard( s.a );
	return same;
}

// Scenario II, one gap.
static bool spheres( const bench_options *options ) {
	static const double gaps[] = { 1e-1, 1e-2 };
	bool same = true;
	for ( size_t i = 0; i < sizeof gaps / sizeof gaps[0]; ++i ) {
		subject s = { .workspace = make_workspace() };
		scene_mesh inner = scene_sphere( 1.0 ), outer = scene_sphere( 1.0 + gaps[i] );
		char row[20];
		snprintf( row, sizeof row, "%.0e", gaps[i] );
		build( "sphere", &inner.view, s.a );
		build( "larger sphere", &outer.view, s.b );
		const dbvh_pose pose = dbvh_pose_identity();
		same = one_row( options, "Scenario II", row, &s, &pose, 1 ) && same;
		dbvh_workspace_destroy( s.workspace );
		discard( s.a );
		discard( s.b );
		scene_free( &inner );
		scene_free( &outer );
	}
	return same;
}

// Scenario III, every 26th frame; first contacts.
static bool flight( const bench_options *options ) {
	enum { FRAMES = 97 };
	subject s = { .workspace = make_workspace() };
	scene_mesh cabin = scene_cabin_generated(), hand = scene_hand( 2 );
	dbvh_pose poses[FRAMES];
	scenario3_path( &cabin.view, &hand.view, SCENARIO3_HEIGHT, FRAMES, poses );
	build( "cabin", &cabin.view, s.a );
	build( "hand", &hand.view, s.b );
	const bool same = one_row( options, "Scenario III", "path", &s, poses, FRAMES );
	dbvh_workspace_destroy( s.workspace );
	discard( s.a );
	discard( s.b );
	scene_free( &cabin );
	scene_free( &hand );
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
	printf( "us a query without ellipsoids | time with them over that, and how many are compared a query\n%-28s", "" );
	for ( int p = 0; p < POLICY_COUNT; ++p )
		printf( p == policies[p].base ? " | %9s" : " %14s", policies[p].name );
	putchar( '\n' );
	if ( options->csv != NULL )
		fputs( "mesh,distance,form,policy,us_per_query,ratio_to_base,sphere_tests,box_tests,ellipsoid_pair_tests,"
		       "ellipsoid_box_tests,ellipsoid_separated,triangle_tests,intersecting\n",
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
	for ( int i = 0; i < 7; ++i ) { // slack cables side by side
		const double at[3] = { 0, 0.15 * i, 0.05 * ( i % 2 ) }, cable[3] = { 2.0, 0.05, 0.05 };
		const uint32_t along[3] = { 60, 4, 4 };
		shape_add_cushion( &s, at, cable, along, 1.0 );
	}
	same = one_shape( options, "seven cables (made)", &s ) && same;
	same = spheres( options ) && same;
	same = flight( options ) && same;
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
