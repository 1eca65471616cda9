// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many poses of one pair of meshes, on all cores. The answers do not depend on the number of threads.

#include "shapes.h"

enum { POSES = 10000 };

int main( void ) {
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );
	static dbvh_pose poses[POSES];
	static dbvh_collide_result results[POSES];
	for ( int i = 0; i < POSES; ++i )
		poses[i] = moved( 4.0 * i / POSES, 0, 0 );

	dbvh_error error;
	check( dbvh_collide_batch( a, NULL, b, poses, POSES, NULL, NULL, results, &error ), &error );
	size_t intersecting = 0;
	for ( int i = 0; i < POSES; ++i )
		intersecting += results[i].verdict == DBVH_INTERSECTING;
	printf( "%zu of %d poses intersect\n", intersecting, POSES );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
