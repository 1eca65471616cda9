// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A robot out of a URDF file, and the certified way from one configuration to another. Link dualbvh::io besides.

#include "example.h"

#include <dualbvh/io/load.h>

static const char arm[] =
    "<robot name='arm'>"
    "<link name='base'><collision><geometry><box size='.4 .4 .4'/></geometry></collision></link>"
    "<link name='boom'><collision><origin xyz='1 0 0'/><geometry><box size='1.4 .1 .1'/></geometry></collision></link>"
    "<link name='post'><collision><origin xyz='0 1.5 0'/><geometry><box size='.1 .1 1'/></geometry></collision></link>"
    "<joint name='swing' type='revolute'><parent link='base'/><child link='boom'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2'/></joint>"
    "<joint name='stand' type='fixed'><parent link='base'/><child link='post'/></joint>"
    "</robot>";

int main( void ) {
	const char *file = "example_load.urdf";
	FILE *stream = fopen( file, "wb" );
	if ( stream == NULL || fputs( arm, stream ) < 0 || fclose( stream ) != 0 )
		return EXIT_FAILURE;
	dbvh_loaded *loaded;
	dbvh_error error;
	if ( !dbvh_load_reads( "urdf" ) )
		return EXIT_FAILURE;
	check( dbvh_scene_load( &file, 1, NULL, &loaded, &error ), &error );
	remove( file );

	const dbvh_robot *robot = dbvh_loaded_robot( loaded );
	const uint32_t swing = dbvh_loaded_find( loaded, DBVH_LOADED_KIND_JOINT, "swing" );
	printf( "%zu bodies, %zu joint that moves, number %zu of a configuration\n",
	        dbvh_loaded_count( loaded, DBVH_LOADED_KIND_BODY ), dbvh_robot_width( robot, DBVH_ROBOT_LAYOUT_ANGLES ),
	        dbvh_robot_column( robot, swing, DBVH_ROBOT_LAYOUT_ANGLES ) );

	const double q[] = { -1.0, 1.0, 2.0 }; // two edges
	dbvh_robot_edge_result edges[2];
	const dbvh_robot_edges_query query = { .find = DBVH_FIND_CLOSEST };
	check( dbvh_robot_edge_batch( robot, dbvh_loaded_scene( loaded ), q, 3, &query, edges, &error ), &error );
	for ( int i = 0; i < 2; ++i ) {
		if ( edges[i].verdict == DBVH_ROBOT_VERDICT_CLEAR )
			printf( "edge %d is clear at every time\n", i );
		else
			printf( "edge %d: %s and %s meet at %.3f of it\n", i,
			        dbvh_loaded_name( loaded, DBVH_LOADED_KIND_BODY, edges[i].bodies.a ),
			        dbvh_loaded_name( loaded, DBVH_LOADED_KIND_BODY, edges[i].bodies.b ), edges[i].time );
	}
	dbvh_loaded_destroy( loaded );
	return EXIT_SUCCESS;
}

// Prints
//     3 bodies, 1 joint that moves, number 0 of a configuration
//     edge 0 is clear at every time
//     edge 1: boom and post meet at 0.502 of it
