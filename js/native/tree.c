// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees.

#include "web.h"

dbvh_mesh_view web_mesh_view_of( const void *positions, size_t vertex_count, bool is_float, const uint32_t *indices,
                                 size_t triangle_count ) {
	return ( dbvh_mesh_view ){
	    .positions = positions,
	    .vertex_count = vertex_count,
	    .position_type = is_float ? DBVH_POSITION_TYPE_FLOAT32 : DBVH_POSITION_TYPE_FLOAT64,
	    .indices = indices,
	    .triangle_count = triangle_count,
	    .index_type = indices != NULL ? DBVH_INDEX_TYPE_UINT32 : DBVH_INDEX_TYPE_NONE,
	};
}

dbvh_tree *WEB_EXPORT( web_tree_build )( const void *positions, size_t vertex_count, bool is_float,
                                         const uint32_t *indices, size_t triangle_count, bool topology, bool even_odd,
                                         bool fast, dbvh_fragments fragments ) {
	const dbvh_mesh_view view = web_mesh_view_of( positions, vertex_count, is_float, indices, triangle_count );
	const dbvh_tree_options options = {
	    .thread_count = 1,
	    .topology = topology,
	    .fill = even_odd ? DBVH_FILL_RULE_EVEN_ODD : DBVH_FILL_RULE_NONZERO,
	    .quality = fast ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST,
	    .fragments = fragments,
	};
	dbvh_tree *tree;
	dbvh_tree_build( &view, &options, NULL, &tree, &web_error );
	return tree;
}

void WEB_EXPORT( web_tree_destroy )( dbvh_tree *tree ) {
	dbvh_tree_destroy( tree );
}

// Writes triangle count, bytes, the root's box along the axes of the mesh: centre, three axes, half sides; its sphere.
void WEB_EXPORT( web_tree_stats )( const dbvh_tree *tree, double *out ) {
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	const dbvh_tree_options options = dbvh_tree_get_options( tree );
	*out++ = (double)stats.triangle_count;
	*out++ = (double)stats.bytes;
	*out++ = options.topology;
	out = web_put( out, stats.box.centre, 3 );
	out = web_put( out, &stats.box.axis[0][0], 9 );
	out = web_put( out, stats.box.half, 3 );
	out = web_put( out, stats.sphere.centre, 3 );
	*out = stats.sphere.radius;
}
