// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The penetration depth of two convex meshes, from the faces of their Minkowski difference.

#pragma once

#include "dualbvh/interval.h"
#include "query/depth/solid.h"

typedef struct dbvhi_convex_depth {
	dbvh_interval depth;
	double direction[3]; // the moved mesh's, of length 1, rounded
} dbvhi_convex_depth;

// Find the depth of two convex meshes whose interiors are known to overlap. Sets *found_out to false where one of the
// meshes is not convex, or where they are too large for this. Errors: OUT_OF_MEMORY.
dbvh_status dbvhi_convex_depth_find( const dbvhi_solid_pair *pair, dbvhi_convex_depth *out, bool *found_out );

// Bound how much less deep two solids are than the convex hulls of their points: INFINITY where one of them is far from
// convex. Rounded coordinates make most meshes of round things a little concave.
double dbvhi_convex_defect( const dbvhi_solid_pair *pair );
