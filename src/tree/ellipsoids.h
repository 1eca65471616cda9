// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ellipsoids for nodes of the reference tree, in arrays of their own: trees without are as they were.

#pragma once

#include "dualbvh/tree.h"
#include "tree/node.h"
#include "volume/ellipsoid.h"

#define DBVHI_NO_ELLIPSOID UINT32_MAX

// Fits and chooses, as tree->options.ellipsoids says.
dbvh_status dbvhi_add_ellipsoids( dbvh_tree *tree );

// Conservative tests for a traversal: true only if the two are farther apart than `margin`, which bounds what the pose
// of the one in the frame of the other is off (docs/ARCHITECTURE.md, "Margins").

// An ellipsoid and a box: rows of `axes` are the box's axes in the ellipsoid's frame, `offset` leads from the centre of
// the box to that of the ellipsoid.
bool dbvhi_ellipsoid_box_apart( const dbvhi_node_ellipsoid *e, const dbvhi_mat *axes, dbvhi_vec offset, dbvhi_vec half,
                                double margin );

// Two ellipsoids: `rot` and `pos` place the frame of b in that of a.
bool dbvhi_ellipsoids_apart( const dbvhi_node_ellipsoid *a, const dbvhi_node_ellipsoid *b, const dbvhi_mat *rot,
                             dbvhi_vec pos, double margin );
