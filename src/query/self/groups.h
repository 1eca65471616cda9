// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fans, stacks and combs have triangles whose volumes overlap all with all although the triangles are apart, so that a
// search compares each pair. A search that has gone on for longer than its trees are large asks of two nodes whether a
// plane separates the triangles below one from those below the other, by the corners in doubles. Each question takes
// time for the triangles below both, and of most pairs of nodes only the neighbours are left, so that n squared becomes
// n log n.
//
// In a mesh tested against itself the plane may go through one corner that triangles of both nodes have: what lies
// beyond it on either side has no more than that corner in common, which is no pair (self.h).

#pragma once

#include "query/common/mesh_pair.h"
#include "query/common/packed_run.h"

// Has a run compared so many nodes that groups pay? A search that ends in n log n stays far below.
static inline bool dbvhi_packed_wants_groups( const dbvhi_packed_run *run ) {
	return run->groups_separated == NULL &&
	       run->node_tests > 256 + 8 * ( (uint64_t)run->node_count_a + run->node_count_b );
}

// Let a run ask about groups from now on; the mesh pair must not move.
void dbvhi_packed_use_groups( dbvhi_packed_run *run, const dbvhi_mesh_pair *meshes );
