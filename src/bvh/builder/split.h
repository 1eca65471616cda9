// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Splitting the triangles of a node. Each function rearranges them so that the first part goes left, and returns its
// size, at least 1 and less than `count` (at least 2).

#pragma once

#include "bvh/builder/fit.h"

// Splits by the mean of the surface on the box's longest axis; if that leaves one side empty, on the next longest; if
// all do, in two halves as they lie (Gottschalk, Lin and Manocha 1996, section 4).
size_t dbvhi_split_mean( const dbvhi_part *part, const dbvhi_fit *fit );

// Splits by the mean of the surface along the direction of its largest variance, whatever the box's axes; in two halves
// as they lie if that leaves one side empty. RAPID's split.
size_t dbvhi_split_variance( const dbvhi_part *part, const dbvhi_fit *fit );

// Splits where the expected cost is least: the sum over both sides of the expected overlap of the side's box, in this
// node's axes, times log2( 1 + n ), the steps down to one of its n triangles. Every position on all three axes is tried
// in small nodes, 31 in large ones. Small nodes of more than four triangles are split only so that one side is a
// multiple of four, which fills the leaves of the packed form; in very large ones a sample decides. Falls back on
// dbvhi_split_mean().
size_t dbvhi_split_cost( const dbvhi_part *part, const dbvhi_fit *fit );

// Splits at the median on the longest axis, for branches that other splits have left too deep. `keys` has room for
// `count`.
size_t dbvhi_split_median( const dbvhi_part *part, const dbvhi_fit *fit, uint64_t *keys );
