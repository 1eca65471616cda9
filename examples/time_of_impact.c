// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// When does a moving mesh touch another one for the first time (continuous collision detection)?

#include "example.h"

int main( void ) {
	dbvh_error error;
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );

	const dbvh_pose from = moved( 6, 0, 0 ), to = moved( 1, 0, 0 );
	dbvh_motion motion;
	check( dbvh_motion_between( &from, &to, NULL, &motion, &error ), &error );

	dbvh_toi_result result;
	check( dbvh_time_of_impact( a, NULL, b, &motion, NULL, NULL, &result, &error ), &error );
	if ( result.verdict == DBVH_TOI_VERDICT_CONTACT )
		printf( "contact at t = %.6f, normal (%g, %g, %g)\n", result.time, result.normal[0], result.normal[1],
		        result.normal[2] );
	else
		puts( result.verdict == DBVH_TOI_VERDICT_CLEAR ? "no contact" : "closer than rounding tells" );

	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     contact at t = 0.800000, normal (1, 0, 0)
