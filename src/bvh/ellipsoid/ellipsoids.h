// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ellipsoids of reference tree nodes, in arrays of their own: trees without them are unchanged.

#pragma once

#include "bvh/node.h"
#include "dualbvh/tree.h"
#include "primitive/ellipsoid/ellipsoid.h"

// Fits and chooses ellipsoids as tree->options.ellipsoids says.
dbvh_status dbvhi_add_ellipsoids( dbvh_tree *tree );
