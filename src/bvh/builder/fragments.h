// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which triangles of a mesh become fragments (bvh/fragment.h) before a tree is built.

#pragma once

#include "bvh/fragment.h"
#include "dualbvh/mesh.h"

// What a leaf holds in place of a triangle.
typedef struct dbvhi_fragment {
	uint32_t triangle; // in file order
	uint32_t path;
} dbvhi_fragment;

// How far to go.
typedef struct dbvhi_fragment_rule {
	double excess; // what is halved has to be this much longer than it is wide: see fragments.c
	double most;   // fragments, in parts of the triangles
	double left;   // all stay whole if more than this part of their squared lengths would be left; 1: whatever is left
} dbvhi_fragment_rule;

// All fragments of a mesh, by triangle and by path: those of its triangles that are their own `first` (NULL: all), of
// which there are `distinct`. Sets *fragments_out to NULL where all stay whole. Triangles that the mesh has more than
// once do. The caller frees *count_out fragments. Cost: O(n), and some thirty looks at each long triangle.
dbvh_status dbvhi_fragments_choose( const dbvh_mesh_view *view, const uint32_t *first, size_t distinct,
                                    dbvhi_fragment_rule rule, const dbvh_allocator *allocator,
                                    dbvhi_fragment **fragments_out, size_t *count_out );
