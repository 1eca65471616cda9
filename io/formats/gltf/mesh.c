// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/gltf/gltf.h"

#ifdef DUALBVH_WITH_JANSSON

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

typedef struct primitive {
	char kind[40], what[64]; // "primitive 2 of mesh", "primitive 2 of mesh 3"
	size_t mesh;
	size_t mode;
	gltf_accessor positions, indices;
	bool is_indexed;
	size_t corner_count; // in the file
} primitive;

void gltf_geometry_free( gltf_geometry *geometry ) {
	free( geometry->positions );
	free( geometry->corners );
	*geometry = ( gltf_geometry ){ 0 };
}

// Make room for more elements.
static bool reserve( void **array, size_t *room, size_t count, size_t more, size_t size ) {
	if ( more <= *room - count )
		return true;
	const size_t wanted = 2 * *room > count + more ? 2 * *room : count + more;
	void *grown = wanted <= SIZE_MAX / size ? realloc( *array, wanted * size ) : NULL;
	if ( grown == NULL )
		return false;
	*array = grown;
	*room = wanted;
	return true;
}

static bool reserve_all( gltf *g, gltf_geometry *out, size_t vertices, size_t triangles ) {
	void *positions = out->positions, *corners = out->corners;
	bool good = reserve( &positions, &out->vertex_room, out->vertex_count, vertices, 3 * sizeof *out->positions );
	out->positions = positions;
	good = good && reserve( &corners, &out->triangle_room, out->triangle_count, triangles, 3 * sizeof *out->corners );
	out->corners = corners;
	return good || gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for the triangles of the file" );
}

// The vertices that a primitive uses get numbers in the order of use: many primitives may share a large accessor.
static bool reserve_numbers( gltf *g, size_t count ) {
	if ( count <= g->number_room )
		return true;
	uint32_t *grown = realloc( g->numbers, count * sizeof *grown );
	if ( grown == NULL )
		return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for %zu vertices", count );
	memset( grown + g->number_room, 0xff, ( count - g->number_room ) * sizeof *grown );
	g->numbers = grown;
	g->number_room = count;
	return true;
}

static bool spend( gltf *g, size_t corners, const char *what ) {
	if ( corners > g->budget )
		return gltf_refuse( g, DBVH_LIMIT,
		                    "%s: the same numbers are read again and again, and make more triangles than a file of "
		                    "this size should",
		                    what );
	g->budget -= corners;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Triangles

// The corner number c of the file as a vertex of the geometry.
static bool read_corner( gltf *g, const primitive *p, gltf_geometry *out, size_t c, uint32_t *corner_out ) {
	const size_t vertex = p->is_indexed ? gltf_accessor_index( &p->indices, c ) : c;
	if ( vertex >= p->positions.count )
		return gltf_refuse( g, DBVH_INDEX_RANGE, "%s: index %zu is %zu, but accessor %zu has %zu positions", p->what, c,
		                    vertex, p->positions.number, p->positions.count );
	if ( g->numbers[vertex] == UINT32_MAX ) {
		double *at = out->positions + 3 * out->vertex_count;
		gltf_accessor_reals( &p->positions, vertex, at );
		if ( !isfinite( at[0] ) || !isfinite( at[1] ) || !isfinite( at[2] ) )
			return gltf_refuse( g, DBVH_NOT_FINITE, "%s: position %zu of accessor %zu is NaN or infinite", p->what,
			                    vertex, p->positions.number );
		g->numbers[vertex] = (uint32_t)out->vertex_count++;
	}
	*corner_out = g->numbers[vertex];
	return true;
}

static void forget_numbers( gltf *g, const primitive *p, size_t corners ) {
	for ( size_t c = 0; c < corners; ++c ) {
		const size_t vertex = p->is_indexed ? gltf_accessor_index( &p->indices, c ) : c;
		if ( vertex < p->positions.count )
			g->numbers[vertex] = UINT32_MAX;
	}
}

static void add_triangle( gltf_geometry *out, uint32_t a, uint32_t b, uint32_t c ) {
	uint32_t *at = out->corners + 3 * out->triangle_count++;
	at[0] = a;
	at[1] = b;
	at[2] = c;
}

// Takes the corner number c, with the two before it. Triangles of strips and fans that name a vertex twice are left
// out: they are no surface, but how two strips are made one.
static void take_corner( const primitive *p, gltf_geometry *out, size_t c, uint32_t last[3], uint32_t corner ) {
	const bool is_strip = p->mode == MODE_STRIP;
	if ( p->mode == MODE_TRIANGLES ) {
		last[c % 3] = corner;
		if ( c % 3 == 2 )
			add_triangle( out, last[0], last[1], last[2] );
		return;
	}
	if ( c >= 2 && last[0] != last[1] && last[1] != corner && last[0] != corner ) {
		// Number c - 2: v, v + 1, v + 2, or every second one of a strip v, v + 2, v + 1; of a fan v + 1, v + 2, 0.
		if ( !is_strip )
			add_triangle( out, last[1], corner, last[0] );
		else if ( c % 2 == 0 )
			add_triangle( out, last[0], last[1], corner );
		else
			add_triangle( out, last[0], corner, last[1] );
	}
	if ( c == 0 )
		last[0] = corner;
	else if ( c > 1 && is_strip )
		last[0] = last[1];
	if ( c > 0 )
		last[1] = corner;
}

static bool read_triangles( gltf *g, primitive *p, gltf_geometry *out ) {
	// Corners at the end that make no triangle are not shown, says the specification.
	const size_t rest = p->mode == MODE_TRIANGLES ? p->corner_count % 3 : p->corner_count < 3 ? p->corner_count : 0;
	const size_t count = p->corner_count - rest;
	g->incomplete += rest > 0;
	if ( count == 0 )
		return true;
	if ( !spend( g, count, p->what ) || !reserve_numbers( g, p->positions.count ) )
		return false;
	const size_t vertices = count < p->positions.count ? count : p->positions.count;
	const size_t triangles = p->mode == MODE_TRIANGLES ? count / 3 : count - 2;
	if ( out->vertex_count + vertices > DBVH_MAX_ELEMENTS || out->triangle_count + triangles > DBVH_MAX_ELEMENTS )
		return gltf_refuse( g, DBVH_LIMIT, "%s: its mesh has more than 2^30 vertices or triangles", p->what );
	if ( !reserve_all( g, out, vertices, triangles ) )
		return false;
	uint32_t last[3] = { 0, 0, 0 }, corner = 0;
	size_t c = 0;
	for ( ; c < count && read_corner( g, p, out, c, &corner ); ++c )
		take_corner( p, out, c, last, corner );
	forget_numbers( g, p, c );
	return c == count;
}

// ------------------------------------------------------------------------------------------------
// Primitives

static bool open_indices( gltf *g, const json_t *object, primitive *p ) {
	size_t indices = SIZE_MAX;
	p->corner_count = p->positions.count;
	if ( !gltf_get_count( g, object, p->kind, p->mesh, "indices", &indices ) )
		return false;
	if ( indices == SIZE_MAX )
		return true;
	if ( !gltf_accessor_open( g, indices, p->what, &p->indices ) )
		return false;
	const gltf_component c = p->indices.component;
	if ( p->indices.width != 1 || ( c != GLTF_UBYTE && c != GLTF_USHORT && c != GLTF_UINT ) || p->indices.normalized )
		return gltf_refuse( g, DBVH_MALFORMED, "%s: accessor %zu holds no indices: they are unsigned whole numbers",
		                    p->what, indices );
	p->is_indexed = true;
	p->corner_count = p->indices.count;
	return true;
}

static bool open_positions( gltf *g, const json_t *object, primitive *p, bool *found_out ) {
	size_t position = SIZE_MAX;
	const json_t *attributes = json_object_get( object, "attributes" );
	if ( !gltf_get_count( g, attributes, p->kind, p->mesh, "POSITION", &position ) )
		return false;
	*found_out = position != SIZE_MAX;
	if ( position == SIZE_MAX )
		return true;
	if ( !gltf_accessor_open( g, position, p->what, &p->positions ) )
		return false;
	// KHR_mesh_quantization: bytes and shorts. Nodes scale them; each is a double without a loss.
	if ( p->positions.width != 3 || p->positions.component == GLTF_UINT )
		return gltf_refuse( g, DBVH_MALFORMED,
		                    "%s: accessor %zu holds no positions: it is no VEC3 of floats, shorts "
		                    "or bytes",
		                    p->what, position );
	return true;
}

// A primitive that is compressed and has no other positions is decompressed.
static bool unpack( gltf *g, const json_t *object, primitive *p ) {
	const json_t *draco = gltf_extension( object, "KHR_draco_mesh_compression" );
	if ( draco == NULL || p->positions.bytes != NULL || p->positions.sparse_count > 0 )
		return true;
	if ( !p->is_indexed )
		return gltf_refuse( g, DBVH_MALFORMED, "%s is compressed by Draco, and names no 'indices'", p->what );
	return gltf_draco_decode( g, draco, p->what, &p->positions, &p->indices );
}

static bool read_primitive( gltf *g, const json_t *object, size_t mesh, size_t number, gltf_geometry *out ) {
	primitive p = { .mode = MODE_TRIANGLES, .mesh = mesh };
	bool found;
	snprintf( p.kind, sizeof p.kind, "primitive %zu of mesh", number );
	snprintf( p.what, sizeof p.what, "primitive %zu of mesh %zu", number, mesh );
	if ( !gltf_get_count( g, object, p.kind, mesh, "mode", &p.mode ) )
		return false;
	if ( !json_is_object( object ) || p.mode > MODE_FAN )
		return gltf_refuse( g, DBVH_MALFORMED, "%s is %s", p.what,
		                    json_is_object( object ) ? "of no known 'mode'" : "no object" );
	g->morphs += gltf_count( json_object_get( object, "targets" ) ) > 0;
	if ( p.mode < MODE_TRIANGLES ) {
		++g->lines;
		return true;
	}
	if ( !open_positions( g, object, &p, &found ) )
		return false;
	g->without_positions += !found;
	return !found || ( open_indices( g, object, &p ) && unpack( g, object, &p ) && read_triangles( g, &p, out ) );
}

bool gltf_read_mesh( gltf *g, size_t mesh, gltf_geometry *out ) {
	const json_t *object = json_array_get( g->meshes, mesh ), *primitives;
	*out = ( gltf_geometry ){ 0 };
	if ( !gltf_get_array( g, object, "mesh", mesh, "primitives", &primitives ) )
		return false;
	if ( primitives == NULL )
		return gltf_refuse( g, DBVH_MALFORMED, "mesh %zu has no 'primitives'", mesh );
	for ( size_t i = 0; i < gltf_count( primitives ); ++i )
		if ( !read_primitive( g, json_array_get( primitives, i ), mesh, i, out ) )
			return false;
	return true;
}

#else

typedef int gltf_mesh_is_empty;

#endif
