// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/mesh.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "mesh/view.h"

struct dbvh_mesh {
	dbvh_allocator allocator;
	double *positions;
	uint32_t *indices;
	size_t vertex_count, triangle_count;
	dbvh_mesh_faces faces;
	dbvh_skipped_face *skipped;
	size_t skipped_count;
};

static dbvh_mesh *make_mesh( const dbvh_allocator *allocator, size_t vertex_count, size_t triangle_count ) {
	dbvh_mesh *mesh = dbvhi_alloc( allocator, 1, sizeof *mesh );
	if ( mesh == NULL )
		return NULL;
	*mesh = ( dbvh_mesh ){ .allocator = *allocator, .vertex_count = vertex_count, .triangle_count = triangle_count };
	mesh->positions = dbvhi_alloc( allocator, vertex_count, 3 * sizeof( double ) );
	mesh->indices = dbvhi_alloc( allocator, triangle_count, 3 * sizeof( uint32_t ) );
	if ( mesh->positions == NULL || mesh->indices == NULL ) {
		dbvh_mesh_destroy( mesh );
		return NULL;
	}
	return mesh;
}

static dbvh_status no_memory( dbvh_error *error, size_t vertex_count, size_t triangle_count ) {
	return dbvhi_error_set( error, DBVH_OUT_OF_MEMORY, "no memory for a mesh of %zu vertices and %zu triangles",
	                        vertex_count, triangle_count );
}

dbvh_status dbvhi_mesh_finish( dbvhi_builder *builder, dbvh_mesh **mesh_out ) {
	DBVHI_ASSERT( builder->error != NULL && mesh_out != NULL );
	const size_t vertex_count = builder->vertex_count, triangle_count = builder->triangle_count;
	dbvh_status status = DBVH_OK;
	dbvh_mesh *mesh = NULL;
	if ( triangle_count == 0 ) {
		status = dbvhi_error_set( builder->error, DBVH_EMPTY, "the file has no triangles%s",
		                          builder->skipped_count > 0 ? " but of faces that are left out" : "" );
	} else if ( !dbvhi_builder_trim( builder ) ||
	            ( mesh = dbvhi_alloc( &builder->allocator, 1, sizeof *mesh ) ) == NULL ) {
		status = no_memory( builder->error, vertex_count, triangle_count );
	} else {
		*mesh = ( dbvh_mesh ){ .allocator = builder->allocator,
		                       .positions = builder->positions,
		                       .indices = builder->indices,
		                       .vertex_count = vertex_count,
		                       .triangle_count = triangle_count,
		                       .faces = builder->faces,
		                       .skipped = builder->skipped,
		                       .skipped_count = builder->skipped_count };
		builder->positions = NULL;
		builder->skipped = NULL;
		builder->indices = NULL;
	}
	*mesh_out = mesh;
	dbvhi_builder_free( builder );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_create( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                                     dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( mesh_out, sizeof *mesh_out, "mesh_out", error ) );
	DBVHI_TRY( dbvh_mesh_view_check( view, error ) );
	dbvh_allocator own;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &own, error ) );
	const size_t triangle_count = dbvhi_view_triangle_count( view );
	dbvh_mesh *mesh = make_mesh( &own, view->vertex_count, triangle_count );
	if ( mesh == NULL )
		return no_memory( error, view->vertex_count, triangle_count );
	for ( size_t i = 0; i < view->vertex_count; ++i )
		dbvhi_view_vertex( view, i, mesh->positions + 3 * i );
	for ( size_t i = 0; i < triangle_count; ++i )
		dbvhi_view_triangle( view, i, mesh->indices + 3 * i );
	*mesh_out = mesh;
	return DBVH_OK;
}

dbvh_status dbvh_mesh_create( const dbvh_mesh_view *view, const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                              dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_create( view, allocator, mesh_out, error ) );
}

dbvh_mesh_view dbvh_mesh_get_view( const dbvh_mesh *mesh ) {
	if ( mesh == NULL )
		return ( dbvh_mesh_view ){ .positions = NULL };
	return ( dbvh_mesh_view ){ .positions = mesh->positions,
	                           .vertex_count = mesh->vertex_count,
	                           .indices = mesh->indices,
	                           .triangle_count = mesh->triangle_count };
}

dbvh_mesh_faces dbvh_mesh_get_faces( const dbvh_mesh *mesh ) {
	return mesh != NULL ? mesh->faces : ( dbvh_mesh_faces ){ .polygon_count = 0 };
}

const dbvh_skipped_face *dbvh_mesh_get_skipped_faces( const dbvh_mesh *mesh, size_t *count_out ) {
	if ( count_out != NULL )
		*count_out = mesh != NULL ? mesh->skipped_count : 0;
	return mesh != NULL ? mesh->skipped : NULL;
}

void dbvh_mesh_destroy( dbvh_mesh *mesh ) {
	if ( mesh == NULL )
		return;
	const dbvh_allocator allocator = mesh->allocator;
	dbvhi_free( &allocator, mesh->positions, mesh->vertex_count, 3 * sizeof( double ) );
	dbvhi_free( &allocator, mesh->indices, mesh->triangle_count, 3 * sizeof( uint32_t ) );
	dbvhi_free( &allocator, mesh->skipped, mesh->skipped_count, sizeof *mesh->skipped );
	dbvhi_free( &allocator, mesh, 1, sizeof *mesh );
}
