// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Building the packed form alone: the binary nodes of a piece are forgotten as soon as it is packed.

#pragma once

#include "bvh/builder/fragments.h"
#include "dualbvh/mesh.h"

struct dbvh_tree;

// Of a tree whose triangles are in the order of the leaves: their points, in the order in which they are used first.
// `moved` has room for all vertices. False if there is no memory.
bool dbvhi_store_points( struct dbvh_tree *tree, const dbvh_mesh_view *view, uint32_t *moved );

// Builds what dbvhi_pack() would make of the reference tree, byte for byte, and the triangles in the same order, but
// not that tree. For the default fits and splits and leaves of one triangle. `first` is of each triangle the lowest
// that is the same, or NULL. Memory for nine doubles a triangle lies at tree->corners; it is taken away. Leaves
// tree->packed NULL, with DBVH_OK and tree->corners as it was, where there is no packed form. With `fragments`, as many
// as the tree has triangles, there is memory for their paths at tree->fragment.
dbvh_status dbvhi_build_packed( struct dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                                const dbvhi_fragment *fragments );
