// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A mesh while it is being read: two growing arrays and the error that the reader reports to. Readers set the place in
// `error` (line or byte) before they add something, so that a refusal names it.

#pragma once

#include "base/assert.h"
#include "dualbvh/mesh.h"
#include "mesh/polygon.h"
#include "mesh/weld.h"

#include <math.h>
#include <string.h>

// A polygon that is settled in the end: one that named vertices which had not come yet, or a bad one. Its fan, and what
// a refusal is to name.
typedef struct dbvhi_pending_polygon {
	size_t first_triangle, face;
	uint32_t triangle_count;
	int64_t line, byte;
	bool is_bad; // it has been cut in vain, and is to be left out
} dbvhi_pending_polygon;

typedef struct dbvhi_builder {
	dbvh_allocator allocator;
	dbvh_mesh_read_options options;
	dbvh_error *error; // never NULL
	double *positions; // 3 * vertex_count
	uint32_t *indices; // 3 * triangle_count
	size_t vertex_count, vertex_capacity;
	size_t triangle_count, triangle_capacity;
	uint32_t fan[2];       // first and latest corner of the polygon at hand
	uint32_t corner_count; // its corners so far, counted up to 2
	size_t face_count;     // polygons begun so far, for messages
	size_t first_triangle; // first triangle of the polygon at hand
	dbvhi_pending_polygon *pending;
	size_t pending_count, pending_capacity;
	dbvhi_polygon_room polygon_room;
	dbvh_mesh_faces faces;
	dbvh_skipped_face *skipped;
	size_t skipped_count, skipped_capacity;
	uint32_t first_number;  // number of the first vertex in the format, 0 or 1, for messages
	bool has_corners;       // whether any face had a corner; if so:
	uint64_t highest_index; // the highest vertex number seen, its face and place
	size_t highest_face;
	int64_t highest_line, highest_byte;
} dbvhi_builder;

dbvhi_builder dbvhi_builder_make( dbvh_allocator allocator, const dbvh_mesh_read_options *options, dbvh_error *error );
void dbvhi_builder_free( dbvhi_builder *mesh );

// Room for so many more elements at once. The caller bounds the numbers by the bytes it has, not by what they claim.
dbvh_status dbvhi_builder_reserve( dbvhi_builder *mesh, size_t vertices, size_t triangles );

// Gives back the room that is not needed. False where there is no memory for that.
bool dbvhi_builder_trim( dbvhi_builder *mesh );

// The slow halves of the functions below.
dbvh_status dbvhi_builder_grow_vertices( dbvhi_builder *mesh );
dbvh_status dbvhi_builder_grow_triangles( dbvhi_builder *mesh );
dbvh_status dbvhi_builder_not_finite( dbvhi_builder *mesh );

static inline dbvh_status dbvhi_builder_vertex( dbvhi_builder *mesh, const double p[3] ) {
	DBVHI_ASSERT( mesh->vertex_count <= mesh->vertex_capacity );
	if ( !isfinite( p[0] ) || !isfinite( p[1] ) || !isfinite( p[2] ) )
		return dbvhi_builder_not_finite( mesh );
	if ( mesh->vertex_count == mesh->vertex_capacity ) {
		const dbvh_status status = dbvhi_builder_grow_vertices( mesh );
		if ( status != DBVH_OK )
			return status;
	}
	double *at = mesh->positions + 3 * mesh->vertex_count++;
	at[0] = p[0];
	at[1] = p[1];
	at[2] = p[2];
	return DBVH_OK;
}

// Make room in a welder for so many vertices, before the first one.
dbvh_status dbvhi_builder_expect( dbvhi_builder *mesh, dbvhi_welder *welder, size_t count );

// A vertex at a point where there may be one already: *number is its number. For a mesh of which the welder has seen
// all vertices. The coordinates are finite.
dbvh_status dbvhi_builder_weld( dbvhi_builder *mesh, dbvhi_welder *welder, const double p[3], uint32_t *number );

// A triangle of vertices that are there.
static inline dbvh_status dbvhi_builder_triangle( dbvhi_builder *mesh, const uint32_t corners[3] ) {
	DBVHI_ASSERT( mesh->triangle_count <= mesh->triangle_capacity );
	if ( mesh->triangle_count == mesh->triangle_capacity ) {
		const dbvh_status status = dbvhi_builder_grow_triangles( mesh );
		if ( status != DBVH_OK )
			return status;
	}
	memcpy( mesh->indices + 3 * mesh->triangle_count++, corners, 3 * sizeof *corners );
	return DBVH_OK;
}

// A polygon is begun, given corner by corner, and ended. Until then it is a fan of triangles around its first corner.
static inline void dbvhi_builder_face( dbvhi_builder *mesh ) {
	mesh->corner_count = 0;
	mesh->face_count += 1;
	mesh->first_triangle = mesh->triangle_count;
}

// A corner, which may name a vertex that comes later in the file; dbvhi_builder_check_indices() settles that.
dbvh_status dbvhi_builder_corner( dbvhi_builder *mesh, uint64_t vertex );

// The slow half of what follows.
dbvh_status dbvhi_builder_polygon( dbvhi_builder *mesh );

// Ends a polygon: one of more than three corners is cut into triangles properly. MALFORMED where it touches or crosses
// itself, unless the options leave it out. One that names vertices which come later waits for
// dbvhi_builder_check_indices().
static inline dbvh_status dbvhi_builder_face_end( dbvhi_builder *mesh ) {
	DBVHI_ASSERT( mesh->first_triangle <= mesh->triangle_count );
	return mesh->triangle_count < mesh->first_triangle + 2 ? DBVH_OK : dbvhi_builder_polygon( mesh );
}

// Ends the mesh, cuts the polygons that wait, and takes the bad ones out. INDEX_RANGE where a face named a vertex that
// never came, at the place of the face with the highest number.
dbvh_status dbvhi_builder_check_indices( dbvhi_builder *mesh );
