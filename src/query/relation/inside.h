// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Is a point inside a mesh? By the triangles that a ray crosses, exactly, with one ray.

#pragma once

#include "base/assert.h"
#include "bvh/tree.h"
#include "exact/exact_point.h"
#include "math/vec.h"

// A mesh in the frame of a query.
typedef struct dbvhi_placed {
	const dbvh_tree *tree; // with topology
	const dbvh_pose *pose; // of the query; applied if `moved`
	bool moved;
	double error; // of a rounded corner
} dbvhi_placed;

dbvhi_placed dbvhi_place( const dbvh_tree *tree, const dbvh_pose *pose, bool moved );

// Triangle `leaf`, in leaf order.
void dbvhi_placed_target( const dbvhi_placed *mesh, uint32_t leaf, dbvhi_target *target );

// A point of the query's frame in that of a mesh that is moved, rounded.
dbvhi_vec dbvhi_unplaced( const dbvhi_placed *mesh, dbvhi_vec x );

// What a ray has crossed of the even components (see mesh/topology.h).
typedef struct dbvhi_crossings {
	int32_t winding; // along the normals of what has an orientation, less against them
	uint32_t parity; // triangles of what has none
	uint32_t stored; // all triangles, copies too
} dbvhi_crossings;

// Counts a crossing of a triangle, `sign` as of dbvhi_perturbed_point_crosses(); 0 is none.
static inline void dbvhi_count_crossing( dbvhi_crossings *crossings, int winding, int sign ) {
	DBVHI_ASSERT( sign >= -1 && sign <= 1 );
	if ( winding == 1 || winding == -1 )
		crossings->winding += winding * sign;
	crossings->parity += winding == DBVHI_WINDING_PARITY && sign != 0;
	crossings->stored += winding != 0 && sign != 0;
}

// The same for all triangles that stand at a place of the tree (bvh/twins.h), `sign` being that of the lowest.
static inline void dbvhi_count_twins( dbvhi_crossings *crossings, const dbvh_tree *tree, uint32_t leaf, int sign ) {
	if ( sign == 0 )
		return;
	uint32_t count;
	const uint32_t *twin = dbvhi_tree_twins( tree, leaf, &count );
	for ( uint32_t i = 0; i < count; ++i ) {
		const bool alike = i == 0 || dbvhi_topology_same_turn( tree->topology, twin[0], twin[i] );
		dbvhi_count_crossing( crossings, tree->topology->winding[twin[i]], alike ? sign : -sign );
	}
}

// Whether a point is inside: by the rule of the tree, and by the other rule.
enum { DBVHI_ENCLOSED = 1, DBVHI_ENCLOSED_OTHERWISE = 2 };

static inline unsigned dbvhi_inside_by( const dbvh_tree *tree, const dbvhi_crossings *crossings ) {
	const bool nonzero = crossings->winding != 0 || crossings->parity % 2 != 0, odd = crossings->stored % 2 != 0;
	const bool by_rule = tree->options.fill == DBVH_FILL_RULE_EVEN_ODD ? odd : nonzero;
	return ( by_rule ? DBVHI_ENCLOSED : 0u ) |
	       ( ( tree->options.fill == DBVH_FILL_RULE_EVEN_ODD ? nonzero : odd ) ? DBVHI_ENCLOSED_OTHERWISE : 0u );
}

// Does an even component have this triangle?
static inline bool dbvhi_is_solid( const dbvhi_topology *topology, uint32_t triangle ) {
	DBVHI_ASSERT( triangle < topology->triangle_count );
	return topology->even[topology->component[triangle]] != 0;
}

// What the ray from the perturbed point along `axis` crosses. The perturbed point is not on the surface of the mesh.
dbvhi_crossings dbvhi_crossings_of( const dbvhi_placed *mesh, const dbvhi_perturbed_point *perturbed, int axis );

// DBVHI_ENCLOSED and DBVHI_ENCLOSED_OTHERWISE.
unsigned dbvhi_is_inside( const dbvhi_placed *mesh, const dbvhi_perturbed_point *perturbed, int axis );

// Called for a triangle, in leaf order; returns true where no other is wanted.
typedef bool dbvhi_visit_triangle( void *context, const dbvhi_placed *mesh, uint32_t leaf );

// Visits the triangles that are near a point, all that it lies on among them.
void dbvhi_visit_at( const dbvhi_placed *mesh, const dbvhi_exact_point *point, dbvhi_visit_triangle *visit,
                     void *context );

// Does the point lie on a triangle? One without an area counts where `needles` says so.
bool dbvhi_is_on_surface( const dbvhi_placed *mesh, const dbvhi_exact_point *point, bool needles );
