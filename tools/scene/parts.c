// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/parts.h"

#include "scene/refuse.h"

#include <stdlib.h>
#include <string.h>

typedef struct cut {
	dbvh_mesh_view view;
	size_t *begin;       // of each part in `triangles`, and one more
	uint32_t *triangles; // by part
	uint32_t *number;    // of each vertex in the part at hand; UINT32_MAX: it has none
	double *positions;   // of the part at hand
	uint32_t *corners;
} cut;

static bool begin( cut *c, const uint32_t *labels, size_t part_count ) {
	const size_t triangle_count = c->view.triangle_count, vertex_count = c->view.vertex_count;
	c->begin = calloc( part_count + 1, sizeof *c->begin );
	c->triangles = malloc( triangle_count * sizeof *c->triangles );
	c->number = malloc( vertex_count * sizeof *c->number );
	c->positions = malloc( vertex_count * 3 * sizeof *c->positions );
	c->corners = malloc( triangle_count * 3 * sizeof *c->corners );
	if ( c->begin == NULL || c->triangles == NULL || c->number == NULL || c->positions == NULL || c->corners == NULL )
		return false;
	memset( c->number, 0xff, vertex_count * sizeof *c->number );
	for ( size_t i = 0; i < triangle_count; ++i )
		++c->begin[labels[i] + 1];
	for ( size_t i = 0; i < part_count; ++i )
		c->begin[i + 1] += c->begin[i];
	// Each is put behind those of its part; the beginnings move up by one part, and back again.
	for ( size_t i = 0; i < triangle_count; ++i )
		c->triangles[c->begin[labels[i]]++] = (uint32_t)i;
	memmove( c->begin + 1, c->begin, part_count * sizeof *c->begin );
	c->begin[0] = 0;
	return true;
}

static dbvh_status make_part( cut *c, size_t part, dbvh_mesh **out, dbvh_error *error ) {
	const double *from = c->view.positions;
	const uint32_t *indices = c->view.indices;
	const size_t first = c->begin[part], end = c->begin[part + 1];
	size_t vertex_count = 0, corner_count = 0;
	for ( size_t i = first; i < end; ++i ) {
		for ( size_t k = 0; k < 3; ++k ) {
			const uint32_t vertex = indices[3 * (size_t)c->triangles[i] + k];
			if ( c->number[vertex] == UINT32_MAX ) {
				memcpy( c->positions + 3 * vertex_count, from + 3 * (size_t)vertex, 3 * sizeof *from );
				c->number[vertex] = (uint32_t)vertex_count++;
			}
			c->corners[corner_count++] = c->number[vertex];
		}
	}
	for ( size_t i = first; i < end; ++i )
		for ( size_t k = 0; k < 3; ++k )
			c->number[indices[3 * (size_t)c->triangles[i] + k]] = UINT32_MAX;
	const dbvh_mesh_view view = {
	    .positions = c->positions, .vertex_count = vertex_count, .indices = c->corners, .triangle_count = end - first };
	return dbvh_mesh_create( &view, NULL, out, error );
}

dbvh_status scene_cut( const dbvh_mesh *mesh, const uint32_t *labels, size_t part_count, dbvh_mesh **parts_out,
                       dbvh_error *error ) {
	cut c = { .view = dbvh_mesh_get_view( mesh ) };
	memset( parts_out, 0, part_count * sizeof *parts_out );
	dbvh_status status = begin( &c, labels, part_count ) ? DBVH_OK : scene_refuse_memory( error );
	for ( size_t i = 0; i < part_count && status == DBVH_OK; ++i )
		status = make_part( &c, i, &parts_out[i], error );
	for ( size_t i = 0; i < part_count && status != DBVH_OK; ++i ) {
		dbvh_mesh_destroy( parts_out[i] );
		parts_out[i] = NULL;
	}
	free( c.begin );
	free( c.triangles );
	free( c.number );
	free( c.positions );
	free( c.corners );
	return status;
}
