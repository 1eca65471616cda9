// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/scenario.h"

#include <math.h>
#include <string.h>

// The longest edge of the axis-aligned box.
static double longest_edge( const dbvh_mesh_view *view ) {
	const double *positions = view->positions;
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( size_t i = 0; i < 3 * view->vertex_count; ++i ) {
		lower[i % 3] = fmin( lower[i % 3], positions[i] );
		upper[i % 3] = fmax( upper[i % 3], positions[i] );
	}
	return fmax( upper[0] - lower[0], fmax( upper[1] - lower[1], upper[2] - lower[2] ) );
}

pose_set scenario1_poses( const bench_options *options, scene_mesh *mesh_out ) {
	*mesh_out = scene_choose( options->mesh );
	poses_options poses = options->poses;
	poses.sample = options->sample == SIZE_MAX ? 0 : options->sample;
	if ( options->size_box )
		poses.length = longest_edge( &mesh_out->view );
	dbvh_tree *tree = scene_reference_tree( &mesh_out->view, NULL );
	const pose_set set = poses_at_distances( tree, &poses );
	dbvh_tree_destroy( tree );
	return set;
}

bool scenario1_run( const bench_options *options, report *out ) {
	static const char *const sizes[] = { "the diameter of the smallest enclosing sphere",
	                                     "the radius of the smallest enclosing sphere", "a length that was given" };
	static const char *const names[] = { "0 %", "1 %", "2 %", "3 %", "4 %", "5 %" };
	scene_mesh mesh;
	pose_set set = scenario1_poses( options, &mesh );
	const bool sphere = options->poses.method == POSES_SPHERE;
	size_t total = 0;
	for ( int level = 0; level < POSES_LEVELS; ++level )
		total += set.counts[level];
	*out = ( report ){ .name = "Scenario I", .row_count = POSES_LEVELS, .algorithms = options->measure.algorithms };
	snprintf(
	    out->title, sizeof( out->title ),
	    "%s against its copy; %s method, %s%zu lines, %zu pass by, %zu configurations; 1 %% of the size is 0.01 of "
	    "%s = %.5f of its radius = %.5f of its diameter",
	    mesh.label, sphere ? "sphere" : "grid",
	    set.lines == POSES_TOTAL || !sphere ? "" : "an EVEN SAMPLE of 38304: ", set.lines, set.missed, total,
	    options->size_box ? "the longest edge of the axis-aligned box" : sizes[options->poses.size],
	    0.02 * set.size / set.diameter, 0.01 * set.size / set.diameter );
	snprintf( out->axis, sizeof( out->axis ), "distance, %% of %s",
	          options->poses.size == POSES_RADIUS     ? "the radius"
	          : options->poses.size == POSES_DIAMETER ? "the diameter"
	          : options->size_box                     ? "the longest edge"
	                                                  : "a length" );
	for ( int level = 0; level < POSES_LEVELS; ++level )
		out->rows[level] = ( measure_row ){ .name = names[level],
		                                    .x = level,
		                                    .poses = set.rows[level],
		                                    .count = set.counts[level],
		                                    .find = DBVH_FIND_ANY,
		                                    .paper_row = sphere ? (size_t)( PAPER_ROW_1 + level ) : PAPER_ROWS };
	const bool whole =
	    measure_rows( "Scenario I", &mesh.view, &mesh.view, out->rows, out->row_count, &options->measure, out->cells );
	for ( size_t level = 0; level < POSES_LEVELS; ++level ) {
		if ( whole )
			report_measure_primitive( out, &mesh.view, &mesh.view, level, &out->rows[level] );
		out->rows[level].poses = NULL;
	}
	pose_set_free( &set );
	scene_free( &mesh );
	return whole;
}
