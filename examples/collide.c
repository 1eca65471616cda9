// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Do two meshes intersect, and with which triangles?

#include "shapes.h"

int main( void ) {
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );
	const dbvh_pose pose = moved( 2, 0.5, 0 ); // face to face: touching counts

	dbvh_pair pairs[64];
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 64 };
	dbvh_collide_result result;
	dbvh_error error;
	check( dbvh_collide( a, NULL, b, &pose, &query, NULL, &result, &error, NULL ), &error );

	printf( "%s, %zu pairs of triangles\n", result.verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint",
	        result.pair_count );
	for ( size_t i = 0; i < result.pair_written; ++i )
		printf( "  triangle %u of A and %u of B\n", pairs[i].a, pairs[i].b );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
