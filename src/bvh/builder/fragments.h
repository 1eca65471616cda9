// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The choice of triangles that become fragments (bvh/fragment.h) before a tree is built.

#pragma once

#include "bvh/fragment.h"
#include "dualbvh/mesh.h"

// A fragment of a triangle: the content of a leaf index.
typedef struct dbvhi_fragment {
	uint32_t triangle; // index in file order
	uint32_t path;
} dbvhi_fragment;

// Limits of the division.
typedef struct dbvhi_fragment_rule {
	double excess; // least excess of a part that is halved, in mean areas: see fragments.c
	double most;   // most fragments, as a multiple of the triangles
	double left;   // all stay whole if more than this part of the squared lengths would remain; 1: no limit
} dbvhi_fragment_rule;

// Lists the fragments of a mesh by triangle and path, for the triangles that are their own `first` (NULL: all), of
// which there are `distinct`. Triangles with twins stay whole. Sets *fragments_out to NULL if all stay whole; otherwise
// the caller frees *count_out fragments. Cost: O(n), and some thirty visits of each long triangle.
dbvh_status dbvhi_fragments_choose( const dbvh_mesh_view *view, const uint32_t *first, size_t distinct,
                                    dbvhi_fragment_rule rule, const dbvh_allocator *allocator,
                                    dbvhi_fragment **fragments_out, size_t *count_out );
