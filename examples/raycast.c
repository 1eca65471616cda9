// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where does a ray hit a mesh, and which of its points is closest to a given one?

#include "shapes.h"

int main( void ) {
	dbvh_tree *tree = box_tree( 1, 1, 1, NULL );
	dbvh_error error;

	const dbvh_ray ray = { .from = { -3, 0.25, 0.5 }, .direction = { 1, 0, 0 } };
	const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
	dbvh_raycast_result hit;
	check( dbvh_raycast( tree, NULL, &ray, &first, NULL, &hit, &error, NULL ), &error );
	if ( hit.intersects )
		printf( "the ray hits triangle %u at t = %g\n", hit.first.triangle, hit.first.t );

	const double point[3] = { 3, 0, 0 };
	dbvh_closest_point_result closest;
	check( dbvh_closest_point( tree, NULL, point, INFINITY, NULL, &closest, &error, NULL ), &error );
	printf( "the closest point is (%g, %g, %g), %g away\n", closest.point[0], closest.point[1], closest.point[2],
	        closest.distance );
	dbvh_tree_destroy( tree );
}
