// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// State of one traversal of two reference trees, and the parts of it that do not depend on the overlap policy.

#pragma once

#include "query/common/pair_search.h"

// DBVH_POLICY_DUAL on trees built as by RAPID, in the form in which counts say that it was built into that program
// (docs/experiments/paper.md): the spheres of the roots are not compared, and the node to divide is the one that is
// longer along its axis 2. No policy that a query could ask for.
#define DBVHI_DUAL_IN_RAPID ( (dbvh_policy)0x100 )

// The ellipsoids of a tree's nodes that are to be compared.
typedef struct dbvhi_carriers {
	const uint32_t *at;     // index of each node's ellipsoid, or DBVHI_NO_ELLIPSOID; NULL: no node has one
	const uint64_t *wanted; // a bit a node: compare its ellipsoid; NULL: all are compared
	uint32_t least;         // fewest triangles of a node that has one
} dbvhi_carriers;

typedef struct dbvhi_traversal {
	dbvhi_pair_search *search;
	const dbvhi_node *nodes_a, *nodes_b; // a is the mesh that stays, b the one that is moved
	double margin;
	uint64_t sphere_tests, box_tests, ellipsoid_pair_tests, ellipsoid_box_tests, ellipsoid_separated;
	dbvhi_carriers with_a, with_b;
	bool mixed;                // an ellipsoid is also compared with a box
	uint32_t ellipsoid_budget; // how many comparisons may still separate nothing
} dbvhi_traversal;

// A search below a pair of nodes by one policy. Returns true if the search is over.
typedef bool dbvhi_descent( dbvhi_traversal *t, const dbvhi_node_pair *root );

// The traversal that carries out a policy on two trees.
typedef struct dbvhi_manner {
	dbvh_policy policy; // by which nodes are compared
	dbvhi_descent *descend;
} dbvhi_manner;

// Does the ellipsoid of one node, or those of both, separate two nodes whose boxes overlap? by_a, by_b: that node's
// ellipsoid is compared, with the other's or with its box.
bool dbvhi_traversal_compare_ellipsoids( dbvhi_traversal *t, const dbvhi_node_pair *pair, uint32_t a, uint32_t b,
                                         bool by_a, bool by_b );

// Search below a pair of nodes on up to `thread_count` threads, for which the workspace has been made ready.
void dbvhi_traversal_run_parallel( dbvhi_traversal *t, dbvhi_manner how, const dbvhi_node_pair *root,
                                   uint32_t thread_count );

// Compare all triangles of two leaves. Returns true if the search is over.
bool dbvhi_reference_leaves( dbvhi_pair_search *search, const dbvhi_node *a, const dbvhi_node *b );

// Add the tests of a traversal to the counters of its search.
void dbvhi_traversal_count( const dbvhi_traversal *t );

// ------------------------------------------------------------------------------------------------
// Searches in doubles of two trees of any form (bvh/any_node.h): for pairs of which one has no packed form, and for
// poses that are too far away for floats.

// The pair of the roots: b's box in the frame of a's.
dbvhi_node_pair dbvhi_any_pair_of_roots( const dbvhi_mesh_pair *meshes );

// The pairs one level down: of two nodes the one with the larger sphere is divided, if it is no leaf. Returns their
// number, 0 for two leaves. `a` and `b` are the nodes of the pair.
uint32_t dbvhi_any_pair_divide( const dbvhi_mesh_pair *meshes, const dbvhi_node_pair *at, const dbvhi_node *a,
                                const dbvhi_node *b, dbvhi_node_pair out[DBVHI_WIDTH] );

// Search two trees. Nodes are compared as by DBVH_POLICY_DUAL.
void dbvhi_any_collide( dbvhi_pair_search *search );
