// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses from cglm's matrices, quaternions and vectors (dualbvh/cglm.h).

#include "shapes.h"

#include <cglm/cglm.h>
#include <dualbvh/cglm.h>

int main( void ) {
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );
	mat4 matrix;
	glm_translate_make( matrix, ( vec3 ){ 1.5f, 0.0f, 0.0f } );
	glm_rotate_z( matrix, glm_rad( 30.0f ), matrix );
	const dbvh_pose pose = dbvh_pose_from_glm( matrix );

	dbvh_collide_result result;
	dbvh_error error;
	check( dbvh_collide( a, NULL, b, &pose, NULL, NULL, &result, &error, NULL ), &error );
	puts( result.verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint" );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
