// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Searches in doubles of two trees of any form (bvh/any_node.h): for pairs of which one has no packed form, and for
// poses that are too far away for floats.

#pragma once

#include "query/common/pair_search.h"

// The pair of the roots: b's box in the frame of a's.
dbvhi_node_pair dbvhi_any_pair_of_roots( const dbvhi_mesh_pair *meshes );

// The pairs one level down: of two nodes the one with the larger sphere is divided, if it is no leaf. Returns their
// number, 0 for two leaves. `a` and `b` are the nodes of the pair.
uint32_t dbvhi_any_pair_divide( const dbvhi_mesh_pair *meshes, const dbvhi_node_pair *at, const dbvhi_node *a,
                                const dbvhi_node *b, dbvhi_node_pair out[DBVHI_WIDTH] );

// Search two trees. Nodes are compared as by DBVH_POLICY_DUAL.
void dbvhi_any_collide( dbvhi_pair_search *search );
