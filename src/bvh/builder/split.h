// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where a node's triangles are divided.

#pragma once

#include "bvh/builder/fit.h"

// Rearranges the triangles so that the first part goes left, and returns how many that is, at least 1 and less than
// `count` (at least 2). By the mean of the surface on the box's longest axis; if that leaves one side empty, on the
// next longest; if all do, in two halves as they lie (Gottschalk, Lin and Manocha 1996, section 4).
size_t dbvhi_split_mean( const dbvhi_part *part, const dbvhi_fit *fit );

// By the mean of the surface along the direction of its largest variance, whatever the box's axes; in two halves as
// they lie where that leaves one side empty. What the program RAPID does.
size_t dbvhi_split_variance( const dbvhi_part *part, const dbvhi_fit *fit );

// Where the two halves are expected to cost least: sum over the halves of the expected overlap of the half's box, in
// this node's axes, times log2( 1 + n ), the steps down to one of its n triangles. Every position on all three axes is
// tried in small nodes, 31 in large ones. Above four triangles small nodes are only divided so that one side is a
// multiple of four, which fills the leaves of the packed tree; of very large ones a sample decides. Falls back on
// dbvhi_split_mean().
size_t dbvhi_split_cost( const dbvhi_part *part, const dbvhi_fit *fit );

// By the median on the longest axis, for branches that means have left too deep. `keys` has room for `count`.
size_t dbvhi_split_median( const dbvhi_part *part, const dbvhi_fit *fit, uint64_t *keys );
