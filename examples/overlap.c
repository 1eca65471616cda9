// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How much and how deep two bodies overlap, whether that is a fit or a clash, and the overlap as a closed mesh.

#include "example.h"

// The number in the middle of a certified interval.
static double middle( dbvh_interval x ) {
	return 0.5 * x.lower + 0.5 * x.upper;
}

int main( void ) {
	dbvh_error error;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true; // which triangles enclose a body
	// Two walls, 2.5 high and 0.2 thick, that overlap by 0.05 with flush sides.
	dbvh_tree *wall = box_tree( 2.0, 0.1, 1.25, &options );
	const dbvh_pose pose = moved( 3.95, 0.0, 0.0 );

	dbvh_overlap *overlap = NULL;
	dbvh_overlap_result result;
	check( dbvh_overlap_create( NULL, &overlap, &error ), &error );
	dbvh_overlap_query query = dbvh_overlap_query_default();
	query.mesh = true;
	check( dbvh_overlap_find( wall, NULL, wall, &pose, &query, overlap, &result, &error ), &error );
	printf( "volume %.4g in %zu part\n", middle( result.measure.volume ), result.component_count );
	const dbvh_overlap_view found = dbvh_overlap_get( overlap ); // components, and the surface as a closed mesh
	printf( "the first triangle of its surface lies on one of %c\n", "AB"[found.sources[0].body] );

	dbvh_local_depth_query allowed = dbvh_local_depth_query_default();
	dbvh_local_depth_result depth;
	for ( int k = 0; k < 2; ++k ) {
		allowed.allowed_depth = k == 0 ? 0.01 : 0.1;
		check( dbvh_local_depth( wall, NULL, wall, &pose, &allowed, NULL, &depth, &error ), &error );
		printf( "%.2g deep, with %g allowed: %s\n", middle( depth.least ), allowed.allowed_depth,
		        dbvh_fit_verdict_name( depth.verdict ) );
	}

	dbvh_penetration_result out;
	check( dbvh_penetration_depth( wall, NULL, wall, &pose, NULL, NULL, &out, &error ), &error );
	printf( "a move by (%.2g, %g, %g) frees the second\n", out.translation[0], out.translation[1], out.translation[2] );

	dbvh_overlap_destroy( overlap );
	dbvh_tree_destroy( wall );
}

// Prints
//     volume 0.025 in 1 part
//     the first triangle of its surface lies on one of A
//     0.05 deep, with 0.01 allowed: CLASH
//     0.05 deep, with 0.1 allowed: FIT
//     a move by (0.05, 0, 0) frees the second
