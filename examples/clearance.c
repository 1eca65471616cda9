// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far apart are two meshes, and do they keep a clearance?

#include "example.h"

int main( void ) {
	dbvh_error error;
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );
	const dbvh_pose pose = moved( 2.25, 0, 0 );

	dbvh_distance_result distance;
	check( dbvh_distance( a, NULL, b, &pose, NULL, NULL, &distance, &error ), &error );
	printf( "%g apart, from x = %g to x = %g\n", distance.distance, distance.point_a[0], distance.point_b[0] );

	// Cheaper than the distance, and exact: 0.25 apart is within 0.25.
	const double wanted[] = { 0.2, 0.25 };
	for ( int i = 0; i < 2; ++i ) {
		const dbvh_clearance_query query = { .max_distance = wanted[i] };
		dbvh_clearance_result clearance;
		check( dbvh_check_clearance( a, NULL, b, &pose, &query, NULL, &clearance, &error ), &error );
		printf( "within %g: %s\n", wanted[i], clearance.within ? "yes" : "no" );
	}

	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     0.25 apart, from x = 1 to x = 1.25
//     within 0.2: no
//     within 0.25: yes
