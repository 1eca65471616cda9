// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The four triangles of a leaf, measured and packed side by side. Compiled for every instruction set; the results are
// the same in all of them.

#pragma once

#include "bvh/packed/layout.h"
#include "simd/isa.h"

// Their corners relative to the centre of the tree: coordinate i % 3 of corner i / 3 at x[i]. Lanes without a triangle
// repeat the first.
typedef struct dbvhi_leaf_corners {
	double x[9][DBVHI_WIDTH];
	double error; // of the corners of fragments (bvh/fragment.h)
} dbvhi_leaf_corners;

typedef struct dbvhi_leaf_size {
	double largest, edge; // see dbvhi_packed_leaf
	double far[3];        // the largest |coordinate|
} dbvhi_leaf_size;

typedef struct dbvhi_leaf_isa {
	// Of 1 to 4 triangles, by the numbers of their corners.
	void ( *gather )( const double *vertices, const uint32_t *corner, uint32_t count, const double centre[3],
	                  dbvhi_leaf_corners *out );
	// How far they reach along three axes, the columns.
	void ( *reach )( const dbvhi_leaf_corners *corners, const double axes[3][3], double low[3], double high[3] );
	// The square of the largest distance from a point.
	double ( *farthest )( const dbvhi_leaf_corners *corners, const double centre[3] );
	// All of a leaf but its sizes and what it is of.
	void ( *pack )( const dbvhi_leaf_corners *corners, dbvhi_packed_leaf *out, dbvhi_leaf_size *size );
} dbvhi_leaf_isa;

extern const dbvhi_leaf_isa *const dbvhi_leaf_table[DBVHI_ISA_COUNT];
