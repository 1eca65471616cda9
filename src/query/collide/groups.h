// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fans, stacks and combs: triangles whose volumes overlap all with all and that are apart all the same, so that a
// search compares each pair. Where a search has gone on for longer than its trees are large, it asks of two nodes
// whether a plane has all triangles below the one on its one side and all below the other on the other, corners in
// doubles. Each question takes time for the triangles below both, and of most pairs of nodes only the neighbours are
// left, so that n squared becomes n log n.
//
// Of one mesh with itself the plane may go through one corner that triangles of both have: what lies beyond it on
// either side has no more than that corner in common, which is no pair (self.h).

#pragma once

#include "query/common/mesh_pair.h"
#include "query/common/packed_run.h"

// Has a run compared so many nodes that this pays? Far from it in any search that ends in n log n.
static inline bool dbvhi_packed_wants_groups( const dbvhi_packed_run *run ) {
	return run->groups_separated == NULL &&
	       run->node_tests > 256 + 8 * ( (uint64_t)run->node_count_a + run->node_count_b );
}

// Lets a run ask from now on; the meshes have to stay where they are.
void dbvhi_packed_use_groups( dbvhi_packed_run *run, const dbvhi_mesh_pair *meshes );
