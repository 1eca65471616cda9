// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// QuickCD in all its variants on the three scenarios, beside the library's policies and the paper's own figures.

#include "base/hash.h"
#include "common/experiment.h"
#include "common/path.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/isa.h"
#include "quickcd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// The variants

typedef struct rival {
	const char *name;
	dbvh_policy policy; // k == 0: the library's own
	int k;
	quickcd_rotation rotation;
	uint32_t leaf_environment, leaf_flying;
	const char *isa; // NULL: the best that the machine has
	quickcd_rule rule;
} rival;

static const rival rivals[] = {
    { "rapid", DBVH_POLICY_RAPID, 0, 0, 0, 0, NULL, 0 },
    { "dual", DBVH_POLICY_DUAL, 0, 0, 0, 0, NULL, 0 },
    { "packed", DBVH_POLICY_PACKED, 0, 0, 0, 0, NULL, 0 },
    { "k 6, mixed, 1/40", 0, 6, QUICKCD_MIXED, 1, 40, NULL, 0 },
    { "k 14, mixed, 1/40", 0, 14, QUICKCD_MIXED, 1, 40, NULL, 0 },
    { "k 18, mixed, 1/40", 0, 18, QUICKCD_MIXED, 1, 40, NULL, 0 },
    { "k 24, mixed, 1/40", 0, 24, QUICKCD_MIXED, 1, 40, NULL, 0 },
    { "k 26, mixed, 1/40", 0, 26, QUICKCD_MIXED, 1, 40, NULL, 0 },
    { "k 18, narrow", 0, 18, QUICKCD_MIXED, 1, 40, "baseline", 0 },
    { "k 18, mixed, 1/1", 0, 18, QUICKCD_MIXED, 1, 1, NULL, 0 },
    { "k 18, approx, 1/40", 0, 18, QUICKCD_APPROXIMATE, 1, 40, NULL, 0 },
    { "k 18, approx, 1/1", 0, 18, QUICKCD_APPROXIMATE, 1, 1, NULL, 0 },
    { "k 18, hill, 1/40", 0, 18, QUICKCD_HILL, 1, 40, NULL, 0 },
    { "k 18, hill, 1/1", 0, 18, QUICKCD_HILL, 1, 1, NULL, 0 },
    { "k 18, hill, 40/40", 0, 18, QUICKCD_HILL, 40, 40, NULL, 0 },
    { "k 18, larger first", 0, 18, QUICKCD_MIXED, 1, 40, NULL, QUICKCD_LARGER_FIRST },
    { "k 26, larger first", 0, 26, QUICKCD_MIXED, 1, 40, NULL, QUICKCD_LARGER_FIRST },
};
enum { RIVAL_COUNT = sizeof( rivals ) / sizeof( rivals[0] ) };

typedef struct arena {
	const dbvh_mesh_view *fixed, *moved;
	dbvh_tree *paper[2], *best[2];
	dbvh_workspace *workspace;
	dbvh_pair *room;
	quickcd_work *work;
	quickcd_tree *environment, *flying; // trees of the rival under test
} arena;

enum { PAIR_ROOM = 1 << 16 };

static void give_up( const char *why ) {
	fprintf( stderr, "dualbvh-bench: %s\n", why );
	exit( 2 );
}

static arena arena_make( const dbvh_mesh_view *fixed, const dbvh_mesh_view *moved ) {
	// Options of the paper's tree: boxes by covariance, splits at the mean.
	dbvh_tree_options paper = dbvh_tree_options_default();
	paper.box_fit = DBVH_BOX_FIT_COVARIANCE;
	paper.split = DBVH_SPLIT_MEAN;
	arena a = { .fixed = fixed, .moved = moved };
	a.paper[0] = scene_reference_tree( fixed, &paper );
	a.paper[1] = scene_reference_tree( moved, &paper );
	a.best[0] = scene_reference_tree( fixed, NULL );
	a.best[1] = scene_reference_tree( moved, NULL );
	a.room = malloc( PAIR_ROOM * sizeof *a.room );
	a.work = quickcd_work_create();
	if ( a.room == NULL || a.work == NULL || dbvh_workspace_create( NULL, &a.workspace, NULL ) != DBVH_OK )
		give_up( "out of memory" );
	return a;
}

static void arena_free( arena *a ) {
	for ( int i = 0; i < 2; ++i ) {
		dbvh_tree_destroy( a->paper[i] );
		dbvh_tree_destroy( a->best[i] );
	}
	dbvh_workspace_destroy( a->workspace );
	quickcd_work_free( a->work );
	free( a->room );
}

static void arena_enter( arena *a, const rival *r ) {
	if ( r->k == 0 )
		return;
	const quickcd_options environment = { r->k, r->leaf_environment, false, r->rotation, r->rule };
	const quickcd_options flying = { r->k, r->leaf_flying, true, r->rotation, r->rule };
	a->environment = quickcd_build( a->fixed, &environment );
	a->flying = quickcd_build( a->moved, &flying );
	if ( a->environment == NULL || a->flying == NULL )
		give_up( "a k-DOP tree could not be built" );
}

// NULL: as the program was started.
static void with_isa( const char *isa ) {
	if ( dbvh_isa_select( isa, NULL ) != DBVH_OK )
		give_up( "no such instruction set" );
}

static void arena_leave( arena *a ) {
	quickcd_free( a->environment );
	quickcd_free( a->flying );
	a->environment = a->flying = NULL;
}

// ------------------------------------------------------------------------------------------------
// One variant on one set of poses

typedef struct tally {
	double volumes, triangles, rotations, points; // sums over all poses
	size_t intersecting, pairs;
	uint64_t hash;
} tally;

static void add_library( arena *a, const rival *r, const dbvh_pose *pose, dbvh_find find, tally *t ) {
	dbvh_tree *const *trees = r->policy == DBVH_POLICY_PACKED ? a->best : a->paper;
	const dbvh_collide_query query = {
	    .find = find, .policy = r->policy, .pairs = a->room, .pair_capacity = PAIR_ROOM };
	dbvh_collide_result result;
	if ( dbvh_collide( trees[0], NULL, trees[1], pose, &query, a->workspace, &result, NULL ) != DBVH_OK )
		give_up( "a query failed" );
	t->volumes +=
	    (double)( result.counters.sphere_tests > 0 ? result.counters.sphere_tests : result.counters.box_tests );
	t->triangles += (double)result.counters.triangle_tests;
	t->intersecting += result.verdict == DBVH_INTERSECTING;
	t->hash = dbvhi_hash_word( t->hash, result.verdict );
	if ( find == DBVH_FIND_ALL ) {
		t->pairs += result.pair_count;
		for ( size_t k = 0; k < result.pair_written; ++k )
			t->hash = dbvhi_hash_word( t->hash, (uint64_t)a->room[k].a << 32 | a->room[k].b );
	}
}

static void add_quickcd( arena *a, const dbvh_pose *pose, dbvh_find find, tally *t ) {
	quickcd_result result;
	if ( !quickcd_collide( a->environment, a->flying, pose, find, a->work, &result ) )
		give_up( "a query of k-DOP trees failed" );
	t->volumes += (double)result.counters.volume_tests;
	t->triangles += (double)result.counters.triangle_tests;
	t->rotations += (double)result.counters.reorientations;
	t->points += (double)( result.counters.rotated_points + result.counters.climbing_steps );
	t->intersecting += result.verdict == DBVH_INTERSECTING;
	t->hash = dbvhi_hash_word( t->hash, result.verdict );
	if ( find == DBVH_FIND_ALL ) {
		t->pairs += result.pair_count;
		for ( size_t k = 0; k < result.pair_count && k < PAIR_ROOM; ++k )
			t->hash = dbvhi_hash_word( t->hash, (uint64_t)result.pairs[k].a << 32 | result.pairs[k].b );
	}
}

static tally run( arena *a, const rival *r, const dbvh_pose *poses, size_t count, dbvh_find find ) {
	tally t = { .hash = DBVHI_HASH_SEED };
	with_isa( r->isa );
	for ( size_t i = 0; i < count; ++i ) {
		if ( r->k == 0 )
			add_library( a, r, &poses[i], find, &t );
		else
			add_quickcd( a, &poses[i], find, &t );
	}
	with_isa( NULL );
	return t;
}

// The paper's times, in seconds for the whole row; 0 where it has none.
typedef struct paper_row {
	double rapid, quickcd, dual;
} paper_row;

// Rivals with trees of their own do not fit into memory together: each is timed in rounds with the first, the policy
// that ratios refer to, in turn.
static int one_row( const bench_options *options, arena *a, const char *scene, const char *row, const dbvh_pose *poses,
                    size_t count, dbvh_find find, paper_row paper ) {
	int status = EXIT_SUCCESS;
	tally first = { 0 };
	for ( int i = 0; i < RIVAL_COUNT; ++i ) {
		const rival *pair[2] = { &rivals[0], &rivals[i] };
		arena_enter( a, &rivals[i] );
		double samples[64 * 2];
		tally t = { 0 };
		size_t repeats[2];
		for ( int p = 0; p < 2; ++p ) {
			const double start = stats_thread_now();
			t = run( a, pair[p], poses, count, find );
			repeats[p] = 1 + (size_t)( STATS_ROUND / ( stats_thread_now() - start + 1e-9 ) );
		}
		for ( size_t round = 0; round < options->rounds; ++round )
			for ( int p = 0; p < 2; ++p ) {
				const double start = stats_thread_now();
				for ( size_t k = 0; k < repeats[p]; ++k )
					t = run( a, pair[p], poses, count, find );
				samples[2 * round + (size_t)p] = ( stats_thread_now() - start ) / (double)( count * repeats[p] ) * 1e6;
			}
		const double rapid = stats_competitor_median( samples, options->rounds, 2, 0 );
		const double us = stats_competitor_median( samples, options->rounds, 2, 1 );
		if ( i == 0 )
			first = t;
		const bool wrong = t.hash != first.hash || t.pairs != first.pairs;
		const double n = (double)count, nanoseconds = 1e3 * us / ( t.volumes / n );
		const double theirs = rivals[i].k > 0 ? paper.quickcd : i == 0 ? paper.rapid : i == 1 ? paper.dual : 0.0;
		printf( "%-8s %-18s %11.3f %7.3f ", row, rivals[i].name, us, us / rapid );
		if ( theirs > 0.0 )
			printf( "%7.3f ", theirs / paper.rapid );
		else
			printf( "%7s ", "" );
		printf( "%10.1f %9.2f %8.1f %9.1f %7.1f %6zu %7zu%s\n", t.volumes / n, t.triangles / n, t.rotations / n,
		        t.points / n, nanoseconds, t.intersecting, t.pairs, wrong ? "  ANSWERS DIFFER" : "" );
		if ( wrong )
			status = EXIT_FAILURE;
		if ( options->csv != NULL )
			fprintf( options->csv, "%s,%s,\"%s\",%zu,%.4f,%.4f,%.4f,%.2f,%.3f,%.2f,%.2f,%zu,%zu\n", scene, row,
			         rivals[i].name, count, us, us / rapid, theirs > 0.0 ? theirs / paper.rapid : 0.0, t.volumes / n,
			         t.triangles / n, t.rotations / n, t.points / n, t.intersecting, t.pairs );
		fflush( stdout );
		arena_leave( a );
	}
	return status;
}

static void heading( const char *text ) {
	printf( "\n%s\n%-8s %-18s %11s %7s %7s %10s %9s %8s %9s %7s %6s %7s\n", text, "row", "algorithm", "us/query",
	        "/rapid", "paper's", "N_v", "N_p", "N_u", "points", "ns/N_v", "hits", "pairs" );
}

// ------------------------------------------------------------------------------------------------
// The scenarios

static int scenario_1( const bench_options *options ) {
	static const struct {
		const char *name;
		int row;
		dbvh_find find;
		paper_row paper;
	} rows[] = {
	    { "0 %", 0, DBVH_FIND_ANY, { 27.2540, 50.5709, 20.6053 } },
	    { "1 %", 1, DBVH_FIND_ANY, { 14.0696, 36.4444, 10.1924 } },
	    { "2 %", 2, DBVH_FIND_ANY, { 8.6457, 26.2898, 5.8939 } },
	    { "3 %", 3, DBVH_FIND_ANY, { 6.2860, 19.6893, 4.0741 } },
	    { "4 %", 4, DBVH_FIND_ANY, { 4.9193, 15.4700, 3.0381 } },
	    { "5 %", 5, DBVH_FIND_ANY, { 4.0032, 12.7353, 2.3816 } },
	    { "hits, all", POSES_HITS, DBVH_FIND_ALL, { 0.0, 0.0, 0.0 } },
	};
	scene_mesh mesh = scene_choose( options->mesh );
	arena a = arena_make( &mesh.view, &mesh.view );
	pose_set set = poses_by_sphere( a.best[0], options->sample );
	char text[300];
	snprintf( text, sizeof text, "Scenario I: %s; %zu poses a row; distances in %% of the diameter", mesh.label,
	          set.count );
	heading( text );
	int status = EXIT_SUCCESS;
	for ( size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i ) {
		const int one =
		    one_row( options, &a, "I", rows[i].name, set.rows[rows[i].row], set.count, rows[i].find, rows[i].paper );
		status = one != EXIT_SUCCESS ? one : status;
	}
	pose_set_free( &set );
	arena_free( &a );
	scene_free( &mesh );
	return status;
}

static int scenario_2( const bench_options *options ) {
	static const struct {
		const char *name;
		double gap;
		paper_row paper;
	} rows[] = {
	    { "1e-1", 1e-1, { 0.0012, 0.0112, 0.0013 } }, { "1e-2", 1e-2, { 0.0138, 0.4909, 0.0131 } },
	    { "1e-3", 1e-3, { 0.1754, 0.8663, 0.1653 } }, { "1e-4", 1e-4, { 0.9418, 0.9339, 0.7074 } },
	    { "1e-5", 1e-5, { 1.1858, 0.9409, 0.8973 } },
	};
	int status = EXIT_SUCCESS;
	// The outer sphere is the environment, which stays.
	for ( int turned = 0; turned < 2; ++turned ) {
		heading( turned ? "Scenario II: spheres of 79,600 triangles, turned against each other"
		                : "Scenario II: spheres of 79,600 triangles, aligned" );
		const double turn[4] = { 0.3, 0.2, -0.5, 0.8 }, nowhere[3] = { 0.0, 0.0, 0.0 };
		const dbvh_pose pose = turned ? dbvh_pose_from_quaternion( turn, nowhere ) : dbvh_pose_identity();
		for ( size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i ) {
			scene_mesh inner = scene_sphere( 1.0 ), outer = scene_sphere( 1.0 + rows[i].gap );
			arena a = arena_make( &outer.view, &inner.view );
			const int one = one_row( options, &a, turned ? "II turned" : "II", rows[i].name, &pose, 1, DBVH_FIND_ALL,
			                         rows[i].paper );
			status = one != EXIT_SUCCESS ? one : status;
			arena_free( &a );
			scene_free( &inner );
			scene_free( &outer );
		}
	}
	return status;
}

static int scenario_3( const bench_options *options, int which ) {
	enum { FRAMES = 2528 };
	scene_mesh cabin = scene_cabin(), hand = scene_hand( which );
	double lower[3], upper[3], middle[3] = { 0 };
	for ( size_t k = 0; k < 3; ++k ) {
		lower[k] = INFINITY;
		upper[k] = -(double)INFINITY;
		for ( size_t i = 0; i < cabin.view.vertex_count; ++i ) {
			lower[k] = fmin( lower[k], cabin.positions[3 * i + k] );
			upper[k] = fmax( upper[k], cabin.positions[3 * i + k] );
		}
		for ( size_t i = 0; i < hand.view.vertex_count; ++i )
			middle[k] += hand.positions[3 * i + k] / (double)hand.view.vertex_count;
	}
	dbvh_pose *poses = malloc( FRAMES * sizeof *poses );
	if ( poses == NULL )
		give_up( "out of memory" );
	path_fly( lower, upper, 1998, FRAMES, poses );
	// The path is that of the hand's middle, wherever its own origin lies.
	for ( int i = 0; i < FRAMES; ++i )
		for ( int k = 0; k < 3; ++k )
			for ( int l = 0; l < 3; ++l )
				poses[i].pos[k] -= poses[i].rot[k][l] * middle[l];
	arena a = arena_make( &cabin.view, &hand.view );
	char text[400];
	snprintf( text, sizeof text, "Scenario III: %s, in %s; %d frames, all contacts", hand.label, cabin.label, FRAMES );
	heading( text );
	const int status =
	    one_row( options, &a, "III", "path", poses, FRAMES, DBVH_FIND_ALL, ( paper_row ){ 0.9640, 0.5816, 0.8690 } );
	free( poses );
	arena_free( &a );
	scene_free( &cabin );
	scene_free( &hand );
	return status;
}

// The cost of building the trees.
static void show_trees( const bench_options *options ) {
	scene_mesh meshes[2] = { scene_choose( options->mesh ), scene_sphere( 1.0 ) };
	printf( "\nFlying trees, leaves of 40\n%-12s %-4s %-8s %9s %8s %9s %9s %9s\n", "triangles", "k", "rotation",
	        "build ms", "nodes", "bytes/tri", "points", "climbing" );
	static const char *const names[] = { "approx", "hill", "mixed" };
	for ( int m = 0; m < 2; ++m )
		for ( int i = 0; i < RIVAL_COUNT; ++i ) {
			const rival *r = &rivals[i];
			if ( r->k == 0 || r->leaf_environment != 1 || r->leaf_flying != 40 || r->isa != NULL || r->rule != 0 )
				continue;
			const quickcd_options o = { r->k, r->leaf_flying, true, r->rotation, r->rule };
			const double start = stats_thread_now();
			quickcd_tree *tree = quickcd_build( &meshes[m].view, &o );
			const double ms = 1e3 * ( stats_thread_now() - start );
			if ( tree == NULL )
				give_up( "a k-DOP tree could not be built" );
			const quickcd_size size = quickcd_get_size( tree );
			printf( "%-12zu %-4d %-8s %9.1f %8zu %9.0f %9zu %9zu\n", meshes[m].view.triangle_count, r->k,
			        names[r->rotation], ms, size.nodes, (double)size.bytes / (double)meshes[m].view.triangle_count,
			        size.points, size.hulls );
			quickcd_free( tree );
		}
	for ( int m = 0; m < 2; ++m )
		scene_free( &meshes[m] );
}

int bench_quickcd( const bench_options *options ) {
	if ( options->csv != NULL )
		fprintf(
		    options->csv,
		    "# medians of %zu alternate rounds with rapid; paper_ratio: the same in Table 1 of Chang, Wang and Kim "
		    "(2009), 0 where it has none\n"
		    "scenario,row,algorithm,poses,us_per_query,ratio_to_rapid,paper_ratio,volume_tests,triangle_tests,"
		    "reorientations,points,intersecting,pairs\n",
		    options->rounds );
	puts(
	    "\nQuickCD is `k, rotation, leaf thresholds of environment and flying tree`; mixed climbs at the root alone.\n"
	    "rapid and dual: on the paper's tree. /rapid: ours; paper's: the same ratio in Table 1 of the paper, whose\n"
	    "QuickCD is one row for all variants. N_v: pairs of volumes (spheres for dual and packed), N_p: of triangles,\n"
	    "N_u: DOPs made anew, points: vertices rotated or looked at in climbing for them. narrow: mixed, 1/40, in\n"
	    "vectors of four floats. larger first: mixed, 1/40, by a rule that is not the original's." );
	show_trees( options );
	const int one = scenario_1( options );
	const int two = scenario_2( options );
	int three = scenario_3( options, 2 );
	const int four = scenario_3( options, 1 );
	three = three != EXIT_SUCCESS ? three : four;
	return one != EXIT_SUCCESS ? one : two != EXIT_SUCCESS ? two : three;
}
