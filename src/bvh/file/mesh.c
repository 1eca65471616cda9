// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_tree_get_mesh(): the mesh of a tree.

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "bvh/tree.h"
#include "dualbvh/tree_file.h"

// Sets the vertices of every triangle of the mesh, those of the kept one for twins.
static void put_triangles( const dbvh_tree *tree, uint32_t *indices ) {
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		uint32_t count;
		const uint32_t *numbers = dbvhi_tree_twins( tree, (uint32_t)i, &count );
		for ( uint32_t k = 0; k < count; ++k ) {
			for ( uint32_t c = 0; c < 3; ++c )
				indices[3 * (size_t)numbers[k] + c] =
				    tree->corner != NULL ? tree->corner[3 * i + c] : 3 * (uint32_t)i + c;
		}
	}
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_get_mesh( const dbvh_tree *tree, const dbvh_allocator *allocator,
                                                       dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( mesh_out, sizeof *mesh_out, "mesh_out", error ) );
	if ( tree == NULL )
		return dbvhi_error_null( error, "tree" );
	dbvh_allocator own;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &own, error ) );
	const size_t count = tree->mesh_triangle_count;
	dbvh_mesh_view view = { .triangle_count = count };
	if ( tree->topology != NULL ) {
		view.positions = tree->topology->position;
		view.vertex_count = tree->topology->point_count;
		view.indices = tree->topology->corner;
		return dbvh_mesh_create( &view, &own, mesh_out, error );
	}
	view.positions = tree->corners != NULL ? tree->corners : tree->vertices;
	view.vertex_count = tree->corners != NULL ? 3 * tree->triangle_count : tree->vertex_count;
	if ( view.vertex_count > DBVH_MAX_ELEMENTS )
		return dbvhi_error_set( error, DBVH_LIMIT, "the mesh would have more than 2^30 vertices" );
	uint32_t *indices = dbvhi_alloc( &own, count, 3 * sizeof *indices );
	if ( indices == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	put_triangles( tree, indices );
	view.indices = indices;
	const dbvh_status created = dbvh_mesh_create( &view, &own, mesh_out, error );
	dbvhi_free( &own, indices, count, 3 * sizeof *indices );
	return created;
}

dbvh_status dbvh_tree_get_mesh( const dbvh_tree *tree, const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_get_mesh( tree, allocator, mesh_out, error ) );
}
