// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Point location: whether a point is inside a mesh, by the triangles that one ray crosses, exactly.

#pragma once

#include "base/assert.h"
#include "bvh/tree.h"
#include "exact/exact_point.h"
#include "math/vec.h"

// A mesh in the frame of a query.
typedef struct dbvhi_placed {
	const dbvh_tree *tree; // with topology
	const dbvh_pose *pose; // pose of the query; applied to the mesh if `moved`
	bool moved;
	double error; // bounds the error of a placed corner
} dbvhi_placed;

dbvhi_placed dbvhi_place( const dbvh_tree *tree, const dbvh_pose *pose, bool moved );

// Place triangle `leaf`, in leaf order.
void dbvhi_placed_target( const dbvhi_placed *mesh, uint32_t leaf, dbvhi_target *target );

// Take a point from the frame of the query into that of a moved mesh, rounded.
dbvhi_vec dbvhi_unplaced( const dbvhi_placed *mesh, dbvhi_vec x );

// Crossings of a ray with even components (see mesh/topology.h).
typedef struct dbvhi_crossings {
	int32_t winding; // triangles with an orientation: crossings along their normals less those against them
	uint32_t parity; // triangles without an orientation
	uint32_t stored; // all triangles, copies included
} dbvhi_crossings;

// Count a crossing of a triangle; `sign` is that of dbvhi_perturbed_point_crosses(), 0 for no crossing.
static inline void dbvhi_count_crossing( dbvhi_crossings *crossings, int winding, int sign ) {
	DBVHI_ASSERT( sign >= -1 && sign <= 1 );
	if ( winding == 1 || winding == -1 )
		crossings->winding += winding * sign;
	crossings->parity += winding == DBVHI_WINDING_PARITY && sign != 0;
	crossings->stored += winding != 0 && sign != 0;
}

// Count the crossings of all equal triangles that a tree keeps as one (bvh/twins.h); `sign` is that of the lowest.
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

// Flags of a point inside a mesh: by the fill rule of the tree, and by the other rule.
enum { DBVHI_ENCLOSED = 1, DBVHI_ENCLOSED_OTHERWISE = 2 };

static inline unsigned dbvhi_inside_by( const dbvh_tree *tree, const dbvhi_crossings *crossings ) {
	const bool nonzero = crossings->winding != 0 || crossings->parity % 2 != 0, odd = crossings->stored % 2 != 0;
	const bool by_rule = tree->options.fill == DBVH_FILL_RULE_EVEN_ODD ? odd : nonzero;
	return ( by_rule ? DBVHI_ENCLOSED : 0u ) |
	       ( ( tree->options.fill == DBVH_FILL_RULE_EVEN_ODD ? nonzero : odd ) ? DBVHI_ENCLOSED_OTHERWISE : 0u );
}

// True if the triangle is part of an even component.
static inline bool dbvhi_is_solid( const dbvhi_topology *topology, uint32_t triangle ) {
	DBVHI_ASSERT( triangle < topology->triangle_count );
	return topology->even[topology->component[triangle]] != 0;
}

// Count the crossings of the ray from the perturbed point along `axis`. The point must not be on the mesh's surface.
dbvhi_crossings dbvhi_crossings_of( const dbvhi_placed *mesh, const dbvhi_perturbed_point *perturbed, int axis );

// Returns the flags DBVHI_ENCLOSED and DBVHI_ENCLOSED_OTHERWISE of a perturbed point.
unsigned dbvhi_is_inside( const dbvhi_placed *mesh, const dbvhi_perturbed_point *perturbed, int axis );

// A callback for a triangle, in leaf order. Returns true to end the visit.
typedef bool dbvhi_visit_triangle( void *context, const dbvhi_placed *mesh, uint32_t leaf );

// Visit the triangles near a point, among them all that contain it.
void dbvhi_visit_at( const dbvhi_placed *mesh, const dbvhi_exact_point *point, dbvhi_visit_triangle *visit,
                     void *context );

// True if the point lies on a triangle of the mesh. Triangles without an area count if `needles` is set.
bool dbvhi_is_on_surface( const dbvhi_placed *mesh, const dbvhi_exact_point *point, bool needles );
