// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// DBVH_QUALITY_FAST: a tree over triangles in the order of a space-filling curve.

#pragma once

#include "dualbvh/mesh.h"
#include "simd/isa.h"

struct dbvh_tree;

// Builds the packed form alone, like dbvhi_build_packed(), but with cheaper splits and fits.
dbvh_status dbvhi_build_fast( struct dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first );

#define DBVHI_CURVE_BITS 11
#define DBVHI_CURVE_LANES 16

// Computes indices on the Hilbert curve of 2^11 cells an axis from coordinates of cells.
typedef void dbvhi_curve_kernel( const uint32_t cell[3][DBVHI_CURVE_LANES], uint64_t place_out[DBVHI_CURVE_LANES] );
extern dbvhi_curve_kernel *const dbvhi_curve_table[DBVHI_ISA_COUNT];

// A triangle of a group that is arranged anew.
typedef struct dbvhi_curve_member {
	float at[3]; // sum of its corners relative to the first triangle's, in cells
	uint32_t number;
} dbvhi_curve_member;

#define DBVHI_CURVE_GROUP 1024 // a power of four

// Arranges up to DBVHI_CURVE_GROUP members by recursive halving along the longest axis, down to the leaves.
typedef void dbvhi_arrange_kernel( dbvhi_curve_member *members, uint32_t count );
extern dbvhi_arrange_kernel *const dbvhi_arrange_table[DBVHI_ISA_COUNT];
