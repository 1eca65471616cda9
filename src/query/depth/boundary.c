// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A triangle that no other triangle of its mesh meets, but at corners and edges that they share, has the same on either
// side all over. What that is, two points tell that are nearer to the middle of the triangle than any other triangle
// is.

#include "query/depth/boundary.h"

#include "base/alloc.h"
#include "exact/tri_tri.h"
#include "query/overlap/solid_sides.h"

#include <math.h>
#include <string.h>

typedef struct looking {
	dbvhi_visitor visitor; // note: must be the first member; visit_other() casts from it
	const dbvhi_solid *solid;
	uint32_t number;
	double corners[9]; // in the frame of the mesh
	double middle[3];
	double nearest; // a lower bound of the distance of the middle from any other triangle
	bool met;
} looking;

static double visit_other( dbvhi_visitor *visitor, uint32_t leaf ) {
	looking *l = (looking *)visitor;
	const dbvh_tree *tree = l->solid->placed.tree;
	if ( tree->triangle[leaf] == l->number )
		return visitor->reach;
	visitor->counters.triangle_tests += 1;
	const double *other = tree->corners + 9 * (size_t)leaf;
	const dbvhi_answer answer = dbvhi_self_intersect_filter( l->corners, other );
	if ( answer == DBVHI_INTERSECTING ||
	     ( answer == DBVHI_UNSURE && dbvhi_self_intersect_exact( l->corners, other ) ) ) {
		l->met = true;
		return -1.0;
	}
	l->nearest = fmin( l->nearest, dbvhi_point_filter( other, l->middle, 0.0 ).low );
	return visitor->reach;
}

// True if a point of the mesh's own frame is inside its solid.
static bool is_inside_own( const dbvhi_solid *solid, const double point[3] ) {
	static const dbvh_pose identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	dbvhi_solid own = *solid;
	own.rays = dbvhi_place( solid->placed.tree, &identity, false );
	return dbvhi_solid_holds( &own, point, NULL );
}

// 1 or -1 if only one side is inside, else 0.
static int inner_side( const looking *l ) {
	double ab[3], ac[3], n[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = l->corners[3 + k] - l->corners[k];
		ac[k] = l->corners[6 + k] - l->corners[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n ), off = 0.25 * l->nearest;
	// note: the points must be on their sides in spite of rounding.
	if ( !( length > 0x1p-40 * dbvhi_length3( ab ) * dbvhi_length3( ac ) &&
	        off > 0x1p-40 * l->solid->placed.tree->largest ) )
		return 0;
	double above[3], below[3];
	for ( int k = 0; k < 3; ++k ) {
		above[k] = l->middle[k] + off / length * n[k];
		below[k] = l->middle[k] - off / length * n[k];
	}
	return ( is_inside_own( l->solid, above ) ? 1 : 0 ) - ( is_inside_own( l->solid, below ) ? 1 : 0 );
}

static int find_side_of( const dbvhi_solid *solid, uint32_t leaf ) {
	const dbvh_tree *tree = solid->placed.tree;
	const uint32_t number = tree->triangle[leaf];
	uint32_t twins;
	dbvhi_tree_twins( tree, leaf, &twins );
	if ( twins != 1 || tree->topology->degenerate[number] || !dbvhi_is_solid( tree->topology, number ) )
		return 0;
	looking l = { .solid = solid, .number = number, .nearest = INFINITY };
	memcpy( l.corners, tree->corners + 9 * (size_t)leaf, sizeof l.corners );
	double reach = 0.0;
	for ( int k = 0; k < 3; ++k )
		l.middle[k] = ( l.corners[k] + l.corners[3 + k] + l.corners[6 + k] ) / 3.0;
	for ( int i = 0; i < 3; ++i ) {
		double to[3];
		for ( int k = 0; k < 3; ++k )
			to[k] = l.corners[3 * i + k] - l.middle[k];
		reach = fmax( reach, dbvhi_length3_up( to ) );
	}
	reach = reach * ( 1.0 + 0x1p-20 ) + 0x1p-40 * tree->largest;
	l.nearest = reach;
	dbvhi_visitor_init( &l.visitor, visit_other, reach, solid->meter );
	dbvhi_walk_point( tree, dbvhi_vec_of( l.middle ), 0.0, solid->workspace, &l.visitor );
	dbvhi_work_charge( &l.visitor.work, l.visitor.counters.box_tests / 4, &l.visitor.counters );
	return !l.met && !l.visitor.is_cut_short ? inner_side( &l ) : 0;
}

dbvh_status dbvhi_boundary_begin( dbvhi_boundary *boundary, const dbvhi_solid *solid, const int8_t *sides ) {
	const size_t count = solid->placed.tree->triangle_count;
	*boundary = ( dbvhi_boundary ){ .solid = solid, .sides = sides };
	if ( sides != NULL )
		return DBVH_OK;
	boundary->known = dbvhi_alloc( &solid->workspace->allocator, count, 1 );
	if ( boundary->known == NULL )
		return DBVH_OUT_OF_MEMORY;
	memset( boundary->known, 0, count );
	return DBVH_OK;
}

void dbvhi_boundary_end( dbvhi_boundary *boundary ) {
	dbvhi_free( &boundary->solid->workspace->allocator, boundary->known, boundary->solid->placed.tree->triangle_count,
	            1 );
}

int dbvhi_boundary_known( const dbvhi_boundary *boundary, uint32_t leaf ) {
	static const int side[4] = { 0, 1, -1, 0 };
	if ( boundary->sides == NULL )
		return side[boundary->known[leaf]];
	const int8_t solid = boundary->sides[boundary->solid->placed.tree->triangle[leaf]];
	return solid == DBVHI_SOLID_BELOW ? -1 : solid == DBVHI_SOLID_ABOVE ? 1 : 0;
}

int dbvhi_boundary_side( dbvhi_boundary *boundary, uint32_t leaf ) {
	if ( boundary->sides == NULL && boundary->known[leaf] == 0 ) {
		const int found = find_side_of( boundary->solid, leaf );
		boundary->known[leaf] = found > 0 ? 1 : found < 0 ? 2 : 3;
	}
	return dbvhi_boundary_known( boundary, leaf );
}
