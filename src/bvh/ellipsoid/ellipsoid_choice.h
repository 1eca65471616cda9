// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which nodes get an ellipsoid: those that would have paid in sample queries of the mesh against itself.

#pragma once

#include "bvh/ellipsoid/ellipsoid_test.h"
#include "bvh/node.h"
#include "dualbvh/base.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <stdint.h>

struct dbvh_tree;

// Half lengths are not below this part of the mesh's largest half extent; a node that is smaller, such as one of points
// that are all the same, has none.
#define DBVHI_ELLIPSOID_THINNEST 0x1p-28
bool dbvhi_may_have_ellipsoid( const struct dbvh_tree *tree, const dbvhi_node *node );

// The nodes that may have one: inner ones, the largest.
uint32_t dbvhi_ellipsoid_candidates( const struct dbvh_tree *tree, uint32_t nodes_out[DBVHI_ELLIPSOIDS_MOST] );

// Sets `chosen` and `packed` of these nodes' ellipsoids, `found` being those of all nodes; those of the other nodes
// stay as they are. `is_packed` has a bit for each node that is one of the packed form.
dbvh_status dbvhi_choose_ellipsoids( const struct dbvh_tree *tree, const dbvhi_frame *frames, const uint32_t *nodes,
                                     uint32_t count, const uint64_t *is_packed, dbvhi_node_ellipsoid *found );

// Sets `packed` of the largest nodes of the packed form, whatever they gain.
void dbvhi_pack_all_ellipsoids( const struct dbvh_tree *tree, const uint64_t *is_packed, dbvhi_node_ellipsoid *found );
