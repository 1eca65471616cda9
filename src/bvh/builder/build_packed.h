// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Building the packed form alone: the binary nodes of a piece are discarded as soon as it is packed.

#pragma once

#include "bvh/builder/fragments.h"
#include "dualbvh/mesh.h"

struct dbvh_tree;

// Stores the vertices of a tree whose triangles are in leaf order, in the order of first use. `moved` has room for all
// vertices. False if there is no memory.
bool dbvhi_store_points( struct dbvh_tree *tree, const dbvh_mesh_view *view, uint32_t *moved );

// Builds the same packed form, byte for byte, and order of triangles as dbvhi_build_reference() and dbvhi_pack(), but
// keeps no reference tree. For the default fits and splits and leaves of one triangle. `first` holds the lowest twin of
// each triangle, or is NULL. tree->corners provides nine doubles a triangle and is freed. If the mesh has no packed
// form, leaves tree->packed NULL and tree->corners as it was, with DBVH_OK. With `fragments`, one a leaf index, their
// paths are stored at tree->fragment.
dbvh_status dbvhi_build_packed( struct dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                                const dbvhi_fragment *fragments );
