// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reading a mesh in pieces must give the whole result, whatever the size of the pieces.

#pragma once

#include "dualbvh/mesh.h"
#include "mesh/io/format.h"

#include <string.h>

// The first difference between two outcomes of reading a mesh; NULL if there is none.
static inline const char *outcomes_differ( const dbvh_mesh *a, const dbvh_error *error_a, const dbvh_mesh *b,
                                           const dbvh_error *error_b ) {
	if ( error_a->status != error_b->status )
		return "the status";
	if ( error_a->line != error_b->line || error_a->byte != error_b->byte || error_a->element != error_b->element )
		return "the place of the error";
	if ( strcmp( error_a->text, error_b->text ) != 0 )
		return "the sentence of the error";
	const dbvh_mesh_view view_a = dbvh_mesh_get_view( a ), view_b = dbvh_mesh_get_view( b );
	if ( view_a.vertex_count != view_b.vertex_count || view_a.triangle_count != view_b.triangle_count )
		return "the number of vertices or triangles";
	if ( a == NULL || b == NULL )
		return a == b ? NULL : "whether there is a mesh";
	const dbvh_mesh_faces faces_a = dbvh_mesh_get_faces( a ), faces_b = dbvh_mesh_get_faces( b );
	if ( memcmp( view_a.positions, view_b.positions, view_a.vertex_count * 3 * sizeof( double ) ) != 0 )
		return "a vertex";
	if ( memcmp( view_a.indices, view_b.indices, view_a.triangle_count * 3 * sizeof( uint32_t ) ) != 0 )
		return "a triangle";
	return memcmp( &faces_a, &faces_b, sizeof faces_a ) != 0 ? "what the faces were" : NULL;
}

// The same where the second outcome is that of bytes in such pieces.
static inline const char *pieces_differ( const void *bytes, size_t count, dbvh_mesh_format format, size_t piece,
                                         const dbvh_mesh *mesh, const dbvh_error *error ) {
	dbvh_mesh *other;
	dbvh_error other_error;
	dbvhi_mesh_parse_in_pieces( bytes, count, format, piece, NULL, &other, &other_error );
	const char *difference = outcomes_differ( mesh, error, other, &other_error );
	dbvh_mesh_destroy( other );
	return difference;
}
