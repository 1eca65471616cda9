// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses from the matrices, quaternions and vectors of cglm, and picking: the object under the pointer in a view made by
// cglm.

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

	// The ray through a pixel: from the near plane to the far one.
	mat4 projection, view;
	vec4 viewport = { 0.0f, 0.0f, 640.0f, 480.0f };
	vec3 from, to, direction;
	glm_perspective( glm_rad( 35.0f ), 640.0f / 480.0f, 0.1f, 100.0f, projection );
	glm_lookat( ( vec3 ){ 0.0f, -10.0f, 0.0f }, ( vec3 ){ 2.25f, 0.0f, 0.0f }, GLM_ZUP, view );
	glm_mat4_mul( projection, view, projection );
	glm_unproject( ( vec3 ){ 320.0f, 240.0f, 0.0f }, projection, viewport, from );
	glm_unproject( ( vec3 ){ 320.0f, 240.0f, 1.0f }, projection, viewport, to );
	glm_vec3_sub( to, from, direction );
	const dbvh_ray ray = dbvh_ray_from_glm( from, direction );
	dbvh_raycast_result hit;
	check( dbvh_raycast( b, &unturned, &ray, NULL, NULL, &hit, &error ), &error );
	printf( "the middle of the picture: %s\n", hit.hit_count > 0 ? "the second box" : "nothing" );

	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     turned: intersecting
//     straight: disjoint
//     the middle of the picture: the second box
