// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Access to the nodes of a tree in doubles, whichever form it has: for searches whose meshes differ too much in size,
// or lie too far apart, for floats.
//
// A node is known by a number: in the reference tree its index; in the packed form 0 for the root and 1 + DBVHI_WIDTH n
// + i for child i of packed node n. The volumes of a packed node are those stored, in the axes of the mesh, relative to
// the centre of the packed form; see packed_volume.h.

#pragma once

#include "bvh/tree.h"

// Returns the root, placed in the mesh.
static inline const dbvhi_node *dbvhi_any_root( const dbvh_tree *tree ) {
	return dbvhi_tree_has_reference( tree ) ? dbvhi_tree_reference_root( tree ) : dbvhi_tree_root( tree );
}

// Lists the children of a node: two in the reference tree, up to DBVHI_WIDTH in the packed form, 0 for a leaf.
uint32_t dbvhi_any_children( const dbvh_tree *tree, uint32_t node, uint32_t out[DBVHI_WIDTH] );

// Returns a node, stored or filled into `room`: extents, spheres and, for a leaf, its triangles. The frame of its
// position depends on the form.
const dbvhi_node *dbvhi_any_node( const dbvh_tree *tree, uint32_t node, dbvhi_node *room );

// Returns a child, placed in the frame of its parent's box.
const dbvhi_node *dbvhi_any_child( const dbvh_tree *tree, uint32_t parent, uint32_t child, dbvhi_node *room );

// Moves a packed node of dbvhi_any_node() into the frame of the box of another one.
void dbvhi_node_seen_from( const dbvhi_node *parent, dbvhi_node *node );

// Returns the stack size that a depth-first search of this tree needs, in nodes.
static inline size_t dbvhi_any_room( const dbvh_tree *tree ) {
	return dbvhi_tree_has_reference( tree ) ? tree->depth : ( DBVHI_WIDTH - 1 ) * ( (size_t)tree->packed->depth + 1 );
}
