// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many bodies in one scene, and the list of their clashes.

#include "example.h"

int main( void ) {
	dbvh_error error;
	// Relations (inside, touching) need topology.
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	dbvh_tree *cube = box_tree( 1, 1, 1, &options ), *pin = box_tree( 0.25, 0.25, 3, &options );

	dbvh_scene *scene;
	check( dbvh_scene_create( NULL, &scene, &error ), &error );
	uint32_t body[4];
	const dbvh_pose poses[] = { moved( 0, 0, 0 ), moved( 2, 0, 0 ), moved( 4.05, 0, 0 ), moved( 4, 0, 2 ) };
	for ( int i = 0; i < 3; ++i )
		check( dbvh_scene_add_body( scene, cube, &poses[i], NULL, &body[i], &error ), &error );
	check( dbvh_scene_add_body( scene, pin, &poses[3], NULL, &body[3], &error ), &error );

	// Bodies must keep 0.1 apart; the pin is pressed into the third cube, which is meant.
	const dbvh_pair_rule apart = { .clearance = 0.1 }, pressed = { .may_collide = true };
	check( dbvh_scene_set_default_rule( scene, &apart, &error ), &error );

	for ( int round = 0; round < 2; ++round ) {
		const dbvh_scene_query query = { .find = DBVH_FIND_ALL };
		dbvh_clash clashes[8];
		dbvh_scene_result result;
		check( dbvh_scene_clashes( scene, &query, clashes, 8, &result, &error ), &error );
		printf( "%zu clashes:\n", result.found_count );
		for ( size_t i = 0; i < result.written_count; ++i )
			printf( "  %u and %u: %s\n", (unsigned)clashes[i].a, (unsigned)clashes[i].b,
			        dbvh_clash_kind_name( clashes[i].kind ) );
		check( dbvh_scene_set_pair_rule( scene, body[2], body[3], &pressed, &error ), &error );
	}

	dbvh_scene_destroy( scene );
	dbvh_tree_destroy( cube );
	dbvh_tree_destroy( pin );
}

// Prints
//     3 clashes:
//       0 and 1: TOUCH
//       1 and 2: CLEARANCE
//       2 and 3: HARD
//     2 clashes:
//       0 and 1: TOUCH
//       1 and 2: CLEARANCE
