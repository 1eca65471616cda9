// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reading a borrowed view element by element, whatever its types and strides. Nothing here checks: a view that comes
// from outside goes through dbvh_mesh_view_check() first.

#pragma once

#include "base/assert.h"
#include "dualbvh/mesh.h"

#include <stdbool.h>
#include <string.h>

static inline size_t dbvhi_view_vertex_size( const dbvh_mesh_view *view ) {
	return view->position_type == DBVH_POSITION_TYPE_FLOAT64 ? 3 * sizeof( double ) : 3 * sizeof( float );
}

static inline size_t dbvhi_view_triangle_size( const dbvh_mesh_view *view ) {
	return view->index_type == DBVH_INDEX_TYPE_UINT32 ? 3 * sizeof( uint32_t ) : 3 * sizeof( uint64_t );
}

static inline size_t dbvhi_view_triangle_count( const dbvh_mesh_view *view ) {
	return view->index_type == DBVH_INDEX_TYPE_NONE ? view->vertex_count / 3 : view->triangle_count;
}

// Vertex i as three doubles. Copies, because a stride may leave the numbers unaligned.
static inline void dbvhi_view_vertex( const dbvh_mesh_view *view, size_t i, double out[3] ) {
	DBVHI_ASSERT( i < view->vertex_count );
	const size_t size = dbvhi_view_vertex_size( view );
	const char *at = (const char *)view->positions + i * ( view->vertex_stride != 0 ? view->vertex_stride : size );
	if ( view->position_type == DBVH_POSITION_TYPE_FLOAT64 ) {
		memcpy( out, at, 3 * sizeof( double ) );
		return;
	}
	float narrow[3];
	memcpy( narrow, at, sizeof narrow );
	for ( int k = 0; k < 3; ++k )
		out[k] = (double)narrow[k];
}

// The three vertex numbers of triangle i as stored, before any check of their range.
static inline void dbvhi_view_triangle_wide( const dbvh_mesh_view *view, size_t i, uint64_t out[3] ) {
	const size_t size = dbvhi_view_triangle_size( view );
	const char *at = (const char *)view->indices + i * ( view->triangle_stride != 0 ? view->triangle_stride : size );
	if ( view->index_type == DBVH_INDEX_TYPE_UINT64 ) {
		memcpy( out, at, 3 * sizeof( uint64_t ) );
		return;
	}
	// One by one: three that are copied as a whole are not there yet when each is asked for.
	for ( size_t k = 0; k < 3; ++k ) {
		uint32_t narrow;
		memcpy( &narrow, at + k * sizeof narrow, sizeof narrow );
		out[k] = narrow;
	}
}

// The three vertex numbers of triangle i of a checked view.
static inline void dbvhi_view_triangle( const dbvh_mesh_view *view, size_t i, uint32_t out[3] ) {
	if ( view->index_type == DBVH_INDEX_TYPE_NONE ) {
		for ( uint32_t k = 0; k < 3; ++k )
			out[k] = (uint32_t)( 3 * i ) + k;
		return;
	}
	uint64_t wide[3];
	dbvhi_view_triangle_wide( view, i, wide );
	for ( int k = 0; k < 3; ++k )
		out[k] = (uint32_t)wide[k];
}

// Asks for what will be read soon: triangles of a tree lie anywhere in a mesh. Those of a vertex need those of its
// triangle.
static inline void dbvhi_view_expect_triangle( const dbvh_mesh_view *view, size_t i ) {
	if ( view->index_type == DBVH_INDEX_TYPE_NONE )
		return;
	const size_t size = view->triangle_stride != 0 ? view->triangle_stride : dbvhi_view_triangle_size( view );
	__builtin_prefetch( (const char *)view->indices + i * size );
}

static inline void dbvhi_view_expect_vertices( const dbvh_mesh_view *view, size_t i ) {
	const size_t size = view->vertex_stride != 0 ? view->vertex_stride : dbvhi_view_vertex_size( view );
	uint32_t corner[3];
	dbvhi_view_triangle( view, i, corner );
	for ( int k = 0; k < 3; ++k )
		__builtin_prefetch( (const char *)view->positions + corner[k] * size );
}

// Most views are three doubles a vertex and three 32-bit numbers a triangle, next to each other. Loops over many
// elements are compiled twice, once for these: there the types and strides of what dbvhi_view_plain() returns are
// constants.
static inline bool dbvhi_view_is_plain( const dbvh_mesh_view *view ) {
	return view->position_type == DBVH_POSITION_TYPE_FLOAT64 && view->index_type == DBVH_INDEX_TYPE_UINT32 &&
	       ( view->vertex_stride == 0 || view->vertex_stride == 3 * sizeof( double ) ) &&
	       ( view->triangle_stride == 0 || view->triangle_stride == 3 * sizeof( uint32_t ) );
}

static inline dbvh_mesh_view dbvhi_view_plain( const dbvh_mesh_view *view ) {
	DBVHI_ASSERT( dbvhi_view_is_plain( view ) );
	return ( dbvh_mesh_view ){ .positions = view->positions,
	                           .vertex_count = view->vertex_count,
	                           .position_type = DBVH_POSITION_TYPE_FLOAT64,
	                           .indices = view->indices,
	                           .triangle_count = view->triangle_count,
	                           .index_type = DBVH_INDEX_TYPE_UINT32 };
}
