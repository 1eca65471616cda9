// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A caller that is compiled and linked with -ffast-math, as games and audio programs are: start-up code sets
// flush-to-zero for the whole process. It gets the same pairs.

#include "dualbvh/dualbvh.h"
#include "shapes/shapes.h"
#include "support/command_line.h"
#include "support/fpmode.h"

#include <stdio.h>

int main( int argc, char **argv ) {
	static const char *const name = "fast_math";
	test_command_line_read( argc, argv, ( test_usage ){ 0 }, &name, 1, sizeof name );
	const fpmode at_start = fpmode_get();
	shape torus = { 0 };
	shape_add_torus( &torus, 1.0, 0.4, 48, 24 );
	const dbvh_mesh_view view = shape_view( &torus );
	dbvh_tree *tree = NULL;
	if ( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ) != DBVH_OK )
		return 1;
	static const double axis[3] = { 0.3, 0.2, 0.9 };
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL };
	size_t pairs[2] = { 0, 0 }, meeting = 0;
	const int count = 60;
	for ( int i = 0; i < count; ++i ) {
		const double at[3] = { 0.05 * i, 0.01 * i, 0.02 * i };
		const dbvh_pose pose = shape_pose( axis, i % 2 == 0 ? 90.0 : 7.0 * i, at );
		for ( int k = 0; k < 2; ++k ) {
			// First as it is, then in the default mode.
			fpmode_set( k == 0 ? at_start : FPMODE_DEFAULT );
			dbvh_collide_result result;
			if ( dbvh_collide( tree, NULL, tree, &pose, &all, NULL, &result, NULL ) != DBVH_OK )
				return 1;
			pairs[k] += result.pair_count;
			meeting += result.verdict == DBVH_INTERSECTING;
		}
		fpmode_set( at_start );
	}
	printf( "started %s the default mode; %zu and %zu pairs\n", at_start == FPMODE_DEFAULT ? "in" : "outside", pairs[0],
	        pairs[1] );
	dbvh_tree_destroy( tree );
	shape_free( &torus );
	return pairs[0] == pairs[1] && meeting > 0 && meeting < 2 * (size_t)count ? 0 : 1;
}
