// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The distance of two tetrahedra, by the library that was packaged.

#include <dualbvh/dualbvh.h>
#include <stdio.h>

int main( void ) {
	static const double corners[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	static const uint32_t faces[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
	const dbvh_mesh_view view = { .positions = corners, .vertex_count = 4, .indices = faces, .triangle_count = 4 };
	dbvh_error error;
	dbvh_tree *tree;
	if ( dbvh_tree_build( &view, NULL, NULL, &tree, &error ) != DBVH_OK ) {
		fprintf( stderr, "%s\n", error.text );
		return 1;
	}
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 3.0;
	dbvh_distance_result result;
	const dbvh_status status = dbvh_distance( tree, NULL, tree, &pose, NULL, NULL, &result, &error );
	printf( "dualbvh %s, kernels %s: distance %g\n", dbvh_version(), dbvh_isa_name(), result.distance );
	dbvh_tree_destroy( tree );
	return status == DBVH_OK && result.distance == 2.0 ? 0 : 1;
}
