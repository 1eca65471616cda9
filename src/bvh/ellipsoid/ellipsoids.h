// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ellipsoids for nodes of the reference tree, in arrays of their own: trees without are as they were.

#pragma once

#include "bvh/node.h"
#include "dualbvh/tree.h"
#include "primitive/ellipsoid/ellipsoid.h"

#define DBVHI_NO_ELLIPSOID UINT32_MAX

// Fits and chooses, as tree->options.ellipsoids says.
dbvh_status dbvhi_add_ellipsoids( dbvh_tree *tree );

// R S R^T, for any R: the shape in other coordinates.
void dbvhi_shape_turn( const dbvhi_mat *rot, const double m[6], double out[6] );

// Conservative, for a traversal: true only if the two are farther apart than `margin`, which bounds what the way from
// centre to centre is off (docs/design/margins.md). `rot` and `pos` place the frame of b in that of a; any
// affine map will do.
bool dbvhi_ellipsoids_apart( const dbvhi_reach *a, const dbvhi_reach *b, const dbvhi_mat *rot, dbvhi_vec pos,
                             double margin );
