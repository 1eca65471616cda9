// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ellipsoids for nodes of the reference tree, in arrays of their own: trees without are as they were.

#pragma once

#include "bvh/node.h"
#include "dualbvh/tree.h"
#include "primitive/ellipsoid/ellipsoid.h"

// Fits and chooses, as tree->options.ellipsoids says.
dbvh_status dbvhi_add_ellipsoids( dbvh_tree *tree );
