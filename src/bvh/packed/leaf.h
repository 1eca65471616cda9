// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Measuring and packing the four triangles of a leaf side by side. Compiled for every instruction set; the results are
// the same in all of them.

#pragma once

#include "bvh/packed_layout.h"
#include "simd/isa.h"

// Corners relative to the centre of the tree: coordinate i % 3 of corner i / 3 at x[i]. Unused lanes repeat the first
// triangle.
typedef struct dbvhi_leaf_corners {
	double x[9][DBVHI_WIDTH];
	double error; // error of the corners of fragments (bvh/fragment.h)
} dbvhi_leaf_corners;

typedef struct dbvhi_leaf_size {
	double largest, edge; // see dbvhi_packed_leaf
	double far[3];        // the largest |coordinate|
} dbvhi_leaf_size;

typedef struct dbvhi_leaf_isa {
	// Gathers 1 to 4 triangles by the indices of their vertices.
	void ( *gather )( const double *vertices, const uint32_t *corner, uint32_t count, const double centre[3],
	                  dbvhi_leaf_corners *out );
	// Computes the extents along three axes, the columns of `axes`.
	void ( *reach )( const dbvhi_leaf_corners *corners, const double axes[3][3], double low[3], double high[3] );
	// Returns the largest squared distance from a point.
	double ( *farthest )( const dbvhi_leaf_corners *corners, const double centre[3] );
	// Packs a leaf except `sizes` and `first_and_count`.
	void ( *pack )( const dbvhi_leaf_corners *corners, dbvhi_packed_leaf *out, dbvhi_leaf_size *size );
} dbvhi_leaf_isa;

extern const dbvhi_leaf_isa *const dbvhi_leaf_table[DBVHI_ISA_COUNT];
