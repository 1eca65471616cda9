// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/scenario.h"

#include <math.h>
#include <string.h>

// The axis-aligned box.
static void find_box( const dbvh_mesh_view *view, double lower[3], double upper[3] ) {
	const double *positions = view->positions;
	for ( int k = 0; k < 3; ++k ) {
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
	}
	for ( size_t i = 0; i < 3 * view->vertex_count; ++i ) {
		lower[i % 3] = fmin( lower[i % 3], positions[i] );
		upper[i % 3] = fmax( upper[i % 3], positions[i] );
	}
}

static double longest_edge( const dbvh_mesh_view *view ) {
	double lower[3], upper[3];
	find_box( view, lower, upper );
	return fmax( upper[0] - lower[0], fmax( upper[1] - lower[1], upper[2] - lower[2] ) );
}

// The sphere about the centre of the axis-aligned box.
static dbvh_sphere sphere_of_box( const dbvh_mesh_view *view ) {
	const double *positions = view->positions;
	double lower[3], upper[3], farthest = 0.0;
	find_box( view, lower, upper );
	dbvh_sphere sphere;
	for ( int k = 0; k < 3; ++k )
		sphere.centre[k] = 0.5 * ( lower[k] + upper[k] );
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		double square = 0.0;
		for ( size_t k = 0; k < 3; ++k ) {
			const double d = positions[3 * i + k] - sphere.centre[k];
			square += d * d;
		}
		farthest = fmax( farthest, square );
	}
	sphere.radius = sqrt( farthest );
	return sphere;
}

pose_set scenario1_poses( const bench_options *options, scene_mesh *mesh_out ) {
	*mesh_out = scene_choose( options->mesh );
	poses_options poses = options->poses;
	poses.sample = options->sample == SIZE_MAX ? 0 : options->sample;
	if ( options->size_box )
		poses.length = longest_edge( &mesh_out->view );
	const dbvh_sphere sphere = sphere_of_box( &mesh_out->view );
	if ( options->sphere_box )
		poses.sphere = &sphere;
	dbvh_tree *tree = scene_reference_tree( &mesh_out->view, NULL );
	const pose_set set = poses_at_distances( tree, &poses );
	dbvh_tree_destroy( tree );
	return set;
}

bool scenario1_run( const bench_options *options, report *out ) {
	static const char *const sizes[] = { "the diameter", "the radius", "a length that was given" };
	static const char *const names[] = { "0 %", "1 %", "2 %", "3 %", "4 %", "5 %" };
	scene_mesh mesh;
	pose_set set = scenario1_poses( options, &mesh );
	const bool sphere = options->poses.method == POSES_SPHERE, steps = options->poses.stop == POSES_STOP_STEPS;
	size_t total = 0;
	for ( int level = 0; level < POSES_LEVELS; ++level )
		total += set.counts[level];
	*out = ( report ){ .name = "Scenario I", .row_count = POSES_LEVELS, .algorithms = options->measure.algorithms };
	snprintf(
	    out->title, sizeof( out->title ),
	    "%s against its copy; %s method, %s%s%zu lines, %zu pass by, %zu configurations; 1 %% of the size is 0.01 of "
	    "%s = %.5f of the radius of %s = %.5f of its diameter",
	    mesh.label, sphere ? "sphere" : "grid",
	    steps ? "by steps of 1 % until it collides, and back; all contacts; " : "",
	    set.lines == POSES_TOTAL || !sphere ? "" : "an EVEN SAMPLE of 38304: ", set.lines, set.missed, total,
	    options->size_box ? "the longest edge of the axis-aligned box" : sizes[options->poses.size],
	    0.02 * set.size / set.diameter,
	    options->sphere_box ? "the sphere about the box's centre" : "the smallest enclosing sphere",
	    0.01 * set.size / set.diameter );
	snprintf( out->axis, sizeof( out->axis ), steps ? "steps back, %% of %s" : "distance, %% of %s",
	          options->poses.size == POSES_RADIUS     ? "the radius"
	          : options->poses.size == POSES_DIAMETER ? "the diameter"
	          : options->size_box                     ? "the longest edge"
	                                                  : "a length" );
	for ( int level = 0; level < POSES_LEVELS; ++level )
		out->rows[level] = ( measure_row ){ .name = names[level],
		                                    .x = level,
		                                    .poses = set.rows[level],
		                                    .count = set.counts[level],
		                                    .find = steps ? DBVH_FIND_ALL : DBVH_FIND_ANY,
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
