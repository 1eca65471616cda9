// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where do two surfaces meet: points, curves, flat regions, grouped into clusters; and how can they be parted?

#include "shapes.h"

int main( void ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	dbvh_tree *a = box_tree( 1, 1, 1, &options ), *b = box_tree( 1, 1, 1, &options );
	const dbvh_pose pose = moved( 1.75, 0.25, 0.5 );
	dbvh_error error;

	dbvh_contacts *contacts = NULL;
	check( dbvh_contacts_create( NULL, &contacts, NULL ), NULL );
	check( dbvh_contacts_find( a, NULL, b, &pose, 1, contacts, &error, NULL ), &error );
	const dbvh_contacts_view found = dbvh_contacts_get( contacts );
	for ( size_t i = 0; i < found.polyline_count; ++i )
		printf( "polyline of %zu points, %s, length %g\n", found.polylines[i].point_count,
		        found.polylines[i].closed ? "closed" : "open", found.polylines[i].length );

	dbvh_separation separation;
	check( dbvh_separating_translation( a, NULL, b, &pose, contacts, &separation, &error, NULL ), &error );
	printf( "moving B by (%g, %g, %g) parts them\n", separation.translation[0], separation.translation[1],
	        separation.translation[2] );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}
