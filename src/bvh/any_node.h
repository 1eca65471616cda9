// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The nodes of a tree, in doubles, in whichever form it has them: for searches that floats do not serve, since meshes
// are of very different sizes, or poses too far away.
//
// A node is known by a number. In the reference tree that is its place; in a packed form it is 0 for the root, and
// 1 + DBVHI_WIDTH n + i for child i of packed node n. The volumes of a packed node are those that it stores, in the
// axes of the mesh, from the centre of the packed form; see packed/volume.h.

#pragma once

#include "bvh/tree.h"

// The root, placed in the mesh.
static inline const dbvhi_node *dbvhi_any_root( const dbvh_tree *tree ) {
	return dbvhi_tree_has_reference( tree ) ? dbvhi_tree_reference_root( tree ) : dbvhi_tree_root( tree );
}

// The children of a node: two, or up to DBVHI_WIDTH; 0 for a leaf.
uint32_t dbvhi_any_children( const dbvh_tree *tree, uint32_t node, uint32_t out[DBVHI_WIDTH] );

// A node, stored or in `room`, with its extents and spheres; of a leaf, also which triangles are its own. Where it is
// placed depends on the form.
const dbvhi_node *dbvhi_any_node( const dbvh_tree *tree, uint32_t node, dbvhi_node *room );

// The same for a child, which is placed in the frame of the box of its parent.
const dbvhi_node *dbvhi_any_child( const dbvh_tree *tree, uint32_t parent, uint32_t child, dbvhi_node *room );

// Places a packed node, as dbvhi_any_node() has it, in the frame of the box of another one.
void dbvhi_node_seen_from( const dbvhi_node *parent, dbvhi_node *node );

// How many nodes a search that goes depth first has to remember of this tree.
static inline size_t dbvhi_any_room( const dbvh_tree *tree ) {
	return dbvhi_tree_has_reference( tree ) ? tree->depth : ( DBVHI_WIDTH - 1 ) * ( (size_t)tree->packed->depth + 1 );
}
