// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Cones of the inward normals of a mesh, by which large parts of its surface are seen to face one way.

#pragma once

#include "query/depth/solid.h"
#include "query/overlap/solid_sides.h"

// Make the cones of a mesh, unless it has them. False without memory.
bool dbvhi_cones_make( dbvhi_solid_sides *sides, const dbvh_tree *tree, const dbvh_allocator *allocator );

typedef enum dbvhi_cones_answer {
	DBVHI_CONES_FACE_ONE_WAY, // all normals within reach have a product above DBVHI_LEAST_PRODUCT with the direction
	DBVHI_CONES_DO_NOT,       // one of them has not, or that is not known
	DBVHI_CONES_CUT_SHORT,    // the budget is spent
} dbvhi_cones_answer;

// Normals are off by less than this product: the coordinates of corners are off by 2^-48 of the size, and no triangle
// may be thinner than the rest allows.
#define DBVHI_LEAST_PRODUCT 0x1p-10

// Ask whether the boundary within `reach` of a point faces the direction `way`. Point, direction and normal are in the
// frame of the pair. `other_out`: a normal that does not, nearly of length 1; zero where it is not known.
dbvhi_cones_answer dbvhi_cones_ask( const dbvhi_solid *solid, const dbvhi_solid_sides *sides, const double point[3],
                                    double reach, const double way[3], double other_out[3] );
