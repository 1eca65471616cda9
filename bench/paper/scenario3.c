// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/mpi.h"
#include "common/path.h"
#include "paper/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t path_seed = 1998;

void scenario3_path( const dbvh_mesh_view *cabin, const dbvh_mesh_view *hand, double height, size_t count,
                     dbvh_pose *poses_out ) {
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	const double *positions = cabin->positions;
	for ( size_t i = 0; i < 3 * cabin->vertex_count; ++i ) {
		lower[i % 3] = fmin( lower[i % 3], positions[i] );
		upper[i % 3] = fmax( upper[i % 3], positions[i] );
	}
	upper[2] = lower[2] + height * ( upper[2] - lower[2] );
	path_fly( lower, upper, path_seed, count, poses_out );
	// The path is that of the hand's middle, wherever its own origin lies.
	double middle[3] = { 0.0, 0.0, 0.0 };
	positions = hand->positions;
	for ( size_t i = 0; i < 3 * hand->vertex_count; ++i )
		middle[i % 3] += positions[i] / (double)hand->vertex_count;
	for ( size_t i = 0; i < count; ++i )
		for ( int k = 0; k < 3; ++k )
			poses_out[i].pos[k] -= poses_out[i].rot[k][0] * middle[0] + poses_out[i].rot[k][1] * middle[1] +
			                       poses_out[i].rot[k][2] * middle[2];
}

// "real" is the one of the data folder.
static bool is_real( const char *name ) {
	return strcmp( name, "real" ) == 0;
}

bool scenario3_run( const bench_options *options, report *out ) {
	const char *interior = options->interior, *which = options->hand;
	scene_mesh cabin = interior == NULL      ? scene_cabin_generated()
	                   : is_real( interior ) ? scene_cabin()
	                                         : scene_file( interior );
	scene_mesh hand = which == NULL ? scene_hand( 2 ) : is_real( which ) ? scene_hand( 1 ) : scene_file( which );
	const size_t frames = options->frames > 0 ? options->frames : PAPER_FRAMES;
	dbvh_pose *poses = malloc( frames * sizeof( *poses ) );
	if ( poses == NULL ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		mpi_exit( 2 );
	}
	scenario3_path( &cabin.view, &hand.view, interior == NULL ? SCENARIO3_HEIGHT : 1.0, frames, poses );
	*out = ( report ){ .name = "Scenario III", .row_count = 1, .algorithms = options->measure.algorithms };
	snprintf(
	    out->title, sizeof( out->title ),
	    "after Klosowski et al. (1998), whose path and meshes are not public: %s, along a path of %zu frames in %s; "
	    "all contacts (theirs: 33.6 a frame)",
	    hand.label, frames, cabin.label );
	snprintf( out->axis, sizeof( out->axis ), "the path" );
	out->rows[0] = ( measure_row ){ .name = "the path",
	                                .x = 0.0,
	                                .poses = poses,
	                                .count = frames,
	                                .find = DBVH_FIND_ALL,
	                                .paper_row = PAPER_ROW_3 };
	measure_options measure = options->measure;
	if ( measure.part == 0 )
		measure.part = 158; // sixteen parts
	const bool whole = measure_rows( "Scenario III", &cabin.view, &hand.view, out->rows, 1, &measure, out->cells );
	if ( whole )
		report_measure_primitive( out, &cabin.view, &hand.view, 0, &out->rows[0] );
	out->rows[0].poses = NULL;
	free( poses );
	scene_free( &hand );
	scene_free( &cabin );
	return whole;
}
