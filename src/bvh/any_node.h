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

// The sizes of a tree that workspaces have room for. All zero: of no tree.
typedef struct dbvhi_tree_sizes {
	size_t room; // dbvhi_any_room()
	bool is_packed;
	uint32_t packed_depth; // 0: it is not packed
	bool has_fragments;
} dbvhi_tree_sizes;

static inline dbvhi_tree_sizes dbvhi_tree_sizes_of( const dbvh_tree *tree ) {
	return ( dbvhi_tree_sizes ){ .room = dbvhi_any_room( tree ),
	                             .is_packed = tree->packed != NULL,
	                             .packed_depth = tree->packed != NULL ? tree->packed->depth : 0,
	                             .has_fragments = tree->fragment != NULL };
}

// The sizes of a tree that needs as much room as any of two.
static inline dbvhi_tree_sizes dbvhi_tree_sizes_max( dbvhi_tree_sizes a, dbvhi_tree_sizes b ) {
	return ( dbvhi_tree_sizes ){ .room = a.room > b.room ? a.room : b.room,
	                             .is_packed = a.is_packed || b.is_packed,
	                             .packed_depth = a.packed_depth > b.packed_depth ? a.packed_depth : b.packed_depth,
	                             .has_fragments = a.has_fragments || b.has_fragments };
}
