// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The system of the paper in its unpacked form: binary trees of spheres, boxes and optional ellipsoids, compared a pair
// of nodes after the other, in doubles, by the overlap policy that a query names. A user chooses it by the policy, the
// benchmark measures it, and the tests hold the packed form against it. It also answers for poses and pairs of trees
// that floats do not reach.
//
// note: an API file of a query is the only one elsewhere that may include this folder, and calls it in one place.

#pragma once

#include "query/common/nearest.h"
#include "query/common/pair_search.h"

// Search two trees. A policy other than the packed ones asks for two reference trees; otherwise trees of any form are
// searched, on the calling thread. `thread_count`: up to that many threads, for which the workspace has been made
// ready.
void dbvhi_reference_collide( dbvhi_pair_search *search, dbvh_policy policy, uint32_t thread_count );

// Make room for that on several threads.
dbvh_status dbvhi_workspace_require_reference( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                               size_t pair_capacity, uint32_t thread_count );

// Search all pairs of triangles of one reference tree, none twice.
void dbvhi_reference_self_collide( dbvhi_pair_search *search, dbvh_policy policy );

// ------------------------------------------------------------------------------------------------
// The search for the distance of two trees of any form, in doubles.

// Search on the calling thread; `stack` has room for a traversal of the two trees. Boxes are compared by the axes of
// the policy.
void dbvhi_reference_distance( dbvhi_nearest *search, dbvhi_node_pair *stack, dbvh_policy policy );
