// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// An arm of two joints beside a thin post: which ways in joint space are clear, at every time?

#include "example.h"

int main( void ) {
	dbvh_error error;
	dbvh_tree *rod = box_tree( 0.5, 0.05, 0.05, NULL ), *post = box_tree( 0.002, 0.002, 0.5, NULL );
	dbvh_scene *scene;
	check( dbvh_scene_create( NULL, &scene, &error ), &error );
	uint32_t upper, fore, pole;
	const dbvh_pose stand = moved( 1.2, 0.6, 0 );
	check( dbvh_scene_add_body( scene, rod, NULL, NULL, &upper, &error ), &error );
	check( dbvh_scene_add_body( scene, rod, NULL, NULL, &fore, &error ), &error );
	check( dbvh_scene_add_body( scene, post, &stand, NULL, &pole, &error ), &error );
	// Neighbouring links touch at their joint, which is meant.
	const dbvh_pair_rule neighbours = { .may_collide = true };
	check( dbvh_scene_set_pair_rule( scene, upper, fore, &neighbours, &error ), &error );

	dbvh_robot *robot;
	check( dbvh_robot_create( NULL, &robot, &error ), &error );
	const dbvh_joint turn = { .kind = DBVH_JOINT_KIND_REVOLUTE, .axis = { 0, 0, 1 } };
	const dbvh_pose elbow = moved( 1, 0, 0 ), middle = moved( 0.5, 0, 0 ); // rods begin at their joints
	uint32_t shoulder_link, elbow_link;
	check( dbvh_robot_add_link( robot, DBVH_NO_LINK, NULL, &turn, &shoulder_link, &error ), &error );
	check( dbvh_robot_add_link( robot, shoulder_link, &elbow, &turn, &elbow_link, &error ), &error );
	check( dbvh_robot_attach( robot, shoulder_link, upper, &middle, &error ), &error );
	check( dbvh_robot_attach( robot, elbow_link, fore, &middle, &error ), &error );

	const double q[3][2] = { { 0.0, 0.0 }, { 0.2, 0.0 }, { 1.2, 0.0 } }; // angles of shoulder and elbow
	dbvh_robot_edge_result edges[2];
	check( dbvh_robot_edge_batch( robot, scene, &q[0][0], 3, NULL, edges, &error ), &error );
	for ( int i = 0; i < 2; ++i )
		if ( edges[i].verdict == DBVH_ROBOT_VERDICT_CLEAR )
			printf( "edge %d is clear at every time\n", i );
		else
			printf( "edge %d: bodies %u and %u meet\n", i, (unsigned)edges[i].bodies.a, (unsigned)edges[i].bodies.b );

	dbvh_robot_destroy( robot );
	dbvh_scene_destroy( scene );
	dbvh_tree_destroy( rod );
	dbvh_tree_destroy( post );
}

// Prints
//     edge 0 is clear at every time
//     edge 1: bodies 1 and 2 meet
