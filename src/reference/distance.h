// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search for the distance of two trees of any form, in doubles.

#pragma once

#include "query/distance/nearest.h"

// Search on the calling thread; `stack` has room for a traversal of the two trees. Boxes are compared by the axes of
// the policy.
void dbvhi_reference_distance( dbvhi_nearest *search, dbvhi_node_pair *stack, dbvh_policy policy );
