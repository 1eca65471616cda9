// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The relation of two solids (disjoint, touching, overlapping, one inside the other), and whether a point is inside.

#include "example.h"

int main( void ) {
	dbvh_error error;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true; // solids need to know which triangles share an edge
	dbvh_tree *a = box_tree( 2, 2, 2, &options ), *b = box_tree( 1, 1, 1, &options );

	for ( int x = 0; x <= 4; ++x ) {
		const dbvh_pose pose = moved( x, 0, 0 );
		dbvh_relate_result result;
		check( dbvh_relate( a, NULL, b, &pose, NULL, NULL, &result, &error ), &error );
		printf( "B at x = %d: %s\n", x, dbvh_relation_name( result.relation ) );
	}

	const double point[3] = { 1.5, 0, 0 };
	dbvh_location location;
	check( dbvh_locate_point( a, NULL, point, &location, &error ), &error );
	printf( "the point is %s A\n", location == DBVH_LOCATION_INSIDE ? "inside" : "not inside" );

	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     B at x = 0: B_IN_A
//     B at x = 1: B_IN_A
//     B at x = 2: OVERLAPPING
//     B at x = 3: TOUCHING
//     B at x = 4: DISJOINT
//     the point is inside A
