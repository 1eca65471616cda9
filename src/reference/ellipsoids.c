// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ellipsoids of nodes in the traversal of two reference trees.

#include "base/assert.h"
#include "bvh/ellipsoid_test.h"
#include "reference/traversal.h"

static const dbvhi_reach *ellipsoid_of( const dbvh_tree *tree, uint32_t node ) {
	DBVHI_ASSERT( tree->ellipsoid_at[node] != DBVHI_NO_ELLIPSOID );
	return &tree->ellipsoids[tree->ellipsoid_at[node]].reach;
}

// Compare both ellipsoids, or the one that there is with the other node's box, in the frame of a's box.
static bool are_disjoint( dbvhi_traversal *t, const dbvhi_node_pair *pair, uint32_t a, uint32_t b, bool by_a,
                          bool by_b ) {
	const dbvh_tree *fixed = t->search->meshes.fixed, *moved = t->search->meshes.moved;
	if ( by_a && by_b ) {
		t->ellipsoid_pair_tests += 1;
		return dbvhi_ellipsoids_disjoint( ellipsoid_of( fixed, a ), ellipsoid_of( moved, b ), &pair->rot, pair->pos,
		                                  t->margin );
	}
	t->ellipsoid_box_tests += 1;
	if ( by_a ) {
		const dbvhi_placed_box box = { pair->pos, pair->rot, t->nodes_b[b].half };
		return dbvhi_ellipsoid_box_disjoint( ellipsoid_of( fixed, a ), &box, t->margin );
	}
	const dbvhi_placed_box box = { .axes = dbvhi_frame_mesh().axes, .half = t->nodes_a[a].half };
	const dbvhi_reach reach = dbvhi_reach_place( ellipsoid_of( moved, b ), &pair->rot, pair->pos );
	return dbvhi_ellipsoid_box_disjoint( &reach, &box, t->margin );
}

bool dbvhi_traversal_compare_ellipsoids( dbvhi_traversal *t, const dbvhi_node_pair *pair, uint32_t a, uint32_t b,
                                         bool by_a, bool by_b ) {
	if ( are_disjoint( t, pair, a, b, by_a, by_b ) ) {
		t->ellipsoid_separated += 1;
		return true;
	}
	// A query whose ellipsoids separate nothing stops comparing them.
	if ( --t->ellipsoid_budget == 0 )
		t->with_a.least = t->with_b.least = UINT32_MAX;
	return false;
}
