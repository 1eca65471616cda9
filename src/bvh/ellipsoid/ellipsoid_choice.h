// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The choice of nodes that get an ellipsoid: those for which it would have paid in sample queries of the mesh against
// itself.

#pragma once

#include "bvh/ellipsoid_test.h"
#include "bvh/node.h"
#include "dualbvh/base.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <stdint.h>

struct dbvh_tree;

// DBVHI_ELLIPSOID_THINNEST bounds half lengths, as a part of the mesh's largest half extent; a smaller node, such as
// one of coincident points, has no ellipsoid.
#define DBVHI_ELLIPSOID_THINNEST 0x1p-28
bool dbvhi_may_have_ellipsoid( const struct dbvh_tree *tree, const dbvhi_node *node );

// Lists the nodes that may have an ellipsoid: inner ones, the largest.
uint32_t dbvhi_ellipsoid_candidates( const struct dbvh_tree *tree, uint32_t nodes_out[DBVHI_ELLIPSOIDS_MOST] );

// Sets `chosen` and `packed` of the candidates' ellipsoids; `found` has those of all nodes, others stay unchanged.
// `is_packed` has a bit for each node of the packed form.
dbvh_status dbvhi_choose_ellipsoids( const struct dbvh_tree *tree, const dbvhi_frame *frames, const uint32_t *nodes,
                                     uint32_t count, const uint64_t *is_packed, dbvhi_node_ellipsoid *found );

// Sets `packed` of the largest nodes of the packed form, whatever they gain.
void dbvhi_pack_all_ellipsoids( const struct dbvh_tree *tree, const uint64_t *is_packed, dbvhi_node_ellipsoid *found );
