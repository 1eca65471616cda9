// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/tree.h"

#include <string.h>

dbvh_tree_stats dbvh_tree_get_stats( const dbvh_tree *tree ) {
	dbvh_tree_stats stats;
	memset( &stats, 0, sizeof stats );
	if ( tree == NULL )
		return stats;
	const dbvhi_node *root = &tree->root;
	stats.triangle_count = tree->mesh_triangle_count;
	stats.node_count = tree->node_count;
	stats.leaf_count = tree->leaf_count;
	stats.depth = tree->depth;
	stats.bytes = sizeof *tree + tree->triangle_count * sizeof( uint32_t );
	stats.bytes += tree->node_capacity * sizeof( dbvhi_node );
	if ( tree->corners != NULL )
		stats.bytes += 9 * tree->triangle_count * sizeof( double );
	else
		stats.bytes += 3 * ( tree->vertex_count * sizeof( double ) + tree->triangle_count * sizeof( uint32_t ) );
	stats.packed_bytes = tree->packed != NULL ? (size_t)tree->packed->bytes : 0;
	stats.bytes += stats.packed_bytes;
	stats.fragment_count = tree->triangle_count;
	stats.bytes += tree->fragment != NULL ? tree->triangle_count * sizeof *tree->fragment : 0;
	stats.bytes += tree->topology != NULL ? dbvhi_topology_bytes( tree->topology ) : 0;
	stats.bytes += tree->leaf != NULL ? tree->mesh_triangle_count * sizeof( uint32_t ) : 0;
	stats.bytes += dbvhi_twins_bytes( tree->twins );
	if ( tree->ellipsoids != NULL )
		stats.bytes += tree->ellipsoid_capacity * sizeof *tree->ellipsoids + tree->node_count * sizeof( uint32_t ) +
		               ( tree->node_count / 64 + 1 ) * sizeof( uint64_t );
	stats.ellipsoid_count = tree->ellipsoid_count;
	stats.ellipsoid_chosen = tree->ellipsoid_chosen;
	stats.ellipsoid_packed = tree->packed != NULL ? tree->packed->ellipsoid_count : 0;
	stats.sphere.radius = root->radius;
	stats.content_hash = tree->hash;
	for ( int k = 0; k < 3; ++k ) {
		stats.sphere.centre[k] = root->sphere_outside.v[k];
		stats.box.centre[k] = root->pos.v[k];
		stats.box.half[k] = root->half.v[k];
		for ( int r = 0; r < 3; ++r )
			stats.box.axis[k][r] = root->rot.m[r][k];
	}
	return stats;
}
