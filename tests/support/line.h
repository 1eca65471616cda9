// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A ray or a segment, for tests that treat both alike.

#pragma once

#include "dualbvh/raycast.h"

#include <stdlib.h>
#include <string.h>

typedef struct test_line {
	double from[3];
	double to[3]; // the direction of a ray, the end of a segment
	bool is_ray;
} test_line;

static inline dbvh_ray line_as_ray( const test_line *line ) {
	dbvh_ray ray;
	memcpy( ray.from, line->from, sizeof ray.from );
	memcpy( ray.direction, line->to, sizeof ray.direction );
	return ray;
}

static inline dbvh_segment line_as_segment( const test_line *line ) {
	dbvh_segment segment;
	memcpy( segment.from, line->from, sizeof segment.from );
	memcpy( segment.to, line->to, sizeof segment.to );
	return segment;
}

static inline dbvh_status line_cast( const dbvh_tree *tree, const dbvh_pose *pose, const test_line *line,
                                     const dbvh_raycast_query *query, dbvh_workspace *workspace,
                                     dbvh_raycast_result *result_out, dbvh_error *error ) {
	if ( line->is_ray ) {
		const dbvh_ray ray = line_as_ray( line );
		return dbvh_raycast( tree, pose, &ray, query, workspace, result_out, error );
	}
	const dbvh_segment segment = line_as_segment( line );
	return dbvh_segment_cast( tree, pose, &segment, query, workspace, result_out, error );
}

// Cast a batch of lines, all of the kind of the first.
static inline dbvh_status line_cast_batch( const dbvh_tree *tree, const dbvh_pose *pose, const test_line *lines,
                                           size_t count, const dbvh_raycast_query *query,
                                           const dbvh_batch_options *options, dbvh_raycast_result *results_out,
                                           dbvh_error *error ) {
	dbvh_ray *rays = malloc( count * sizeof *rays );
	dbvh_segment *segments = malloc( count * sizeof *segments );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( rays != NULL && segments != NULL ) {
		for ( size_t i = 0; i < count; ++i ) {
			rays[i] = line_as_ray( &lines[i] );
			segments[i] = line_as_segment( &lines[i] );
		}
		status = lines[0].is_ray
		             ? dbvh_raycast_batch( tree, pose, rays, count, query, options, results_out, error )
		             : dbvh_segment_cast_batch( tree, pose, segments, count, query, options, results_out, error );
	}
	free( rays );
	free( segments );
	return status;
}
