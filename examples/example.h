// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The parts that the examples share: a box, a pose, and an exit with a message. Your program would load a file with
// dbvh_mesh_load(), or point a dbvh_mesh_view at arrays of its own.

#pragma once

#include <dualbvh/dualbvh.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program with the error's sentence where a call was refused.
static inline void check( dbvh_status status, const dbvh_error *error ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "%s: %s\n", dbvh_status_name( status ), error->text );
	exit( EXIT_FAILURE );
}

// A tree over the box [-x, x] x [-y, y] x [-z, z].
static inline dbvh_tree *box_tree( double x, double y, double z, const dbvh_tree_options *options ) {
	const double corner[8][3] = { { -x, -y, -z }, { x, -y, -z }, { x, y, -z }, { -x, y, -z },
	                              { -x, -y, z },  { x, -y, z },  { x, y, z },  { -x, y, z } };
	static const uint32_t triangle[12][3] = { { 0, 2, 1 }, { 0, 3, 2 }, { 4, 5, 6 }, { 4, 6, 7 },
	                                          { 0, 1, 5 }, { 0, 5, 4 }, { 1, 2, 6 }, { 1, 6, 5 },
	                                          { 2, 3, 7 }, { 2, 7, 6 }, { 3, 0, 4 }, { 3, 4, 7 } };
	const dbvh_mesh_view view = { .positions = corner, .vertex_count = 8, .indices = triangle, .triangle_count = 12 };
	dbvh_tree *tree = NULL;
	dbvh_error error;
	check( dbvh_tree_build( &view, options, NULL, &tree, &error ), &error );
	return tree;
}

// The pose that moves by (x, y, z) without turning.
static inline dbvh_pose moved( double x, double y, double z ) {
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = x;
	pose.pos[1] = y;
	pose.pos[2] = z;
	return pose;
}
