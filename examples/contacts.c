// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The curves along which two surfaces intersect, and a translation that separates them.

#include "example.h"

int main( void ) {
	dbvh_error error;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true; // contacts need to know which triangles share an edge
	dbvh_tree *a = box_tree( 1, 1, 1, &options ), *b = box_tree( 1, 1, 1, &options );
	const dbvh_pose pose = moved( 1.75, 0.25, 0.5 );

	dbvh_contacts *contacts = NULL;
	check( dbvh_contacts_create( NULL, &contacts, &error ), &error );
	check( dbvh_contacts_find( a, NULL, b, &pose, NULL, contacts, &error ), &error );

	const dbvh_contacts_view found = dbvh_contacts_get( contacts );
	for ( size_t i = 0; i < found.polyline_count; ++i ) {
		const dbvh_polyline *line = &found.polylines[i];
		printf( "a%s polyline of %zu points, length %g\n", line->closed ? " closed" : "n open", line->point_count,
		        line->length );
		const double *p = found.points[found.path[line->first].point].position;
		printf( "its first point is (%g, %g, %g)\n", p[0], p[1], p[2] );
	}

	dbvh_separation separation;
	check( dbvh_separating_translation( a, NULL, b, &pose, NULL, contacts, &separation, &error ), &error );
	printf( "moving B by (%.3f, %.3f, %.3f) separates them\n", separation.translation[0], separation.translation[1],
	        separation.translation[2] );

	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     a closed polyline of 11 points, length 7
//     its first point is (1, -0.75, 1)
//     moving B by (0.250, 0.000, 0.000) separates them
