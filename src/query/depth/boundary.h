// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which triangles of a mesh are on the boundary of the solid, wholly: outside on one side, inside on the other. Walls
// inside a body that overlaps itself are not.

#pragma once

#include "query/depth/solid.h"

typedef struct dbvhi_boundary {
	const dbvhi_solid *solid;
	uint8_t *known; // by leaf index: 0 not looked at yet, 1 boundary, 2 perhaps not
} dbvhi_boundary;

// Errors: OUT_OF_MEMORY. dbvhi_boundary_end() is to be called whatever this returns.
dbvh_status dbvhi_boundary_begin( dbvhi_boundary *boundary, const dbvhi_solid *solid );
void dbvhi_boundary_end( dbvhi_boundary *boundary );

// True if the triangle is certainly on the boundary, all of it.
bool dbvhi_boundary_has( dbvhi_boundary *boundary, uint32_t leaf );
