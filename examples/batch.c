// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many poses of one pair of meshes, on all cores. The answers do not depend on the number of threads.

#include "example.h"

enum { POSES = 10000 };

int main( void ) {
	dbvh_error error;
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );

	static dbvh_pose poses[POSES];
	for ( int i = 0; i < POSES; ++i )
		poses[i] = moved( 4.0 * i / POSES, 0, 0 );

	static dbvh_collide_result results[POSES];
	check( dbvh_collide_batch( a, NULL, b, poses, POSES, NULL, NULL, results, &error ), &error );

	int intersecting = 0;
	for ( int i = 0; i < POSES; ++i )
		intersecting += results[i].verdict == DBVH_INTERSECTING;
	printf( "%d of %d poses intersect\n", intersecting, POSES );

	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     5001 of 10000 poses intersect
