// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/view.h"

#include "base/fpenv.h"
#include "base/status.h"

#include <math.h>

// Element `i` of `count` must lie inside the address space, and must not reach into the next one.
static bool stride_is_sound( size_t stride, size_t size, size_t count ) {
	if ( stride == 0 )
		return true; // 2^30 packed elements fit into any 64-bit address space; smaller ones fail below
	return stride >= size && stride <= ( SIZE_MAX - size ) / count;
}

static dbvh_status check_arrays( const dbvh_mesh_view *view, dbvh_error *error ) {
	if ( view->position_type != DBVH_POSITION_TYPE_FLOAT64 && view->position_type != DBVH_POSITION_TYPE_FLOAT32 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "view.position_type is none of the enumerators" );
	if ( view->index_type != DBVH_INDEX_TYPE_UINT32 && view->index_type != DBVH_INDEX_TYPE_UINT64 &&
	     view->index_type != DBVH_INDEX_TYPE_NONE )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "view.index_type is none of the enumerators" );
	const bool indexed = view->index_type != DBVH_INDEX_TYPE_NONE;
	const size_t triangle_count = dbvhi_view_triangle_count( view );
	if ( view->vertex_count > DBVH_MAX_ELEMENTS )
		return dbvhi_error_set( error, DBVH_LIMIT, "%zu vertices are more than 2^30", view->vertex_count );
	if ( triangle_count > DBVH_MAX_ELEMENTS )
		return dbvhi_error_set( error, DBVH_LIMIT, "%zu triangles are more than 2^30", triangle_count );
	if ( !indexed && view->vertex_count % 3 != 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "a view without indices has %zu vertices, which is no multiple of three",
		                        view->vertex_count );
	if ( triangle_count == 0 )
		return dbvhi_error_set( error, DBVH_EMPTY, "the mesh has no triangles" );
	if ( indexed && view->indices == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "view.indices is NULL, and there are %zu triangles",
		                        triangle_count );
	if ( view->vertex_count > 0 && view->positions == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "view.positions is NULL, and there are %zu vertices",
		                        view->vertex_count );
	if ( view->vertex_count > 0 &&
	     !stride_is_sound( view->vertex_stride, dbvhi_view_vertex_size( view ), view->vertex_count ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "view.vertex_stride is %zu; a vertex has %zu bytes%s",
		                        view->vertex_stride, dbvhi_view_vertex_size( view ),
		                        view->position_type == DBVH_POSITION_TYPE_FLOAT64 && view->vertex_stride >= 12
		                            ? " (FLOAT64; are they FLOAT32?)"
		                            : "" );
	if ( indexed && !stride_is_sound( view->triangle_stride, dbvhi_view_triangle_size( view ), triangle_count ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "view.triangle_stride is %zu; three indices have %zu bytes", view->triangle_stride,
		                        dbvhi_view_triangle_size( view ) );
	return DBVH_OK;
}

// Elements of a plain view that are looked at side by side.
#define SIDE_BY_SIDE 8

// Is all well, and easily seen to be? What is left over is for the loops that name what is wrong.
static bool coordinates_are_finite( const double *positions, size_t count ) {
	double sums[SIDE_BY_SIDE] = { 0.0 };
	const size_t whole = count / SIDE_BY_SIDE * SIDE_BY_SIDE;
	for ( size_t i = 0; i < whole; i += SIDE_BY_SIDE ) {
		double x[SIDE_BY_SIDE];
		memcpy( x, (const char *)positions + i * sizeof x[0], sizeof x );
		for ( int k = 0; k < SIDE_BY_SIDE; ++k )
			sums[k] += x[k] - x[k]; // 0, or none
	}
	bool finite = true;
	for ( int k = 0; k < SIDE_BY_SIDE; ++k )
		finite = finite && sums[k] == 0.0;
	return finite;
}

static bool indices_are_below( const uint32_t *indices, size_t count, uint32_t limit ) {
	uint32_t beyond[SIDE_BY_SIDE] = { 0 };
	const size_t whole = count / SIDE_BY_SIDE * SIDE_BY_SIDE;
	for ( size_t i = 0; i < whole; i += SIDE_BY_SIDE ) {
		uint32_t t[SIDE_BY_SIDE];
		memcpy( t, (const char *)indices + i * sizeof t[0], sizeof t );
		for ( int k = 0; k < SIDE_BY_SIDE; ++k )
			beyond[k] |= t[k] >= limit ? 1u : 0u;
	}
	uint32_t any = 0;
	for ( int k = 0; k < SIDE_BY_SIDE; ++k )
		any |= beyond[k];
	return any == 0;
}

// The first vertex, or triangle, that is not known to be sound.
static size_t first_vertex_to_check( const dbvh_mesh_view *view ) {
	const size_t whole = 3 * view->vertex_count / SIDE_BY_SIDE * SIDE_BY_SIDE;
	return dbvhi_view_is_plain( view ) && coordinates_are_finite( view->positions, 3 * view->vertex_count ) ? whole / 3
	                                                                                                        : 0;
}

static size_t first_triangle_to_check( const dbvh_mesh_view *view ) {
	const size_t whole = 3 * view->triangle_count / SIDE_BY_SIDE * SIDE_BY_SIDE;
	return dbvhi_view_is_plain( view ) &&
	               indices_are_below( view->indices, 3 * view->triangle_count, (uint32_t)view->vertex_count )
	           ? whole / 3
	           : 0;
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_view_check( const dbvh_mesh_view *view, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( view == NULL )
		return dbvhi_error_null( error, "view" );
	DBVHI_TRY( check_arrays( view, error ) );
	for ( size_t i = first_vertex_to_check( view ); i < view->vertex_count; ++i ) {
		double p[3];
		dbvhi_view_vertex( view, i, p );
		if ( isfinite( p[0] ) && isfinite( p[1] ) && isfinite( p[2] ) )
			continue;
		if ( error != NULL )
			error->element = (int64_t)i;
		return dbvhi_error_set( error, DBVH_NOT_FINITE, "vertex %zu has a coordinate that is NaN or infinite", i );
	}
	if ( view->index_type == DBVH_INDEX_TYPE_NONE )
		return DBVH_OK;
	for ( size_t i = first_triangle_to_check( view ); i < view->triangle_count; ++i ) {
		uint64_t t[3];
		dbvhi_view_triangle_wide( view, i, t );
		for ( int k = 0; k < 3; ++k ) {
			if ( t[k] < view->vertex_count )
				continue;
			if ( error != NULL )
				error->element = (int64_t)i;
			return dbvhi_error_set( error, DBVH_INDEX_RANGE, "triangle %zu names vertex %llu, but there are %zu", i,
			                        (unsigned long long)t[k], view->vertex_count );
		}
	}
	return DBVH_OK;
}

dbvh_status dbvh_mesh_view_check( const dbvh_mesh_view *view, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_view_check( view, error ) );
}
