// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Spheres about boxes and trees, in the frame of a query, by which parts that are far apart are left out.

#pragma once

#include "math/vec.h"
#include "query/relation/inside.h"

#include <math.h>

// A sphere about a box or a tree. dbvhi_balls_are_apart() covers its rounding.
typedef struct dbvhi_ball {
	dbvhi_vec centre;
	double radius;
} dbvhi_ball;

static inline dbvhi_vec dbvhi_ball_centre( const dbvhi_placed *mesh, dbvhi_vec x ) {
	if ( !mesh->moved )
		return x;
	dbvhi_vec out;
	for ( int k = 0; k < 3; ++k )
		out.v[k] = mesh->pose->rot[k][0] * x.v[0] + mesh->pose->rot[k][1] * x.v[1] + mesh->pose->rot[k][2] * x.v[2] +
		           mesh->pose->pos[k];
	return out;
}

static inline bool dbvhi_balls_are_apart( const dbvhi_ball *a, const dbvhi_ball *b ) {
	const dbvhi_vec d = dbvhi_sub( a->centre, b->centre );
	const double size = fabs( a->centre.v[0] ) + fabs( a->centre.v[1] ) + fabs( a->centre.v[2] ) +
	                    fabs( b->centre.v[0] ) + fabs( b->centre.v[1] ) + fabs( b->centre.v[2] );
	// A pose stretches by some DBVH_POSE_TOLERANCE, far less than 1 %. The last term is more than what
	// denormal numbers lose, also in the volumes of a tree.
	const double reach = 1.01 * ( a->radius + b->radius ) + 0x1p-40 * size + 0x1p-1040;
	for ( int k = 0; k < 3; ++k ) {
		if ( fabs( d.v[k] ) > reach )
			return true;
	}
	return reach > 0x1p-400 && reach < 0x1p400 && dbvhi_dot( d, d ) > reach * reach;
}

static inline dbvhi_ball dbvhi_ball_of_box( const dbvhi_placed *mesh, const double box[6] ) {
	dbvhi_vec middle, half;
	for ( int k = 0; k < 3; ++k ) {
		middle.v[k] = 0.5 * box[k] + 0.5 * box[3 + k];
		half.v[k] = 0.5 * box[3 + k] - 0.5 * box[k];
	}
	return ( dbvhi_ball ){ dbvhi_ball_centre( mesh, middle ),
	                       fabs( half.v[0] ) + fabs( half.v[1] ) + fabs( half.v[2] ) };
}

static inline dbvhi_ball dbvhi_ball_of_tree( const dbvhi_placed *mesh ) {
	const dbvhi_node *root = dbvhi_tree_root( mesh->tree );
	return ( dbvhi_ball ){ dbvhi_ball_centre( mesh, root->sphere_outside ), root->radius };
}
