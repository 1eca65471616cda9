// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where open components are open. A chain of triangles has a boundary of closed loops: at every point an even number of
// edges with an odd number of triangles meet.

#pragma once

#include "mesh/topology.h"

// Is told of a loop: its points, each joined to the next, the last to the first.
typedef void dbvhi_loop_visit( void *context, uint32_t component, const uint32_t *points, size_t point_count );

// Visits the loops of one component, or of all where it is SIZE_MAX, ordered by their lowest edge. False if there is no
// memory. O(n log n).
bool dbvhi_topology_loops( const dbvhi_topology *topology, size_t component, const dbvh_allocator *allocator,
                           dbvhi_loop_visit *visit, void *context );
