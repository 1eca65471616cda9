// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The triangles of a mesh that are on the boundary of the solid, wholly: outside on one side, inside on the other.
// Walls inside a body that overlaps itself are not.

#pragma once

#include "query/depth/cones.h"

typedef struct dbvhi_boundary {
	const dbvhi_solid *solid;
	// The side of each triangle in file order on which the solid is, from query/overlap/solid_sides.h; NULL: not known.
	const int8_t *sides;
	const dbvhi_solid_sides *cones; // the cones of the mesh; NULL: not made
	// A number by leaf index, where sides are not known: 0 not looked at yet, 1 boundary with the inside of the solid
	// along its normal, (corner 1
	// - corner 0) x (corner 2 - corner 0), 2 with the inside against it, 3 perhaps not boundary.
	uint8_t *known;
} dbvhi_boundary;

// Errors: OUT_OF_MEMORY. dbvhi_boundary_end() is to be called whatever this returns.
dbvh_status dbvhi_boundary_begin( dbvhi_boundary *boundary, const dbvhi_solid *solid, const int8_t *sides );
void dbvhi_boundary_end( dbvhi_boundary *boundary );

// 1 or -1 if the triangle is certainly on the boundary, all of it, with the inside along its normal or against it; else
// 0.
int dbvhi_boundary_side( dbvhi_boundary *boundary, uint32_t leaf );
// The same as far as it is known already, else 0. This one needs no workspace.
int dbvhi_boundary_known( const dbvhi_boundary *boundary, uint32_t leaf );
