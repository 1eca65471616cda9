// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The connectivity of a mesh: points, edges and connected components. Triangles are numbered in file order.
//
// Vertices with equal coordinates (-0 equals 0) are one point. Side 3 i + k of the mesh runs from corner k of triangle
// i to corner (k + 1) mod 3; an edge is all sides between the same two points, in either direction. A side whose ends
// are one point is part of no edge. Triangles that share an edge belong to one component, degenerate ones too.

#pragma once

#include "base/assert.h"
#include "dualbvh/mesh.h"

// The number of no edge.
#define DBVHI_NO_EDGE UINT32_MAX

// A triangle of an even component counts 1 or -1 where it is crossed along its normal, or this way (winding.c). One of
// another component, and one without an area, counts 0.
#define DBVHI_WINDING_PARITY 2 // its component has no orientation
#define DBVHI_WINDING_COPY 3   // a lower triangle of its component is in the same place and counts

typedef struct dbvhi_topology {
	size_t triangle_count;
	size_t point_count; // points that a triangle uses
	size_t edge_count;
	size_t component_count;
	double *position;     // 3 a point
	uint32_t *corner;     // 3 a triangle: the point, 0 to point_count - 1, numbered as triangles first use them
	uint32_t *edge;       // 3 a triangle: the edge of side k, or DBVHI_NO_EDGE
	uint32_t *edge_begin; // edge_count + 1: where an edge's sides begin in `side`; ordered by lower, then higher point
	uint32_t *side;       // the sides of each edge, ascending
	uint32_t *component;  // component of each triangle; components are numbered by their lowest triangle
	uint8_t *degenerate;  // 1 for each triangle without an area, decided exactly
	dbvh_mesh_component *components;
	// 1 for each component whose edges all have an even number of triangles, with or without the degenerate ones, and
	// which has a triangle with an area; copies do not count. For these a ray tells whether a point off the surface is
	// inside. Weaker than `closed`, which allows two triangles an edge and no more.
	uint8_t *even;
	int8_t *winding;        // how each triangle counts where a ray crosses it, see below
	double *bounds;         // 6 a component: lower, then upper corner of its box
	double sheet_bounds[6]; // box of all triangles with an area that belong to no even component
	bool has_sheets;        // there are such triangles
	size_t point_capacity;  // allocated number of points
} dbvhi_topology;

// The topology of a view that has passed dbvh_mesh_view_check(). *distinct_out (may be NULL) is the number of different
// points among all vertices, also those that no triangle uses. O(n log n). NULL if there is no memory.
dbvhi_topology *dbvhi_topology_create( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                       size_t *distinct_out );

// NULL is allowed.
void dbvhi_topology_destroy( dbvhi_topology *topology, const dbvh_allocator *allocator );

// Memory that it takes.
size_t dbvhi_topology_bytes( const dbvhi_topology *topology );

// The first broken rule, or NULL. Checks everything but `degenerate`, `even`, `winding`, and of `components` the counts
// of edges and what follows from them; of the bounds that they enclose. `seen` has room for component_count numbers.
const char *dbvhi_topology_check( const dbvhi_topology *topology, uint32_t *seen );

// Are two the same, number by number?
bool dbvhi_topology_equal( const dbvhi_topology *a, const dbvhi_topology *b );

// Is told of a loop of open edges: its points, each joined to the next, the last to the first.
typedef void dbvhi_loop_visit( void *context, uint32_t component, const uint32_t *points, size_t point_count );

// Visits the loops of one component, or of all where it is SIZE_MAX, ordered by their lowest edge (loops.c). False if
// there is no memory. O(n log n).
bool dbvhi_topology_loops( const dbvhi_topology *topology, size_t component, const dbvh_allocator *allocator,
                           dbvhi_loop_visit *visit, void *context );

static inline uint32_t dbvhi_topology_next( uint32_t side ) {
	return side % 3 == 2 ? side - 2 : side + 1;
}

// Do two triangles with the same three corners run round them in the same direction?
static inline bool dbvhi_topology_same_turn( const dbvhi_topology *topology, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( i < topology->triangle_count && j < topology->triangle_count );
	const uint32_t *p = topology->corner + 3 * (size_t)i, *q = topology->corner + 3 * (size_t)j;
	return ( p[0] == q[0] && p[1] == q[1] ) || ( p[0] == q[1] && p[1] == q[2] ) || ( p[0] == q[2] && p[1] == q[0] );
}

// The point that a side starts from; it ends where the next one starts.
static inline uint32_t dbvhi_topology_start( const dbvhi_topology *topology, uint32_t side ) {
	DBVHI_ASSERT( side < 3 * topology->triangle_count );
	return topology->corner[side];
}

static inline uint32_t dbvhi_topology_end( const dbvhi_topology *topology, uint32_t side ) {
	DBVHI_ASSERT( side < 3 * topology->triangle_count );
	return topology->corner[dbvhi_topology_next( side )];
}

// ------------------------------------------------------------------------------------------------
// How a triangle counts where a ray crosses it: the orientation of its surface, and triangles that are mere copies.

// Bits of dbvhi_topology.even for a component until dbvhi_topology_wind() has looked at it. An edge that breaks a rule
// clears its bit. Each rule has two bits, one for all triangles, one for those with an area alone.
enum {
	DBVHI_EDGES_EVEN = 1,      // and 2: an even number of triangles at every edge
	DBVHI_EDGES_BALANCED = 4,  // and 8: as many run up each edge as down
	DBVHI_EDGES_OF_TWO = 16,   // and 32: two triangles, or none, at every edge
	DBVHI_EDGES_UNSEEN = 0x3f, // before any edge has been looked at
};

// Takes the bits away that edge e rules out.
void dbvhi_topology_see_edge( dbvhi_topology *topology, size_t edge );

// Fills `winding`, and leaves 1 or 0 in `even`. O(n log n) where a component may be there twice, else O(n). False if
// there is no memory.
bool dbvhi_topology_wind( dbvhi_topology *topology, const dbvh_allocator *allocator );
