// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What a dbvh_cache gains where meshes move little from call to call, and what it costs where they do not: the flight
// of Scenario III, a path between random poses at several steps, and random poses. Answers are compared.

#include "common/numbers.h"
#include "common/path.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/cache.h"
#include "experiment.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct motion {
	const char *name;
	const dbvh_tree *a, *b;
	const dbvh_pose *poses;
	size_t count;
} motion;

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

// Once through, in order; keeps the least time of each frame.
static void run( const motion *m, bool cached, dbvh_workspace *workspace, double *least, bool *meet ) {
	dbvh_cache cache = dbvh_cache_default();
	for ( size_t i = 0; i < m->count; ++i ) {
		dbvh_collide_result result;
		const double start = stats_now();
		const dbvh_status status =
		    cached ? dbvh_collide_cached( m->a, NULL, m->b, &m->poses[i], NULL, &cache, workspace, &result, NULL )
		           : dbvh_collide( m->a, NULL, m->b, &m->poses[i], NULL, workspace, &result, NULL );
		const double spent = stats_now() - start;
		must( status );
		least[i] = least[i] == 0.0 || spent < least[i] ? spent : least[i];
		meet[i] = result.verdict == DBVH_INTERSECTING;
	}
}

static bool measure( const bench_options *options, const motion *m ) {
	double *least[2] = { room_for( m->count, sizeof( double ) ), room_for( m->count, sizeof( double ) ) };
	bool *meet[2] = { room_for( m->count, sizeof( bool ) ), room_for( m->count, sizeof( bool ) ) };
	dbvh_workspace *workspace;
	must( dbvh_workspace_create( NULL, &workspace, NULL ) );
	must( dbvh_workspace_reserve( workspace, m->a, m->b, 0, NULL ) );
	for ( size_t round = 0; round < options->rounds; ++round )
		for ( int cached = 0; cached < 2; ++cached )
			run( m, cached, workspace, least[cached], meet[cached] );
	const bool same = memcmp( meet[0], meet[1], m->count * sizeof( bool ) ) == 0;
	printf( "%-58s", m->name );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\"", m->name );
	for ( int wanted = 1; wanted >= 0; --wanted ) {
		double sum[2] = { 0.0, 0.0 };
		size_t count = 0;
		for ( size_t i = 0; i < m->count; ++i ) {
			if ( meet[0][i] != (bool)wanted )
				continue;
			count += 1;
			sum[0] += least[0][i];
			sum[1] += least[1][i];
		}
		const double many = count > 0 ? (double)count : 1.0;
		printf( " %7zu %9.3f %9.3f %6.2f", count, sum[0] / many * 1e6, sum[1] / many * 1e6,
		        count > 0 ? sum[0] / sum[1] : 0.0 );
		if ( options->csv != NULL )
			fprintf( options->csv, ",%zu,%.4f,%.4f", count, sum[0] / many * 1e6, sum[1] / many * 1e6 );
	}
	printf( "%s\n", same ? "" : "  the answers DIFFER" );
	if ( options->csv != NULL )
		fputc( '\n', options->csv );
	dbvh_workspace_destroy( workspace );
	for ( int k = 0; k < 2; ++k ) {
		free( least[k] );
		free( meet[k] );
	}
	return same;
}

// Numbers that turn and move: a quaternion of any length, a place.
typedef struct place {
	double turn[4], at[3];
} place;

static dbvh_pose pose_of( const place *p, const double middle[3] ) {
	const double *q = p->turn, w = q[0], x = q[1], y = q[2], z = q[3];
	const double s = 2.0 / ( w * w + x * x + y * y + z * z );
	dbvh_pose pose = { .rot = { { 1 - s * ( y * y + z * z ), s * ( x * y - w * z ), s * ( x * z + w * y ) },
	                            { s * ( x * y + w * z ), 1 - s * ( x * x + z * z ), s * ( y * z - w * x ) },
	                            { s * ( x * z - w * y ), s * ( y * z + w * x ), 1 - s * ( x * x + y * y ) } } };
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] = p->at[k] - pose.rot[k][0] * middle[0] - pose.rot[k][1] * middle[1] - pose.rot[k][2] * middle[2];
	return pose;
}

static void bounds_of( const scene_mesh *mesh, double lower[3], double upper[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
		for ( size_t i = 0; i < mesh->view.vertex_count; ++i ) {
			lower[k] = fmin( lower[k], mesh->positions[3 * i + (size_t)k] );
			upper[k] = fmax( upper[k], mesh->positions[3 * i + (size_t)k] );
		}
	}
}

// Between random places in a box, so many steps from one to the next; 1: random poses.
static void wander( const double lower[3], const double upper[3], const double middle[3], size_t steps, size_t count,
                    dbvh_pose *poses ) {
	uint64_t state = 11;
	place from = { { 1, 0, 0, 0 }, { 0, 0, 0 } }, to = from;
	for ( size_t i = 0; i < count; ++i ) {
		const double part = (double)( i % steps ) / (double)steps;
		if ( i % steps == 0 ) {
			from = to;
			for ( int k = 0; k < 4; ++k )
				to.turn[k] = 2.0 * next_number( &state ) - 1.0;
			for ( int k = 0; k < 3; ++k )
				to.at[k] = lower[k] + ( upper[k] - lower[k] ) * next_number( &state );
		}
		place at;
		for ( int k = 0; k < 4; ++k )
			at.turn[k] = from.turn[k] + part * ( to.turn[k] - from.turn[k] );
		for ( int k = 0; k < 3; ++k )
			at.at[k] = from.at[k] + part * ( to.at[k] - from.at[k] );
		poses[i] = pose_of( &at, middle );
	}
}

enum { FRAMES = 2528 };

static bool flights( const bench_options *options ) {
	bool same = true;
	for ( int real = 0; real < 2; ++real ) {
		scene_mesh cabin = real ? scene_cabin() : scene_cabin_generated(), hand = scene_hand( real ? 0 : -1 );
		dbvh_tree *a = scene_tree( &cabin.view, NULL ), *b = scene_tree( &hand.view, NULL );
		double lower[3], upper[3], hand_lower[3], hand_upper[3], middle[3];
		bounds_of( &cabin, lower, upper );
		bounds_of( &hand, hand_lower, hand_upper );
		for ( int k = 0; k < 3; ++k )
			middle[k] = 0.5 * ( hand_lower[k] + hand_upper[k] );
		dbvh_pose *poses = room_for( 10 * FRAMES, sizeof *poses );
		char name[400];
		for ( size_t count = FRAMES; count <= 10 * FRAMES; count *= 10 ) {
			path_fly( lower, upper, 1998, count, poses );
			for ( size_t i = 0; i < count; ++i )
				for ( int k = 0; k < 3; ++k )
					poses[i].pos[k] -= poses[i].rot[k][0] * middle[0] + poses[i].rot[k][1] * middle[1] +
					                   poses[i].rot[k][2] * middle[2];
			snprintf( name, sizeof name, "flight in %zu, %.18s in %.18s", count, hand.label, cabin.label );
			same = measure( options, &( motion ){ name, a, b, poses, count } ) && same;
		}
		wander( lower, upper, middle, 1, FRAMES, poses );
		snprintf( name, sizeof name, "random poses of the same" );
		same = measure( options, &( motion ){ name, a, b, poses, FRAMES } ) && same;
		free( poses );
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		scene_free( &cabin );
		scene_free( &hand );
	}
	return same;
}

// A mesh about its own copy.
static bool paths( const bench_options *options, scene_mesh mesh ) {
	bool same = true;
	dbvh_tree *tree = scene_tree( &mesh.view, NULL );
	double lower[3], upper[3], middle[3];
	bounds_of( &mesh, lower, upper );
	for ( int k = 0; k < 3; ++k ) {
		const double size = upper[k] - lower[k];
		middle[k] = 0.5 * ( lower[k] + upper[k] );
		lower[k] -= 0.75 * size;
		upper[k] += 0.75 * size;
	}
	dbvh_pose *poses = room_for( FRAMES, sizeof *poses );
	const size_t steps[] = { 1000, 300, 100, 30, 10, 1 };
	for ( size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k ) {
		char name[200];
		wander( lower, upper, middle, steps[k], FRAMES, poses );
		snprintf( name, sizeof name, "%.30s: path, %zu steps a pose", mesh.label, steps[k] );
		same = measure( options,
		                &( motion ){ steps[k] == 1 ? "random poses of the same" : name, tree, tree, poses, FRAMES } ) &&
		       same;
	}
	free( poses );
	dbvh_tree_destroy( tree );
	scene_free( &mesh );
	return same;
}

int bench_coherence( const bench_options *options ) {
	printf( "\none thread, the least of %zu rounds for each frame; microseconds without and with a cache, and what it "
	        "gains\n%-58s %34s %34s\n",
	        options->rounds, "", "frames in which they meet", "the others" );
	if ( options->csv != NULL )
		fputs( "motion,meeting,us,us_cached,others,us,us_cached\n", options->csv );
	bool same = flights( options );
	same = paths( options, scene_choose( options->mesh ) ) && same;
	same = paths( options, scene_torus( 96, 48 ) ) && same;
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
