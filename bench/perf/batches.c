// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The gain of a batch of poses over as many single calls, on one thread: a mesh against its copy at 0 to 5 % of its
// diameter and 1 % inside, and at random poses about it. Both are timed in turn; their verdicts are compared.

#include "common/experiment.h"
#include "common/numbers.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "common/turn.h"

#include <stdlib.h>
#include <string.h>

enum { SINGLE, BATCH, WAYS };

// A question about many poses, asked both ways.
typedef struct question {
	const dbvh_tree *tree;
	const dbvh_pose *poses;
	size_t count;
	double max_distance; // negative: do they intersect? else the clearance
	dbvh_workspace *workspace;
	bool *yes; // the answers of both ways, one after the other
} question;

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

static void *room_for( size_t count, size_t size ) {
	void *room = calloc( count, size );
	if ( room == NULL )
		must( DBVH_OUT_OF_MEMORY );
	return room;
}

static void collide( const question *q, int way, dbvh_collide_result *results ) {
	const dbvh_batch_options options = { .thread_count = 1, .workspace = q->workspace };
	if ( way == BATCH )
		must( dbvh_collide_batch( q->tree, NULL, q->tree, q->poses, q->count, NULL, &options, results, NULL ) );
	for ( size_t i = 0; way == SINGLE && i < q->count; ++i )
		must( dbvh_collide( q->tree, NULL, q->tree, &q->poses[i], NULL, q->workspace, &results[i], NULL ) );
	for ( size_t i = 0; i < q->count; ++i )
		q->yes[(size_t)way * q->count + i] = results[i].verdict == DBVH_INTERSECTING;
}

static void check_clearance( const question *q, int way, dbvh_clearance_result *results ) {
	const dbvh_batch_options options = { .thread_count = 1, .workspace = q->workspace };
	const dbvh_clearance_query query = { .max_distance = q->max_distance };
	if ( way == BATCH )
		must(
		    dbvh_check_clearance_batch( q->tree, NULL, q->tree, q->poses, q->count, &query, &options, results, NULL ) );
	for ( size_t i = 0; way == SINGLE && i < q->count; ++i )
		must( dbvh_check_clearance( q->tree, NULL, q->tree, &q->poses[i], &query, q->workspace, &results[i], NULL ) );
	for ( size_t i = 0; i < q->count; ++i )
		q->yes[(size_t)way * q->count + i] = results[i].within;
}

// Ask all poses once, and return the seconds.
static double ask( const question *q, int way, void *results ) {
	const double start = stats_thread_now();
	if ( q->max_distance < 0.0 )
		collide( q, way, results );
	else
		check_clearance( q, way, results );
	return stats_thread_now() - start;
}

static bool row( const bench_options *options, const char *name, question *q ) {
	const size_t size = sizeof( dbvh_collide_result ) > sizeof( dbvh_clearance_result )
	                        ? sizeof( dbvh_collide_result )
	                        : sizeof( dbvh_clearance_result );
	void *results = room_for( q->count, size );
	q->yes = room_for( WAYS * q->count, sizeof *q->yes );
	double samples[64 * WAYS];
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( int way = 0; way < WAYS; ++way ) {
			size_t runs = 0;
			double spent = 0.0;
			for ( ; spent < STATS_ROUND; ++runs )
				spent += ask( q, way, results );
			samples[WAYS * round + (size_t)way] = spent / (double)( runs * q->count ) * 1e9;
		}
	}
	size_t yes = 0, differ = 0;
	for ( size_t i = 0; i < q->count; ++i ) {
		yes += q->yes[i];
		differ += q->yes[i] != q->yes[q->count + i];
	}
	const double single = stats_competitor_median( samples, options->rounds, WAYS, SINGLE );
	const double batch = stats_competitor_median( samples, options->rounds, WAYS, BATCH );
	printf( "%-28s %8zu %8zu %11.1f %11.1f %7.2f%s\n", name, q->count, yes, single, batch, single / batch,
	        differ > 0 ? "  ANSWERS DIFFER" : "" );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%zu,%zu,%.1f,%.1f,%.3f\n", name, q->count, yes, single, batch, single / batch );
	free( q->yes );
	free( results );
	return differ == 0;
}

// Poses with centres up to 1.1 diameters of the mesh away in each coordinate.
static dbvh_pose *random_poses( const dbvh_tree *tree, double diameter, size_t count ) {
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	const double *centre = stats.sphere.centre;
	dbvh_pose *poses = room_for( count, sizeof *poses );
	uint64_t state = 1;
	for ( size_t i = 0; i < count; ++i ) {
		poses[i] = turn_next( &state );
		for ( int k = 0; k < 3; ++k ) {
			double turned = 0.0;
			for ( int j = 0; j < 3; ++j )
				turned += poses[i].rot[k][j] * centre[j];
			poses[i].pos[k] = centre[k] - turned + 1.1 * diameter * ( 2.0 * next_number( &state ) - 1.0 );
		}
	}
	return poses;
}

int bench_batches( const bench_options *options ) {
	scene_mesh mesh = scene_choose( options->mesh );
	dbvh_tree *tree = scene_tree( &mesh.view, NULL );
	question q = { .tree = tree, .max_distance = -1.0 };
	must( dbvh_workspace_create( NULL, &q.workspace, NULL ) );
	pose_set set = poses_by_sphere( tree, options->sample );
	dbvh_pose *random = random_poses( tree, set.diameter, 10000 );
	printf( "\n%s\n%-28s %8s %8s %11s %11s %7s\n", mesh.label, "poses", "count", "yes", "ns, single", "ns, batch",
	        "gain" );
	if ( options->csv != NULL )
		fputs( "poses,count,yes,ns_single,ns_batch,gain\n", options->csv );
	static const char *const names[POSES_ROWS] = { "0 %", "1 %", "2 %", "3 %", "4 %", "5 %", "hits, first contact" };
	bool same = true;
	for ( int k = 0; k < POSES_ROWS; ++k ) {
		q.poses = set.rows[k];
		q.count = set.count;
		same = row( options, names[k], &q ) && same;
	}
	q.poses = random;
	q.count = 10000;
	same = row( options, "random", &q ) && same;
	q.max_distance = 0.01 * set.diameter;
	same = row( options, "random, clearance of 1 %", &q ) && same;
	for ( int k = 0; k < 3; ++k ) {
		static const char *const clearances[] = { "0 %, clearance of 1 %", "2 %, clearance of 1 %",
		                                          "4 %, clearance of 1 %" };
		q.poses = set.rows[2 * k];
		q.count = set.count;
		same = row( options, clearances[k], &q ) && same;
	}
	free( random );
	pose_set_free( &set );
	dbvh_workspace_destroy( q.workspace );
	dbvh_tree_destroy( tree );
	scene_free( &mesh );
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
