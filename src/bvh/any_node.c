// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/any_node.h"

#include "bvh/packed_volume.h"

static const dbvhi_packed_box *box_of( const dbvh_tree *tree, uint32_t node ) {
	DBVHI_ASSERT( node > 0 );
	return &dbvhi_packed_boxes_of( tree->packed )[node - 1];
}

uint32_t dbvhi_any_children( const dbvh_tree *tree, uint32_t node, uint32_t out[DBVHI_WIDTH] ) {
	if ( dbvhi_tree_has_reference( tree ) ) {
		const dbvhi_node *at = &dbvhi_tree_nodes( tree )[node];
		out[0] = at->first;
		out[1] = at->first + 1;
		return dbvhi_node_is_leaf( at ) ? 0 : 2;
	}
	const int32_t below = node == 0 ? 0 : box_of( tree, node )->child;
	if ( below < 0 )
		return 0;
	const dbvhi_packed_spheres *spheres = &dbvhi_packed_spheres_of( tree->packed )[below];
	uint32_t count = 0;
	for ( uint32_t i = 0; i < DBVHI_WIDTH && spheres->radius[i] != DBVHI_NO_CHILD; ++i )
		out[count++] = 1 + DBVHI_WIDTH * (uint32_t)below + i;
	return count;
}

const dbvhi_node *dbvhi_any_node( const dbvh_tree *tree, uint32_t node, dbvhi_node *room ) {
	if ( dbvhi_tree_has_reference( tree ) )
		return &dbvhi_tree_nodes( tree )[node];
	const dbvhi_packed *packed = tree->packed;
	if ( node == 0 ) {
		double centre[3];
		dbvhi_packed_mesh_centre( packed, centre );
		*room = *dbvhi_tree_root( tree );
		for ( int k = 0; k < 3; ++k ) {
			room->pos.v[k] -= centre[k];
			room->sphere_outside.v[k] -= centre[k];
		}
		room->count = 0;
		return room;
	}
	static const double origin[3];
	dbvhi_packed_volume_about( packed, ( node - 1 ) / DBVHI_WIDTH, (int)( ( node - 1 ) % DBVHI_WIDTH ), origin, room );
	const int32_t child = box_of( tree, node )->child;
	const uint32_t leaf = child < 0 ? dbvhi_packed_leaves_of( packed )[~child].first_and_count : 0;
	room->first = leaf >> 2;
	room->count = child < 0 ? ( leaf & 3 ) + 1 : 0;
	return room;
}

void dbvhi_node_seen_from( const dbvhi_node *parent, dbvhi_node *node ) {
	node->rot = dbvhi_mat_mul_transposed( &parent->rot, &node->rot );
	node->pos = dbvhi_mat_apply_transposed( &parent->rot, dbvhi_sub( node->pos, parent->pos ) );
	node->sphere_outside = dbvhi_mat_apply_transposed( &parent->rot, dbvhi_sub( node->sphere_outside, parent->pos ) );
}

const dbvhi_node *dbvhi_any_child( const dbvh_tree *tree, uint32_t parent, uint32_t child, dbvhi_node *room ) {
	if ( dbvhi_tree_has_reference( tree ) )
		return &dbvhi_tree_nodes( tree )[child];
	dbvhi_node above;
	const dbvhi_node *from = dbvhi_any_node( tree, parent, &above );
	dbvhi_any_node( tree, child, room );
	dbvhi_node_seen_from( from, room );
	return room;
}
