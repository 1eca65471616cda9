// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where a node's triangles are divided.

#pragma once

#include "tree/fit.h"

// Rearranges the triangles so that the first part goes left, and returns how many that is, at least 1 and less than
// `count` (at least 2). By the mean of the surface on the box's longest axis; if that leaves one side empty, on the
// next longest; if all do, in two halves as they lie (Gottschalk, Lin and Manocha 1996, section 4).
size_t dbvhi_split_mean( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit );

// The same at the median, for branches that means have left too deep. `keys` has room for `count`.
size_t dbvhi_split_median( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit, uint64_t *keys );
