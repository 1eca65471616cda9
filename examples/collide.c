// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Do two meshes intersect, and with which triangles?

#include "example.h"

int main( void ) {
	dbvh_error error;
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );
	const dbvh_pose pose = moved( 1.5, 1.5, 1.5 ); // a corner of each is inside the other

	dbvh_pair pairs[64];
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 64 };
	dbvh_collide_result result;
	check( dbvh_collide( a, NULL, b, &pose, &query, NULL, &result, &error ), &error );

	printf( "%s, %zu pairs of triangles\n", result.verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint",
	        result.pair_count );
	for ( size_t i = 0; i < result.pair_written && i < 3; ++i )
		printf( "triangle %u of A and %u of B\n", pairs[i].a, pairs[i].b );

	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     intersecting, 14 pairs of triangles
//     triangle 2 of A and 4 of B
//     triangle 2 of A and 5 of B
//     triangle 2 of A and 10 of B
