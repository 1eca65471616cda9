// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How a triangle counts where a ray crosses it: the orientation of its surface, and triangles that are mere copies.

#pragma once

#include "mesh/topology.h"

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
