// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of a fuzzer of mesh files, and of the replay of its corpus.

#pragma once

#include "body.h"
#include "support/pieces.h"

// Parses the bytes. What is accepted must be a sound mesh, whose audit adds up; what is refused must say why; the
// size of pieces makes no difference.
static inline dbvh_status fuzz_parse( const void *bytes, size_t count, dbvh_mesh_format format ) {
	dbvh_mesh *mesh = NULL;
	dbvh_error error;
	const dbvh_status status = dbvh_mesh_parse( bytes, count, format, NULL, &mesh, &error );
	FUZZ_REQUIRE( error.status == status );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( mesh != NULL ) );
	FUZZ_REQUIRE( memchr( error.text, '\0', sizeof error.text ) != NULL );
	FUZZ_REQUIRE( ( status == DBVH_OK ) == ( error.text[0] == '\0' ) );
	FUZZ_REQUIRE( error.byte >= -1 && error.byte <= (int64_t)count );
	FUZZ_REQUIRE( error.line >= 0 && error.line <= (int64_t)count + 1 );
	// In pieces, of a size that the content decides.
	size_t piece = 1;
	for ( size_t i = 0; i < count && i < 256; ++i )
		piece = ( 31 * piece + ( (const unsigned char *)bytes )[i] ) % 61;
	FUZZ_REQUIRE( pieces_differ( bytes, count, format, piece + 1, mesh, &error ) == NULL );
	if ( status != DBVH_OK )
		return status;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	FUZZ_REQUIRE( dbvh_mesh_view_check( &view, NULL ) == DBVH_OK );
	// A triangle takes a byte in the densest format there is, a list of one-byte numbers.
	FUZZ_REQUIRE( view.triangle_count <= count && view.vertex_count <= count );
	dbvh_mesh_audit_result r;
	FUZZ_REQUIRE( dbvh_mesh_audit( &view, NULL, &r, NULL, 0, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( r.triangle_count == view.triangle_count && r.vertex_count == view.vertex_count );
	FUZZ_REQUIRE( r.distinct_vertex_count <= r.vertex_count && r.unused_vertex_count < r.vertex_count );
	FUZZ_REQUIRE( r.component_count >= 1 && r.component_count <= r.triangle_count );
	FUZZ_REQUIRE( r.closed_component_count <= r.component_count );
	FUZZ_REQUIRE( r.edge_count <= 3 * ( r.triangle_count - r.degenerate_triangle_count ) );
	FUZZ_REQUIRE( r.boundary_edge_count + r.nonmanifold_edge_count <= r.edge_count );
	for ( int axis = 0; axis < 3; ++axis )
		FUZZ_REQUIRE( r.bounds.min[axis] <= r.bounds.max[axis] );
	dbvh_mesh_destroy( mesh );
	return status;
}
