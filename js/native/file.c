// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files of meshes and trees, meshes by themselves, and trees whose mesh has changed.

#include "web.h"

#include <stdint.h>

dbvh_status WEB_EXPORT( web_tree_refit )( dbvh_tree *tree, const void *positions, size_t vertex_count, bool is_float,
                                          const uint32_t *indices, size_t triangle_count ) {
	const dbvh_mesh_view view = web_mesh_view_of( positions, vertex_count, is_float, indices, triangle_count );
	return dbvh_tree_refit( tree, &view, &web_error );
}

dbvh_tree *WEB_EXPORT( web_tree_parse )( const void *bytes, size_t byte_count ) {
	dbvh_tree *tree;
	dbvh_tree_parse( bytes, byte_count, NULL, NULL, &tree, &web_error );
	return tree;
}

// Writes the file of a tree to the results, and returns its size; 0 on error.
size_t WEB_EXPORT( web_tree_write )( const dbvh_tree *tree ) {
	size_t count = 0;
	if ( dbvh_tree_write( tree, NULL, 0, &count, &web_error ) != DBVH_OK )
		return 0;
	void *bytes = web_room( WEB_USE_RESULTS, count );
	if ( bytes == NULL || dbvh_tree_write( tree, bytes, count, &count, &web_error ) != DBVH_OK )
		return 0;
	return count;
}

dbvh_mesh *WEB_EXPORT( web_mesh_parse )( const void *bytes, size_t byte_count, dbvh_mesh_format format,
                                         bool skip_bad_faces ) {
	const dbvh_mesh_read_options options = { .skip_bad_faces = skip_bad_faces };
	dbvh_mesh *mesh;
	dbvh_mesh_parse_with( bytes, byte_count, format, &options, NULL, &mesh, &web_error );
	return mesh;
}

dbvh_mesh *WEB_EXPORT( web_tree_mesh )( const dbvh_tree *tree ) {
	dbvh_mesh *mesh;
	dbvh_tree_get_mesh( tree, NULL, &mesh, &web_error );
	return mesh;
}

// Writes the addresses and counts of vertices (doubles) and triangles.
void WEB_EXPORT( web_mesh_view )( const dbvh_mesh *mesh, double *out ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	out[0] = (double)(uintptr_t)view.positions;
	out[1] = (double)view.vertex_count;
	out[2] = (double)(uintptr_t)view.indices;
	out[3] = (double)view.triangle_count;
}

void WEB_EXPORT( web_mesh_destroy )( dbvh_mesh *mesh ) {
	dbvh_mesh_destroy( mesh );
}

// Writes the counts of dbvh_mesh_audit_result in its order, then the bounds.
dbvh_status WEB_EXPORT( web_mesh_audit )( const void *positions, size_t vertex_count, bool is_float,
                                          const uint32_t *indices, size_t triangle_count, double *out ) {
	const dbvh_mesh_view view = web_mesh_view_of( positions, vertex_count, is_float, indices, triangle_count );
	dbvh_mesh_audit_result r;
	const dbvh_status status = dbvh_mesh_audit( &view, NULL, &r, NULL, 0, &web_error );
	const size_t counts[] = { r.vertex_count,    r.distinct_vertex_count,     r.unused_vertex_count,
	                          r.triangle_count,  r.degenerate_triangle_count, r.duplicate_triangle_count,
	                          r.edge_count,      r.boundary_edge_count,       r.nonmanifold_edge_count,
	                          r.component_count, r.closed_component_count,    r.oriented_component_count };
	for ( size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i )
		*out++ = (double)counts[i];
	out = web_put( out, r.bounds.min, 3 );
	web_put( out, r.bounds.max, 3 );
	return status;
}
