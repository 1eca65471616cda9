// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What are two bodies to each other: disjoint, touching, overlapping, or one inside the other?

#include "shapes.h"

int main( void ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true; // solids need to know what hangs together
	dbvh_tree *a = box_tree( 2, 2, 2, &options ), *b = box_tree( 1, 1, 1, &options );
	dbvh_error error;

	const double shift[] = { 0, 1, 2, 3, 4 };
	for ( int i = 0; i < 5; ++i ) {
		const dbvh_pose pose = moved( shift[i], 0, 0 );
		dbvh_relate_result result;
		check( dbvh_relate( a, NULL, b, &pose, NULL, NULL, &result, &error, NULL ), &error );
		printf( "moved by %g: %s\n", shift[i], dbvh_relation_name( result.relation ) );
	}

	const double point[3] = { 0.5, 0.5, 0.5 };
	dbvh_location location;
	check( dbvh_locate_point( a, NULL, point, &location, &error, NULL ), &error );
	printf( "the point is %s\n", location == DBVH_LOCATION_INSIDE ? "inside" : "not inside" );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
