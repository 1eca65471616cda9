// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/build.h"

#include "base/alloc.h"
#include "base/status.h"

#define VERTEX_SIZE ( 3 * sizeof( double ) )
#define TRIANGLE_SIZE ( 3 * sizeof( uint32_t ) )

dbvhi_builder dbvhi_builder_make( dbvh_allocator allocator, dbvh_error *error ) {
	return ( dbvhi_builder ){ .allocator = allocator, .error = error };
}

void dbvhi_builder_free( dbvhi_builder *mesh ) {
	dbvhi_free( &mesh->allocator, mesh->positions, mesh->vertex_capacity, VERTEX_SIZE );
	dbvhi_free( &mesh->allocator, mesh->indices, mesh->triangle_capacity, TRIANGLE_SIZE );
	mesh->positions = NULL;
	mesh->indices = NULL;
	mesh->vertex_count = mesh->vertex_capacity = 0;
	mesh->triangle_count = mesh->triangle_capacity = 0;
}

static dbvh_status grow( dbvhi_builder *mesh, void **memory, size_t *capacity, size_t needed, size_t size,
                         const char *what ) {
	if ( needed > DBVH_MAX_ELEMENTS )
		return dbvhi_error_set( mesh->error, DBVH_LIMIT, "the file has more than 2^30 %s", what );
	if ( !dbvhi_grow( &mesh->allocator, memory, capacity, needed, size ) )
		return dbvhi_error_set( mesh->error, DBVH_OUT_OF_MEMORY, "no memory for %zu %s", needed, what );
	return DBVH_OK;
}

static dbvh_status grow_vertices( dbvhi_builder *mesh, size_t needed ) {
	void *memory = mesh->positions;
	const dbvh_status status = grow( mesh, &memory, &mesh->vertex_capacity, needed, VERTEX_SIZE, "vertices" );
	mesh->positions = memory;
	return status;
}

static dbvh_status grow_triangles( dbvhi_builder *mesh, size_t needed ) {
	void *memory = mesh->indices;
	const dbvh_status status = grow( mesh, &memory, &mesh->triangle_capacity, needed, TRIANGLE_SIZE, "triangles" );
	mesh->indices = memory;
	return status;
}

dbvh_status dbvhi_builder_grow_vertices( dbvhi_builder *mesh ) {
	return grow_vertices( mesh, mesh->vertex_count + 1 );
}

dbvh_status dbvhi_builder_grow_triangles( dbvhi_builder *mesh ) {
	return grow_triangles( mesh, mesh->triangle_count + 1 );
}

dbvh_status dbvhi_builder_reserve( dbvhi_builder *mesh, size_t vertices, size_t triangles ) {
	const dbvh_status status = grow_vertices( mesh, mesh->vertex_count + vertices );
	return status != DBVH_OK ? status : grow_triangles( mesh, mesh->triangle_count + triangles );
}

dbvh_status dbvhi_builder_not_finite( dbvhi_builder *mesh ) {
	mesh->error->element = (int64_t)mesh->vertex_count;
	return dbvhi_error_set( mesh->error, DBVH_NOT_FINITE, "vertex %zu has a coordinate that is NaN or infinite",
	                        mesh->vertex_count );
}

dbvh_status dbvhi_builder_corner( dbvhi_builder *mesh, uint64_t vertex ) {
	if ( vertex > mesh->highest_index || !mesh->has_corners ) {
		mesh->has_corners = true;
		mesh->highest_index = vertex;
		mesh->highest_face = mesh->face_count - 1;
		mesh->highest_line = mesh->error->line;
		mesh->highest_byte = mesh->error->byte;
	}
	// A number too large to store is larger than any vertex count, and so the highest one is reported in the end.
	const uint32_t corner = vertex < UINT32_MAX ? (uint32_t)vertex : UINT32_MAX;
	if ( mesh->corner_count < 2 ) {
		mesh->fan[mesh->corner_count++] = corner;
		return DBVH_OK;
	}
	if ( mesh->triangle_count == mesh->triangle_capacity ) {
		const dbvh_status status = dbvhi_builder_grow_triangles( mesh );
		if ( status != DBVH_OK )
			return status;
	}
	uint32_t *at = mesh->indices + 3 * mesh->triangle_count++;
	at[0] = mesh->fan[0];
	at[1] = mesh->fan[1];
	at[2] = corner;
	mesh->fan[1] = corner;
	return DBVH_OK;
}

dbvh_status dbvhi_builder_check_indices( dbvhi_builder *mesh ) {
	if ( !mesh->has_corners || mesh->highest_index < mesh->vertex_count )
		return DBVH_OK;
	mesh->error->line = mesh->highest_line;
	mesh->error->byte = mesh->highest_byte;
	mesh->error->element = (int64_t)mesh->highest_face;
	return dbvhi_error_set( mesh->error, DBVH_INDEX_RANGE, "face %zu names vertex %llu, but there are %zu vertices",
	                        mesh->highest_face, (unsigned long long)mesh->highest_index + mesh->first_number,
	                        mesh->vertex_count );
}
