// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "bvh/packed/pack_piece.h"
#include "query/collide/collide.h"

#include <string.h>

// The least number of nodes of the other mesh for which it pays.
#define LEAST_NODES 8

// Pack the root of a tree as the only child of a node. The volumes of the root enclose the mesh as those of any node of
// the reference tree do, so dbvhi_pack_child() charges for all rounding. Returns false where the sphere's centre is
// farther out than the margin of positions allows for.
static bool pack_root( const dbvh_tree *tree, dbvhi_whole *out ) {
	const dbvhi_node *root = dbvhi_tree_root( tree );
	const dbvhi_frame mesh = dbvhi_frame_mesh(), frame = dbvhi_frame_step( &mesh, root );
	dbvhi_packer packer = { .root_radius = root->radius };
	memcpy( packer.centre, tree->packed->centre, sizeof packer.centre );
	double extent = 0.0;
	dbvhi_clear_packed_node( &out->spheres, out->boxes );
	dbvhi_pack_child( &packer, root, &frame, 1, &out->spheres, &out->boxes[0], 0, &extent );
	out->boxes[0].child = ~0; // counts as a leaf
	return extent <= tree->packed->extent;
}

static bool is_much_smaller( const dbvhi_packed *a, const dbvhi_packed *b ) {
	return a->node_count == 1 && b->node_count >= LEAST_NODES;
}

void dbvhi_packed_push_roots( const dbvhi_mesh_pair *meshes, dbvhi_packed_run *run, dbvhi_whole *room ) {
	DBVHI_ASSERT( run->whole_a == 0 && run->whole_b == 0 );
	const dbvhi_packed *a = meshes->fixed->packed, *b = meshes->moved->packed;
	const bool is_plain = run->ellipsoids == NULL;
	if ( is_plain && is_much_smaller( a, b ) && pack_root( meshes->fixed, room ) ) {
		run->spheres_a = &room->spheres;
		run->boxes_a = room->boxes;
		run->whole_a = a->leaf_count;
		dbvhi_packed_push( run, 0, 0, 0x1111 );
	} else if ( is_plain && is_much_smaller( b, a ) && pack_root( meshes->moved, room ) ) {
		run->spheres_b = &room->spheres;
		run->boxes_b = room->boxes;
		run->whole_b = b->leaf_count;
		dbvhi_packed_push( run, 0, 0, 0xf );
	} else {
		dbvhi_packed_push( run, 0, 0, 0xffff );
	}
}
