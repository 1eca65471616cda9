// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Does a mesh intersect itself, beyond the corners and edges that its triangles share?

#include "example.h"

int main( void ) {
	// Triangle 1 goes through triangle 0; triangle 2 shares an edge with it, which does not count.
	const double corner[][3] = { { 0, 0, 0 },     { 2, 0, 0 },     { 0, 2, 0 }, { 0.5, 0.5, -1 },
	                             { 0.5, 0.5, 1 }, { 0, 0.5, 0.5 }, { 2, 2, 0 } };
	const uint32_t triangle[][3] = { { 0, 1, 2 }, { 3, 4, 5 }, { 1, 6, 2 } };
	const dbvh_mesh_view view = { .positions = corner, .vertex_count = 7, .indices = triangle, .triangle_count = 3 };

	dbvh_error error;
	dbvh_tree *tree = NULL;
	check( dbvh_tree_build( &view, NULL, NULL, &tree, &error ), &error );

	dbvh_pair pairs[8];
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 8 };
	dbvh_collide_result result;
	check( dbvh_self_collide( tree, &query, NULL, &result, &error ), &error );
	for ( size_t i = 0; i < result.pair_written; ++i )
		printf( "triangles %u and %u intersect\n", pairs[i].a, pairs[i].b );

	dbvh_tree_destroy( tree );
}

// Prints
//     triangles 0 and 1 intersect
