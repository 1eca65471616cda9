// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// When does a mesh in motion meet another one for the first time (continuous collision detection)?

#include "shapes.h"

int main( void ) {
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );
	const dbvh_pose from = moved( 5, 0, 0 ), to = moved( 0, 0, 0 );
	dbvh_error error;

	dbvh_motion motion;
	check( dbvh_motion_between( &from, &to, NULL, &motion, NULL ), NULL );
	dbvh_toi_result result;
	check( dbvh_time_of_impact( a, NULL, b, &motion, NULL, NULL, &result, &error, NULL ), &error );
	if ( result.verdict == DBVH_TOI_VERDICT_CLEAR )
		puts( "the way is clear" );
	else
		printf( "%s at t = %.9f, triangle %u of A and %u of B\n",
		        result.verdict == DBVH_TOI_VERDICT_CONTACT ? "contact" : "closer than doubles can tell", result.time,
		        result.pair.a, result.pair.b );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
