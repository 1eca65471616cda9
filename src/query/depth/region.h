// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The components of the overlap of two solids (dbvh_overlap_find()), in the frame of the pair: their faces, and whether
// a point is in one.

#pragma once

#include "dualbvh/overlap.h"
#include "query/depth/solid.h"
#include "query/overlap/solid_sides.h"

// All components of a pair.
typedef struct dbvhi_regions {
	dbvh_overlap_view view;      // its vertices are in the frame of the pair, body 0 is the fixed one
	double ( *boxes )[6];        // by component: of its vertices, enlarged
	dbvhi_solid_sides *sides[2]; // sides of the fixed and the moved solid
	double rounding;             // bounds how far a vertex is from the exact point
	dbvh_allocator allocator;
} dbvhi_regions;

// Errors: OUT_OF_MEMORY. dbvhi_regions_end() is to be called whatever this returns.
dbvh_status dbvhi_regions_begin( dbvhi_regions *regions, const dbvhi_solid_pair *pair, const dbvh_overlap_view *view );
// The box of all components.
void dbvhi_regions_box( const dbvhi_regions *regions, double box_out[6] );
void dbvhi_regions_end( dbvhi_regions *regions );

// A face, by its number in view.indices, and its box: lower corner, then upper.
typedef struct dbvhi_region_item {
	double box[6];
	uint32_t face;
} dbvhi_region_item;

// One component, with those of its faces that are on one of the bodies, in an order that the search for its depth
// changes.
typedef struct dbvhi_region {
	const dbvhi_regions *all;
	size_t component;
	dbvhi_region_item *faces;
	size_t face_count, capacity;
} dbvhi_region;

dbvh_status dbvhi_region_begin( dbvhi_region *region, const dbvhi_regions *all, size_t component, uint32_t body );
void dbvhi_region_end( dbvhi_region *region );

// The corners of a face.
void dbvhi_region_face( const dbvhi_region *region, uint32_t face, double corners_out[3][3] );
// The triangle that it is a part of, in file order.
uint32_t dbvhi_region_triangle( const dbvhi_region *region, uint32_t face );

// The box of faces [first, first + count).
void dbvhi_region_box( const dbvhi_region *region, uint32_t first, uint32_t count, double box_out[6] );
// Divide them into two halves along the longest side of their box. Returns the size of the first half.
uint32_t dbvhi_region_divide( dbvhi_region *region, uint32_t first, uint32_t count, const double box[6] );

// Tell where a point of both interiors lies that is at least `clear` away from both surfaces: 1 in the component, -1 in
// another one, 0 if that is not certain.
int dbvhi_region_place( const dbvhi_region *region, const double point[3], double clear );
