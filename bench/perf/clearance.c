// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cost of distance and clearance beside a collision test of the same poses.

#include "common/experiment.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/distance.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum question {
	COLLIDE,
	CLEARANCE_MORE,
	CLEARANCE_LESS,
	CLEARANCE_HALF,
	CLEARANCE_ALL,
	DISTANCE,
	DISTANCE_NEARLY,
	QUESTION_COUNT
} question;

static const char *const names[QUESTION_COUNT] = {
    "collide",  "clearance, 0.01 % more", "clearance, 0.01 % less", "clearance, half", "all pairs, 0.01 % more",
    "distance", "distance, error 1e-3" };

static const int rows[] = { 0, 1, 2, 3, 5 };
enum { ROW_COUNT = sizeof( rows ) / sizeof( rows[0] ) };

typedef struct bench {
	const dbvh_tree *tree;
	const pose_set *set;
	const double *distance; // distances of the row's poses
	dbvh_workspace *workspace;
	dbvh_counters counters; // counters of the last query
	size_t yes;
} bench;

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

// One question about one pose. Returns false where an answer contradicts the distance that is known.
static bool ask( bench *b, question q, int row, size_t i ) {
	const dbvh_pose *pose = &b->set->rows[row][i];
	// Steps are parts of the diameter. At 0 % the poses are a little apart, and the query asks for a little more than
	// that.
	const double step = 1e-4 * b->set->diameter, d = b->distance != NULL ? b->distance[i] : 0.0;
	dbvh_collide_result result;
	dbvh_clearance_result clearance;
	dbvh_distance_result found;
	switch ( q ) {
	case COLLIDE:
		must( dbvh_collide( b->tree, NULL, b->tree, pose, NULL, b->workspace, &result, NULL ) );
		break;
	case CLEARANCE_MORE:
	case CLEARANCE_LESS:
	case CLEARANCE_HALF:
	case CLEARANCE_ALL: {
		const dbvh_clearance_query query = {
		    .max_distance = q == CLEARANCE_HALF   ? 0.5 * d
		                    : q == CLEARANCE_LESS ? fmax( d - step, 0.0 )
		                                          : d + step,
		    .find = q == CLEARANCE_ALL ? DBVH_FIND_ALL : DBVH_FIND_ANY,
		};
		must( dbvh_check_clearance( b->tree, NULL, b->tree, pose, &query, b->workspace, &clearance, NULL ) );
		b->counters = clearance.counters;
		b->yes += clearance.within;
		return clearance.within == ( q != CLEARANCE_LESS && q != CLEARANCE_HALF );
	}
	default: {
		const dbvh_distance_query query = { .relative_error = q == DISTANCE_NEARLY ? 1e-3 : 0.0 };
		must( dbvh_distance( b->tree, NULL, b->tree, pose, &query, b->workspace, &found, NULL ) );
		b->counters = found.counters;
		b->yes += 1;
		return b->distance == NULL ||
		       ( q == DISTANCE ? found.distance == d : found.distance >= d && found.distance <= 1.0011 * d );
	}
	}
	b->counters = result.counters;
	b->yes += result.verdict == DBVH_INTERSECTING;
	return result.verdict == DBVH_DISJOINT;
}

typedef struct column {
	double mean[64]; // microseconds a query, a round each
	double *least;   // seconds, a pose each: the least of the rounds
	double tests, leaf_tests, exact;
	size_t yes, wrong;
} column;

static void one_round( bench *b, question q, int row, size_t round, double clock, column *c ) {
	const size_t count = b->set->count;
	c->tests = c->leaf_tests = c->exact = 0.0;
	c->wrong = 0;
	b->yes = 0;
	const double begin = stats_thread_now();
	for ( size_t i = 0; i < count; ++i ) {
		const double start = stats_now();
		const bool right = ask( b, q, row, i );
		const double spent = fmax( stats_now() - start - clock, 0.0 );
		c->least[i] = round == 0 ? spent : fmin( c->least[i], spent );
		c->wrong += !right;
		c->tests += (double)b->counters.sphere_tests;
		c->leaf_tests += (double)b->counters.triangle_tests;
		c->exact += (double)b->counters.exact_tests;
	}
	c->yes = b->yes;
	// The cost of reading the clock twice a query, and of a few additions, is the same for all.
	c->mean[round] = fmax( ( stats_thread_now() - begin ) / (double)count - 2.0 * clock, 0.0 ) * 1e6;
}

// The cost of reading the clock.
static double clock_cost( void ) {
	double least = 1.0;
	for ( int i = 0; i < 1000; ++i ) {
		const double start = stats_now();
		least = fmin( least, stats_now() - start );
	}
	return least;
}

static int one_row( const bench_options *options, bench *b, int row, double clock ) {
	const size_t count = b->set->count;
	double *distance = malloc( count * sizeof *distance ), *sorted = malloc( count * sizeof *sorted );
	column columns[QUESTION_COUNT];
	for ( int q = 0; q < QUESTION_COUNT; ++q )
		columns[q].least = malloc( count * sizeof( double ) );
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_distance_result found;
		must( dbvh_distance( b->tree, NULL, b->tree, &b->set->rows[row][i], NULL, b->workspace, &found, NULL ) );
		distance[i] = found.distance;
	}
	b->distance = distance;
	for ( size_t round = 0; round < options->rounds; ++round )
		for ( int q = 0; q < QUESTION_COUNT; ++q )
			one_round( b, (question)q, row, round, clock, &columns[q] );
	int status = EXIT_SUCCESS;
	double base_mean = 0.0, base_median = 0.0;
	for ( int q = 0; q < QUESTION_COUNT; ++q ) {
		column *c = &columns[q];
		const double mean = stats_median( c->mean, options->rounds );
		memcpy( sorted, c->least, count * sizeof *sorted );
		const double median = stats_median( sorted, count ) * 1e6;
		base_mean = q == COLLIDE ? mean : base_mean;
		base_median = q == COLLIDE ? median : base_median;
		printf( "%d %%  %-24s %9.3f %8.2f %9.3f %8.2f %9.1f %9.2f %7.2f %6zu%s\n", row, names[q], mean,
		        mean / base_mean, median, median / base_median, c->tests / (double)count, c->leaf_tests / (double)count,
		        c->exact / (double)count, c->yes, c->wrong == 0 ? "" : "  WRONG ANSWERS" );
		if ( c->wrong != 0 )
			status = EXIT_FAILURE;
		if ( options->csv != NULL )
			fprintf( options->csv, "%d,\"%s\",%zu,%.4f,%.3f,%.4f,%.3f,%.2f,%.3f,%.3f,%zu,%zu\n", row, names[q], count,
			         mean, mean / base_mean, median, median / base_median, c->tests / (double)count,
			         c->leaf_tests / (double)count, c->exact / (double)count, c->yes, c->wrong );
		free( c->least );
	}
	fflush( stdout );
	b->distance = NULL;
	free( distance );
	free( sorted );
	return status;
}

static int one_mesh( const bench_options *options, const char *label, const dbvh_mesh_view *view ) {
	dbvh_tree *tree = scene_tree( view, NULL );
	pose_set set = poses_by_sphere( tree, options->sample );
	dbvh_workspace *workspace = NULL;
	must( dbvh_workspace_create( NULL, &workspace, NULL ) );
	must( dbvh_workspace_reserve( workspace, tree, tree, 0, NULL ) );
	bench b = { .tree = tree, .set = &set, .workspace = workspace };
	printf(
	    "\n%s; %zu poses a row; microseconds a query and their\nratio to collide: mean over the poses (median of %zu "
	    "rounds), and median over the poses (of the least of the rounds); tests a query; how often yes\n",
	    label, set.count, options->rounds );
	printf( "gap   %-23s %9s %8s %9s %8s %9s %9s %7s %6s\n", "", "mean", "ratio", "median", "ratio", "spheres",
	        "triangles", "exact", "yes" );
	if ( options->csv != NULL )
		fprintf( options->csv,
		         "# mesh: %s\ngap_percent,question,poses,mean_us,ratio_to_collide,median_us,median_ratio,"
		         "sphere_tests,triangle_tests,exact_tests,yes,wrong\n",
		         label );
	int status = EXIT_SUCCESS;
	const double clock = clock_cost();
	for ( int r = 0; r < ROW_COUNT; ++r ) {
		const int row_status = one_row( options, &b, rows[r], clock );
		status = row_status != EXIT_SUCCESS ? row_status : status;
	}
	dbvh_workspace_destroy( workspace );
	pose_set_free( &set );
	dbvh_tree_destroy( tree );
	return status;
}

int bench_clearance( const bench_options *options ) {
	scene_mesh mesh = scene_choose( options->mesh );
	int status = one_mesh( options, mesh.label, &mesh.view );
	scene_free( &mesh );
	shape cube = { 0 }, ball = { 0 }, gear = { 0 };
	const shape_gear default_gear = shape_gear_default();
	shape_add_box( &cube, 1.0, 1.0, 1.0, 1 );
	shape_add_sphere( &ball, 1.0, 6, 4 );
	shape_add_gear( &gear, &default_gear );
	const shape *const shapes[] = { &cube, &ball, &gear };
	static const char *const labels[] = { "a cube, 12 triangles", "a ball, 36 triangles", "a gear" };
	for ( int i = 0; i < 3; ++i ) {
		const dbvh_mesh_view view = shape_view( shapes[i] );
		const int shape_status = one_mesh( options, labels[i], &view );
		status = shape_status != EXIT_SUCCESS ? shape_status : status;
	}
	shape_free( &cube );
	shape_free( &ball );
	shape_free( &gear );
	return status;
}
