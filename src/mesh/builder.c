// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/builder.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"

#define VERTEX_SIZE ( 3 * sizeof( double ) )
#define TRIANGLE_SIZE ( 3 * sizeof( uint32_t ) )

dbvhi_builder dbvhi_builder_make( dbvh_allocator allocator, const dbvh_mesh_read_options *options, dbvh_error *error ) {
	DBVHI_ASSERT( error != NULL && options != NULL );
	return ( dbvhi_builder ){ .allocator = allocator, .options = *options, .error = error };
}

void dbvhi_builder_free( dbvhi_builder *mesh ) {
	dbvhi_free( &mesh->allocator, mesh->positions, mesh->vertex_capacity, VERTEX_SIZE );
	dbvhi_free( &mesh->allocator, mesh->indices, mesh->triangle_capacity, TRIANGLE_SIZE );
	dbvhi_free( &mesh->allocator, mesh->pending, mesh->pending_capacity, sizeof *mesh->pending );
	dbvhi_free( &mesh->allocator, mesh->skipped, mesh->skipped_capacity, sizeof *mesh->skipped );
	dbvhi_polygon_room_free( &mesh->polygon_room, &mesh->allocator );
	mesh->positions = NULL;
	mesh->skipped = NULL;
	mesh->skipped_count = mesh->skipped_capacity = 0;
	mesh->indices = NULL;
	mesh->pending = NULL;
	mesh->pending_count = mesh->pending_capacity = 0;
	mesh->vertex_count = mesh->vertex_capacity = 0;
	mesh->triangle_count = mesh->triangle_capacity = 0;
}

// To so many elements exactly, or to as many as doubling gives.
static dbvh_status grow( dbvhi_builder *mesh, void *array, size_t *capacity, size_t needed, bool exactly, size_t size,
                         const char *what ) {
	DBVHI_ASSERT( size > 0 );
	if ( needed > DBVH_MAX_ELEMENTS )
		return dbvhi_error_set( mesh->error, DBVH_LIMIT, "the file has more than 2^30 %s", what );
	if ( needed <= *capacity )
		return DBVH_OK;
	if ( exactly ? !dbvhi_resize_array( &mesh->allocator, array, capacity, needed, size )
	             : !dbvhi_grow_array( &mesh->allocator, array, capacity, needed, size ) )
		return dbvhi_error_set( mesh->error, DBVH_OUT_OF_MEMORY, "no memory for %zu %s", needed, what );
	return DBVH_OK;
}

static dbvh_status grow_vertices( dbvhi_builder *mesh, size_t needed, bool exactly ) {
	return grow( mesh, &mesh->positions, &mesh->vertex_capacity, needed, exactly, VERTEX_SIZE, "vertices" );
}

static dbvh_status grow_triangles( dbvhi_builder *mesh, size_t needed, bool exactly ) {
	return grow( mesh, &mesh->indices, &mesh->triangle_capacity, needed, exactly, TRIANGLE_SIZE, "triangles" );
}

dbvh_status dbvhi_builder_grow_vertices( dbvhi_builder *mesh ) {
	DBVHI_ASSERT( mesh->vertex_count == mesh->vertex_capacity );
	return grow_vertices( mesh, mesh->vertex_count + 1, false );
}

dbvh_status dbvhi_builder_grow_triangles( dbvhi_builder *mesh ) {
	DBVHI_ASSERT( mesh->triangle_count == mesh->triangle_capacity );
	return grow_triangles( mesh, mesh->triangle_count + 1, false );
}

dbvh_status dbvhi_builder_reserve( dbvhi_builder *mesh, size_t vertices, size_t triangles ) {
	const dbvh_status status = grow_vertices( mesh, mesh->vertex_count + vertices, true );
	return status != DBVH_OK ? status : grow_triangles( mesh, mesh->triangle_count + triangles, true );
}

bool dbvhi_builder_trim( dbvhi_builder *mesh ) {
	return dbvhi_resize_array( &mesh->allocator, &mesh->positions, &mesh->vertex_capacity, mesh->vertex_count,
	                           VERTEX_SIZE ) &&
	       dbvhi_resize_array( &mesh->allocator, &mesh->indices, &mesh->triangle_capacity, mesh->triangle_count,
	                           TRIANGLE_SIZE ) &&
	       ( mesh->skipped_count == 0 || dbvhi_resize_array( &mesh->allocator, &mesh->skipped, &mesh->skipped_capacity,
	                                                         mesh->skipped_count, sizeof *mesh->skipped ) );
}

static dbvh_status refuse_weld( dbvhi_builder *mesh, size_t count ) {
	return dbvhi_error_set( mesh->error, DBVH_OUT_OF_MEMORY, "no memory to join the corners of %zu vertices", count );
}

dbvh_status dbvhi_builder_expect( dbvhi_builder *mesh, dbvhi_welder *welder, size_t count ) {
	return dbvhi_welder_reserve( welder, count, &mesh->allocator ) ? DBVH_OK : refuse_weld( mesh, count );
}

dbvh_status dbvhi_builder_weld( dbvhi_builder *mesh, dbvhi_welder *welder, const double p[3], uint32_t *number ) {
	const dbvh_mesh_view view = { .positions = mesh->positions, .vertex_count = mesh->vertex_count };
	if ( !dbvhi_welder_has_room( welder, mesh->vertex_count ) && !dbvhi_welder_grow( welder, &view, &mesh->allocator ) )
		return refuse_weld( mesh, mesh->vertex_count );
	*number = dbvhi_welder_find( welder, &view, p, (uint32_t)mesh->vertex_count );
	return *number < mesh->vertex_count ? DBVH_OK : dbvhi_builder_vertex( mesh, p );
}

dbvh_status dbvhi_builder_not_finite( dbvhi_builder *mesh ) {
	DBVHI_ASSERT( mesh->error != NULL );
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
	const uint32_t corners[3] = { mesh->fan[0], mesh->fan[1], corner };
	mesh->fan[1] = corner;
	return dbvhi_builder_triangle( mesh, corners );
}

static dbvh_status refuse_polygon( dbvhi_builder *mesh, const dbvhi_polygon *found, size_t face, size_t corner_count ) {
	if ( found->kind == DBVHI_POLYGON_NO_MEMORY )
		return dbvhi_error_set( mesh->error, DBVH_OUT_OF_MEMORY, "no memory for a face of %zu corners", corner_count );
	mesh->error->element = (int64_t)face;
	const uint32_t *c = found->corner;
	if ( found->kind == DBVHI_POLYGON_REPEATED )
		return dbvhi_error_set( mesh->error, DBVH_MALFORMED,
		                        "face %zu comes to one point twice, at its corners %u and %u, of %zu; skip_bad_faces "
		                        "(--skip-bad-faces) goes "
		                        "on without it",
		                        face, c[0], c[1], corner_count );
	return dbvhi_error_set( mesh->error, DBVH_MALFORMED,
	                        "face %zu crosses or touches itself (its corners or edges %u and %u, of %zu); "
	                        "skip_bad_faces (--skip-bad-faces) goes on without it",
	                        face, c[0], c[1], corner_count );
}

// *is_bad: it is to be left out.
static dbvh_status cut_polygon( dbvhi_builder *mesh, size_t first_triangle, size_t triangle_count, size_t face,
                                bool *is_bad ) {
	DBVHI_ASSERT( first_triangle + triangle_count <= mesh->triangle_count );
	const dbvhi_polygon found = dbvhi_polygon_cut( mesh->positions, mesh->indices + 3 * first_triangle,
	                                               triangle_count + 2, &mesh->polygon_room, &mesh->allocator );
	*is_bad = found.kind == DBVHI_POLYGON_REPEATED || found.kind == DBVHI_POLYGON_CROSSING;
	if ( *is_bad && mesh->options.skip_bad_faces )
		return DBVH_OK;
	if ( *is_bad || found.kind == DBVHI_POLYGON_NO_MEMORY )
		return refuse_polygon( mesh, &found, face, triangle_count + 2 );
	mesh->faces.polygon_count += 1;
	mesh->faces.concave_count += found.concave;
	mesh->faces.nonplanar_count += found.nonplanar;
	return DBVH_OK;
}

dbvh_status dbvhi_builder_polygon( dbvhi_builder *mesh ) {
	DBVHI_ASSERT( mesh->triangle_count >= mesh->first_triangle + 2 );
	const size_t first = mesh->first_triangle, count = mesh->triangle_count - first;
	bool complete = true, is_bad = false;
	for ( size_t i = 3 * first; i < 3 * mesh->triangle_count; ++i )
		complete = complete && mesh->indices[i] < mesh->vertex_count;
	dbvh_status status = complete ? cut_polygon( mesh, first, count, mesh->face_count - 1, &is_bad ) : DBVH_OK;
	if ( status != DBVH_OK || ( complete && !is_bad ) )
		return status;
	status = grow( mesh, &mesh->pending, &mesh->pending_capacity, mesh->pending_count + 1, false, sizeof *mesh->pending,
	               "faces" );
	if ( status == DBVH_OK )
		mesh->pending[mesh->pending_count++] = ( dbvhi_pending_polygon ){
		    first, mesh->face_count - 1, (uint32_t)count, mesh->error->line, mesh->error->byte, is_bad };
	return status;
}

// The face that `p` tells of is left out; `triangle` triangles before it are not.
static dbvh_status skip( dbvhi_builder *mesh, const dbvhi_pending_polygon *p, size_t triangle ) {
	const dbvh_status status = grow( mesh, &mesh->skipped, &mesh->skipped_capacity, mesh->skipped_count + 1, false,
	                                 sizeof *mesh->skipped, "faces" );
	if ( status == DBVH_OK )
		mesh->skipped[mesh->skipped_count++] =
		    ( dbvh_skipped_face ){ p->face, (size_t)p->triangle_count + 2, triangle, p->line, p->byte };
	return status;
}

// Closes the gap between the kept triangles and those from `first` to before `end`. Returns how many are kept then.
static size_t keep( dbvhi_builder *mesh, size_t kept, size_t first, size_t end ) {
	DBVHI_ASSERT( kept <= first && first <= end && end <= mesh->triangle_count );
	if ( kept < first )
		memmove( mesh->indices + 3 * kept, mesh->indices + 3 * first, ( end - first ) * TRIANGLE_SIZE );
	return kept + ( end - first );
}

static dbvh_status take_bad_out( dbvhi_builder *mesh ) {
	size_t kept = 0, next = 0;
	for ( size_t i = 0; i < mesh->pending_count; ++i ) {
		const dbvhi_pending_polygon *p = &mesh->pending[i];
		if ( !p->is_bad )
			continue;
		kept = keep( mesh, kept, next, p->first_triangle );
		next = p->first_triangle + p->triangle_count;
		DBVHI_TRY( skip( mesh, p, kept ) );
	}
	mesh->triangle_count = keep( mesh, kept, next, mesh->triangle_count );
	return DBVH_OK;
}

static dbvh_status settle_pending( dbvhi_builder *mesh ) {
	for ( size_t i = 0; i < mesh->pending_count; ++i ) {
		dbvhi_pending_polygon *p = &mesh->pending[i];
		if ( p->is_bad )
			continue;
		mesh->error->line = p->line;
		mesh->error->byte = p->byte;
		DBVHI_TRY( cut_polygon( mesh, p->first_triangle, p->triangle_count, p->face, &p->is_bad ) );
	}
	return take_bad_out( mesh );
}

dbvh_status dbvhi_builder_check_indices( dbvhi_builder *mesh ) {
	if ( !mesh->has_corners || mesh->highest_index < mesh->vertex_count )
		return settle_pending( mesh );
	mesh->error->line = mesh->highest_line;
	mesh->error->byte = mesh->highest_byte;
	mesh->error->element = (int64_t)mesh->highest_face;
	return dbvhi_error_set( mesh->error, DBVH_INDEX_RANGE, "face %zu names vertex %llu, but there are %zu vertices",
	                        mesh->highest_face, (unsigned long long)mesh->highest_index + mesh->first_number,
	                        mesh->vertex_count );
}
