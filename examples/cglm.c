// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses from the matrices, quaternions and vectors of cglm.

#include "example.h"

#include <cglm/cglm.h>
#include <dualbvh/cglm.h>

int main( void ) {
	dbvh_error error;
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );

	mat4 matrix;
	glm_translate_make( matrix, ( vec3 ){ 2.25f, 0.0f, 0.0f } );
	glm_rotate_z( matrix, glm_rad( 45.0f ), matrix );
	const dbvh_pose pose = dbvh_pose_from_glm( matrix );

	dbvh_collide_result result;
	check( dbvh_collide( a, NULL, b, &pose, NULL, NULL, &result, &error ), &error );
	puts( result.verdict == DBVH_INTERSECTING ? "turned: intersecting" : "turned: disjoint" );

	versor straight = GLM_QUAT_IDENTITY_INIT;
	const dbvh_pose unturned = dbvh_pose_from_glm_quat( straight, ( vec3 ){ 2.25f, 0.0f, 0.0f } );
	check( dbvh_collide( a, NULL, b, &unturned, NULL, NULL, &result, &error ), &error );
	puts( result.verdict == DBVH_INTERSECTING ? "straight: intersecting" : "straight: disjoint" );

	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     turned: intersecting
//     straight: disjoint
