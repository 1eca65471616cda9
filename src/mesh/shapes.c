// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes of boxes and of height fields.

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/mesh.h"
#include "exact/number/fma.h"

#include <math.h>

// Arrays that a mesh is made of.
typedef struct soup {
	dbvh_allocator allocator;
	double *positions;
	uint32_t *indices;
	size_t vertex_count, triangle_count; // in use
	size_t vertex_room, triangle_room;
} soup;

static dbvh_status begin( soup *s, size_t vertices, size_t triangles, const dbvh_allocator *given, dbvh_error *error ) {
	*s = ( soup ){ .vertex_room = vertices, .triangle_room = triangles };
	DBVHI_TRY( dbvhi_allocator_take( given, &s->allocator, error ) );
	if ( vertices > DBVH_MAX_ELEMENTS || triangles > DBVH_MAX_ELEMENTS )
		return dbvhi_error_set( error, DBVH_LIMIT, "%zu vertices and %zu triangles: a mesh has at most 2^30 of either",
		                        vertices, triangles );
	s->positions = dbvhi_alloc( &s->allocator, vertices, 3 * sizeof *s->positions );
	s->indices = dbvhi_alloc( &s->allocator, triangles, 3 * sizeof *s->indices );
	return s->positions != NULL && s->indices != NULL ? DBVH_OK : dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
}

static void add_vertex( soup *s, double x, double y, double z ) {
	double *at = s->positions + 3 * s->vertex_count++;
	at[0] = x;
	at[1] = y;
	at[2] = z;
}

static void add_triangle( soup *s, size_t a, size_t b, size_t c ) {
	uint32_t *at = s->indices + 3 * s->triangle_count++;
	at[0] = (uint32_t)a;
	at[1] = (uint32_t)b;
	at[2] = (uint32_t)c;
}

// Make the mesh, unless `status` says that there is none, and free the arrays.
static dbvh_status end( soup *s, dbvh_status status, dbvh_mesh **mesh_out, dbvh_error *error ) {
	const dbvh_mesh_view view = { .positions = s->positions,
	                              .vertex_count = s->vertex_count,
	                              .indices = s->indices,
	                              .triangle_count = s->triangle_count };
	if ( status == DBVH_OK )
		status = dbvh_mesh_create( &view, &s->allocator, mesh_out, error );
	dbvhi_free( &s->allocator, s->positions, s->vertex_room, 3 * sizeof *s->positions );
	dbvhi_free( &s->allocator, s->indices, s->triangle_room, 3 * sizeof *s->indices );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Boxes

static dbvh_status add_box( soup *s, const dbvh_aabb *box, size_t number, dbvh_error *error ) {
	// Corner i has the max of axis k where bit k of i is set.
	static const uint8_t triangles[12][3] = { { 0, 2, 3 }, { 0, 3, 1 }, { 4, 5, 7 }, { 4, 7, 6 },
	                                          { 0, 1, 5 }, { 0, 5, 4 }, { 2, 6, 7 }, { 2, 7, 3 },
	                                          { 0, 4, 6 }, { 0, 6, 2 }, { 1, 3, 7 }, { 1, 7, 5 } };
	for ( int k = 0; k < 3; ++k ) {
		if ( box->min[k] <= box->max[k] )
			continue;
		if ( error != NULL )
			error->element = (int64_t)number;
		return isnan( box->min[k] ) || isnan( box->max[k] )
		           ? dbvhi_error_set( error, DBVH_NOT_FINITE, "box %zu has a coordinate that is NaN", number )
		           : dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "box %zu has a min above its max", number );
	}
	const size_t first = s->vertex_count;
	for ( int i = 0; i < 8; ++i )
		add_vertex( s, ( i & 1 ) != 0 ? box->max[0] : box->min[0], ( i & 2 ) != 0 ? box->max[1] : box->min[1],
		            ( i & 4 ) != 0 ? box->max[2] : box->min[2] );
	for ( int i = 0; i < 12; ++i )
		add_triangle( s, first + triangles[i][0], first + triangles[i][1], first + triangles[i][2] );
	return DBVH_OK;
}

// The number of a vertex that is not finite is that of its box, too.
static void blame_box( dbvh_status status, dbvh_error *error ) {
	if ( status != DBVH_NOT_FINITE || error == NULL || error->element < 0 )
		return;
	error->element /= 8;
	(void)dbvhi_error_set( error, DBVH_NOT_FINITE, "box %lld has a coordinate that is infinite",
	                       (long long)error->element );
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_create_boxes( const dbvh_aabb *boxes, size_t box_count,
                                                           const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                                           dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( mesh_out, sizeof *mesh_out, "mesh_out", error ) );
	if ( box_count == 0 )
		return dbvhi_error_set( error, DBVH_EMPTY, "there are no boxes" );
	if ( boxes == NULL )
		return dbvhi_error_null( error, "boxes" );
	const size_t counted = box_count <= DBVH_MAX_ELEMENTS ? box_count : DBVH_MAX_ELEMENTS;
	soup s;
	dbvh_status status = begin( &s, 8 * counted, 12 * counted, allocator, error );
	for ( size_t i = 0; i < box_count && status == DBVH_OK; ++i )
		status = add_box( &s, &boxes[i], i, error );
	const bool is_made = status == DBVH_OK;
	status = end( &s, status, mesh_out, error );
	if ( is_made )
		blame_box( status, error );
	return status;
}

dbvh_status dbvh_mesh_create_boxes( const dbvh_aabb *boxes, size_t box_count, const dbvh_allocator *allocator,
                                    dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_create_boxes( boxes, box_count, allocator, mesh_out, error ) );
}

// ------------------------------------------------------------------------------------------------
// Height fields

static dbvh_status check_field( const dbvh_height_field *field, dbvh_error *error ) {
	if ( field == NULL )
		return dbvhi_error_null( error, "field" );
	if ( field->heights == NULL )
		return dbvhi_error_null( error, "field.heights" );
	if ( field->column_count < 2 || field->row_count < 2 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "a height field has at least two columns and two rows" );
	if ( field->column_count > DBVH_MAX_ELEMENTS / field->row_count )
		return dbvhi_error_set( error, DBVH_LIMIT, "%zu columns and %zu rows are more than 2^30 vertices",
		                        field->column_count, field->row_count );
	for ( int k = 0; k < 2; ++k ) {
		if ( !isfinite( field->origin[k] ) || !isfinite( field->step[k] ) )
			return dbvhi_error_set( error, DBVH_NOT_FINITE, "field.origin or field.step is NaN or infinite" );
		if ( !( field->step[k] > 0.0 ) )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "field.step is not above 0" );
	}
	return DBVH_OK;
}

static bool is_hole( const dbvh_height_field *field, size_t at ) {
	return isnan( field->heights[at] );
}

static void add_field( soup *s, const dbvh_height_field *field ) {
	const size_t columns = field->column_count;
	for ( size_t k = 0; k < field->row_count; ++k ) {
		for ( size_t i = 0; i < columns; ++i ) {
			const size_t at = k * columns + i;
			add_vertex( s, dbvhi_fma( (double)i, field->step[0], field->origin[0] ),
			            dbvhi_fma( (double)k, field->step[1], field->origin[1] ),
			            is_hole( field, at ) ? 0.0 : field->heights[at] );
		}
	}
	for ( size_t k = 0; k + 1 < field->row_count; ++k ) {
		for ( size_t i = 0; i + 1 < columns; ++i ) {
			const size_t a = k * columns + i, b = a + 1, c = b + columns, d = a + columns;
			if ( is_hole( field, a ) || is_hole( field, c ) )
				continue;
			if ( !is_hole( field, b ) )
				add_triangle( s, a, b, c );
			if ( !is_hole( field, d ) )
				add_triangle( s, a, c, d );
		}
	}
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_create_height_field( const dbvh_height_field *field,
                                                                  const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                                                  dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( mesh_out, sizeof *mesh_out, "mesh_out", error ) );
	DBVHI_TRY( check_field( field, error ) );
	soup s;
	const size_t cells = ( field->column_count - 1 ) * ( field->row_count - 1 );
	dbvh_status status = begin( &s, field->column_count * field->row_count, 2 * cells, allocator, error );
	if ( status == DBVH_OK )
		add_field( &s, field );
	return end( &s, status, mesh_out, error );
}

dbvh_status dbvh_mesh_create_height_field( const dbvh_height_field *field, const dbvh_allocator *allocator,
                                           dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_create_height_field( field, allocator, mesh_out, error ) );
}
