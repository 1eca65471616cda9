// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far apart are two meshes, and do they keep a clearance?

#include "shapes.h"

int main( void ) {
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );
	const dbvh_pose pose = moved( 2.25, 0, 0 );
	dbvh_error error;

	dbvh_distance_result distance;
	check( dbvh_distance( a, NULL, b, &pose, NULL, NULL, &distance, &error, NULL ), &error );
	printf( "%g apart, from (%g, %g, %g) to (%g, %g, %g)\n", distance.distance, distance.point_a[0],
	        distance.point_a[1], distance.point_a[2], distance.point_b[0], distance.point_b[1], distance.point_b[2] );

	// Cheaper than the distance, and exact at the bound: 0.25 is within 0.25.
	dbvh_clearance_result clearance;
	check( dbvh_check_clearance( a, NULL, b, &pose, 0.25, NULL, NULL, &clearance, &error, NULL ), &error );
	printf( "a clearance of more than 0.25 is %s\n", clearance.within ? "violated" : "kept" );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
