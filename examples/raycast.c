// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The first hit of a ray, and the point of a mesh that is closest to a given one.

#include "example.h"

int main( void ) {
	dbvh_error error;
	dbvh_tree *tree = box_tree( 1, 1, 1, NULL );

	const dbvh_ray ray = { .from = { -3, 0.25, 0.5 }, .direction = { 1, 0, 0 } };
	const dbvh_raycast_query query = { .find = DBVH_FIND_CLOSEST };
	dbvh_raycast_result cast;
	check( dbvh_raycast( tree, NULL, &ray, &query, NULL, &cast, &error ), &error );
	if ( cast.intersects )
		printf( "the ray hits triangle %u at t = %g\n", cast.first.triangle, cast.first.t );

	const double point[3] = { 3, 0.5, 0 };
	dbvh_closest_point_result closest;
	check( dbvh_closest_point( tree, NULL, point, NULL, NULL, &closest, &error ), &error );
	printf( "the closest point is (%g, %g, %g), %g away\n", closest.point[0], closest.point[1], closest.point[2],
	        closest.distance );

	dbvh_tree_destroy( tree );
}

// Prints
//     the ray hits triangle 11 at t = 2
//     the closest point is (1, 0.5, 0), 2 away
