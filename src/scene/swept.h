// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes round what a body sweeps.

#pragma once

#include "scene/scene.h"

// A box along the axes that encloses every triangle of a tree at every time from `begin` to `end` of a motion, in real
// arithmetic and as computed, grown by `grown` on each side.
void dbvhi_swept_box( const dbvh_tree *tree, const dbvh_motion *motion, double begin, double end, double grown,
                      double box_out[DBVHI_BOX_NUMBERS] );

// How many times its own size a body goes, about.
double dbvhi_sweep_length( const dbvh_tree *tree, const dbvh_motion *motion );
