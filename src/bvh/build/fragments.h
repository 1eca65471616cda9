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

// All fragments of a mesh, by triangle and by path: those of its triangles that are their own `first` (NULL: all). Sets
// *fragments_out to NULL where no triangle is worth it, which most meshes with triangles of one size say after a look
// at each triangle. Those that the mesh has more than once stay whole. The caller frees *count_out fragments.
dbvh_status dbvhi_fragments_choose( const dbvh_mesh_view *view, const uint32_t *first, size_t distinct,
                                    const dbvh_allocator *allocator, dbvhi_fragment **fragments_out,
                                    size_t *count_out );
