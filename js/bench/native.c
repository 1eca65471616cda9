// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Times the native library on the cases of cases.mjs: reads two meshes as doubles from standard input, then pose after
// pose until there is none, and answers each with a line: microseconds of collide and of distance, verdict and
// distance.

#define _POSIX_C_SOURCE 200809L

#include "dualbvh/dualbvh.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double microseconds( void ) {
	struct timespec t;
	clock_gettime( CLOCK_MONOTONIC, &t );
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double *read_numbers( size_t count ) {
	double *numbers = malloc( count * sizeof *numbers + 1 );
	if ( numbers == NULL || fread( numbers, sizeof *numbers, count, stdin ) != count )
		exit( 2 );
	return numbers;
}

static dbvh_tree *read_tree( void ) {
	double *counts = read_numbers( 2 );
	const size_t vertex_count = (size_t)counts[0], triangle_count = (size_t)counts[1];
	double *positions = read_numbers( 3 * vertex_count ), *corners = read_numbers( 3 * triangle_count );
	uint32_t *indices = malloc( 3 * triangle_count * sizeof *indices );
	if ( indices == NULL )
		exit( 2 );
	for ( size_t i = 0; i < 3 * triangle_count; ++i )
		indices[i] = (uint32_t)corners[i];
	const dbvh_mesh_view view = {
	    .positions = positions, .vertex_count = vertex_count, .indices = indices, .triangle_count = triangle_count };
	const dbvh_tree_options options = { .topology = true };
	dbvh_tree *tree;
	if ( dbvh_tree_build( &view, &options, NULL, &tree, NULL ) != DBVH_OK )
		exit( 3 );
	free( counts );
	free( positions );
	free( corners );
	free( indices );
	return tree;
}

typedef struct query {
	const dbvh_tree *a, *b;
	dbvh_pose pose;
	dbvh_workspace *workspace;
	dbvh_collide_result collide;
	dbvh_distance_result distance;
} query;

static void ask_collide( query *q ) {
	dbvh_collide( q->a, NULL, q->b, &q->pose, NULL, q->workspace, &q->collide, NULL );
}

static void ask_distance( query *q ) {
	dbvh_distance( q->a, NULL, q->b, &q->pose, NULL, q->workspace, &q->distance, NULL );
}

// Microseconds of a call, which is repeated for 400.
static double time_of( void ( *ask )( query * ), query *q ) {
	const double begin = microseconds();
	double passed;
	int count = 0;
	do {
		ask( q );
		++count;
		passed = microseconds() - begin;
	} while ( passed < 400.0 );
	return passed / count;
}

int main( void ) {
	dbvh_tree *a = read_tree(), *b = read_tree();
	query q = { .a = a, .b = b };
	if ( dbvh_workspace_create( NULL, &q.workspace, NULL ) != DBVH_OK )
		return 3;
	double columns[16];
	while ( fread( columns, sizeof columns, 1, stdin ) == 1 ) {
		q.pose = dbvh_pose_from_column_major( columns );
		const double collide = time_of( ask_collide, &q ), distance = time_of( ask_distance, &q );
		printf( "%.17g %.17g %d %.17g\n", collide, distance, q.collide.verdict == DBVH_INTERSECTING,
		        q.distance.distance );
		fflush( stdout );
	}
	dbvh_workspace_destroy( q.workspace );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
