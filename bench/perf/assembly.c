// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A large assembly: 10,000 bodies, each a mesh of its own with 1,000 triangles. Trees and their
// topology are built, all clashes found; then one body is moved, and they are found again.

#include "common/experiment.h"
#include "common/numbers.h"
#include "common/stats.h"
#include "dualbvh/scene.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { BODIES = 10000 };

static void must( dbvh_status status, const dbvh_error *error ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", error->text );
	exit( 2 );
}

static double peak_megabytes( void ) {
	struct rusage usage;
	getrusage( RUSAGE_SELF, &usage );
	return (double)usage.ru_maxrss / 1024.0;
}

// A ring, of its own size and with dents of its own.
static dbvh_tree *make_part( uint64_t *state ) {
	shape mesh = { 0 };
	const double thick = 0.2 + 0.2 * next_number( state ), dent = 0.03 * next_number( state );
	const double waves = 2.0 + floor( 6.0 * next_number( state ) );
	shape_add_torus( &mesh, 0.7, thick, 25, 20 );
	for ( size_t i = 0; i < mesh.vertex_count; ++i ) {
		double *x = mesh.positions + 3 * i;
		const double grown = 1.0 + dent * sin( waves * atan2( x[1], x[0] ) );
		for ( int k = 0; k < 3; ++k )
			x[k] *= grown;
	}
	const dbvh_mesh_view view = shape_view( &mesh );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.thread_count = 1;
	dbvh_tree *tree;
	dbvh_error error;
	must( dbvh_tree_build( &view, &options, NULL, &tree, &error ), &error );
	shape_free( &mesh );
	return tree;
}

static dbvh_pose place_in_grid( size_t i, size_t side, uint64_t *state ) {
	double xyzw[4], pos[3] = { (double)( i % side ), (double)( i / side % side ), (double)( i / side / side ) };
	for ( int k = 0; k < 4; ++k )
		xyzw[k] = next_number( state ) - 0.5;
	for ( int k = 0; k < 3; ++k )
		pos[k] = 2.0 * pos[k] + 0.1 * next_number( state );
	return dbvh_pose_from_quaternion( xyzw, pos );
}

static size_t find_clashes( dbvh_scene *scene, uint32_t threads, size_t *pairs_out, double *seconds_out ) {
	const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .thread_count = threads };
	dbvh_scene_result result;
	dbvh_error error;
	const double start = stats_now();
	must( dbvh_scene_clashes( scene, &query, NULL, 0, &result, &error ), &error );
	*seconds_out = stats_now() - start;
	*pairs_out = result.pair_count;
	return result.found_count;
}

int bench_assembly( const bench_options *options ) {
	(void)options;
	const size_t count = BODIES;
	stats_print_machine( stdout, "# " );
	dbvh_scene *scene;
	dbvh_error error;
	must( dbvh_scene_create( NULL, &scene, &error ), &error );
	dbvh_tree **trees = malloc( count * sizeof *trees );
	if ( trees == NULL )
		return 2;
	size_t side = 1;
	while ( side * side * side < count )
		side += 1;
	uint64_t state = 1;
	double start = stats_now();
	for ( size_t i = 0; i < count; ++i )
		trees[i] = make_part( &state );
	printf( "%zu bodies, %zu triangles\n%-42s %10.2f s %10.0f MB\n", count, 1000 * count,
	        "trees and topology, one thread", stats_now() - start, peak_megabytes() );
	start = stats_now();
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_pose pose = place_in_grid( i, side, &state );
		uint32_t body;
		must( dbvh_scene_add_body( scene, trees[i], &pose, NULL, &body, &error ), &error );
	}
	dbvh_scene_result result;
	must( dbvh_scene_pairs( scene, NULL, 0, &result, &error ), &error );
	printf( "%-42s %10.4f s\n", "bodies added, pairs of boxes", stats_now() - start );
	double seconds;
	size_t pairs, clashes = 0;
	for ( uint32_t threads = 1; threads <= 2; ++threads ) {
		clashes = find_clashes( scene, threads, &pairs, &seconds );
		printf( "all clashes, %u thread%s: %zu of %zu pairs %*s %10.3f s %10.0f MB\n", threads,
		        threads == 1 ? " " : "s", clashes, pairs, 4, "", seconds, peak_megabytes() );
	}
	// Move one body a little farther, beside another one.
	dbvh_pose pose;
	if ( !dbvh_scene_get_body( scene, 0, NULL, &pose, NULL ) )
		return 2;
	pose.pos[0] += 1.0;
	must( dbvh_scene_set_pose( scene, 0, &pose, &error ), &error );
	const dbvh_scene_query of_one = { .find = DBVH_FIND_ALL, .has_body = true, .body = 0, .thread_count = 1 };
	start = stats_now();
	must( dbvh_scene_clashes( scene, &of_one, NULL, 0, &result, &error ), &error );
	printf( "clashes of one body that has moved: %zu %*s %10.6f s\n", result.found_count, 10, "", stats_now() - start );
	dbvh_scene_destroy( scene );
	for ( size_t i = 0; i < count; ++i )
		dbvh_tree_destroy( trees[i] );
	free( trees );
	return 0;
}
