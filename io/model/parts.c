// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/parts.h"

#include "model/refuse.h"

#include <stdlib.h>
#include <string.h>

typedef struct cut {
	dbvh_mesh_view view;
	size_t *begin;       // first triangle of each part in `triangles`, and their end
	uint32_t *triangles; // sorted by part
	uint32_t *number;    // each vertex's number in the current part; UINT32_MAX: none
	double *positions;   // vertices of the current part
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
	// Counting sort: each triangle goes behind those of its part, which moves the beginnings up by one part; they are
	// moved back.
	for ( size_t i = 0; i < triangle_count; ++i )
		c->triangles[c->begin[labels[i]]++] = (uint32_t)i;
	memmove( c->begin + 1, c->begin, part_count * sizeof *c->begin );
	c->begin[0] = 0;
	return true;
}

static dbvh_status make_part( cut *c, size_t part, dbvh_mesh **out, uint32_t **numbers_out, dbvh_error *error ) {
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
	*numbers_out = malloc( ( end - first + 1 ) * sizeof **numbers_out );
	if ( *numbers_out == NULL )
		return scene_refuse_memory( error );
	memcpy( *numbers_out, c->triangles + first, ( end - first ) * sizeof **numbers_out );
	return dbvh_mesh_create( &view, NULL, out, error );
}

dbvh_status scene_cut( const dbvh_mesh *mesh, const uint32_t *labels, size_t part_count, dbvh_mesh **parts_out,
                       uint32_t **numbers_out, dbvh_error *error ) {
	cut c = { .view = dbvh_mesh_get_view( mesh ) };
	memset( parts_out, 0, part_count * sizeof *parts_out );
	memset( numbers_out, 0, part_count * sizeof *numbers_out );
	dbvh_status status = begin( &c, labels, part_count ) ? DBVH_OK : scene_refuse_memory( error );
	for ( size_t i = 0; i < part_count && status == DBVH_OK; ++i )
		status = make_part( &c, i, &parts_out[i], &numbers_out[i], error );
	for ( size_t i = 0; i < part_count && status != DBVH_OK; ++i ) {
		dbvh_mesh_destroy( parts_out[i] );
		free( numbers_out[i] );
		parts_out[i] = NULL;
		numbers_out[i] = NULL;
	}
	free( c.begin );
	free( c.triangles );
	free( c.number );
	free( c.positions );
	free( c.corners );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Objects that continue each other

typedef struct corner {
	double x[3];
	uint32_t vertex;
} corner;

static int by_place( const void *a, const void *b ) {
	const corner *p = a, *q = b;
	for ( int k = 0; k < 3; ++k )
		if ( p->x[k] != q->x[k] )
			return p->x[k] < q->x[k] ? -1 : 1;
	return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

// Vertices at one place get one number.
static bool number_places( const dbvh_mesh_view *view, uint32_t *place_of ) {
	corner *corners = malloc( ( view->vertex_count + 1 ) * sizeof *corners );
	if ( corners == NULL )
		return false;
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		memcpy( corners[i].x, (const double *)view->positions + 3 * i, sizeof corners[i].x );
		corners[i].vertex = (uint32_t)i;
	}
	qsort( corners, view->vertex_count, sizeof *corners, by_place );
	uint32_t place = 0;
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		for ( int k = 0; k < 3 && i > 0; ++k )
			if ( corners[i].x[k] != corners[i - 1].x[k] ) {
				place = (uint32_t)i;
				break;
			}
		place_of[corners[i].vertex] = place;
	}
	free( corners );
	return true;
}

// One side of a triangle: between two places, and which way it goes.
typedef struct side {
	uint32_t low, high, label;
	int way;
} side;

static int by_ends( const void *a, const void *b ) {
	const side *p = a, *q = b;
	if ( p->low != q->low )
		return p->low < q->low ? -1 : 1;
	if ( p->high != q->high )
		return p->high < q->high ? -1 : 1;
	return p->label < q->label ? -1 : p->label > q->label;
}

static void list_sides( const dbvh_mesh_view *view, const uint32_t *labels, const uint32_t *place_of, side *out ) {
	const uint32_t *indices = view->indices;
	for ( size_t i = 0; i < 3 * view->triangle_count; ++i ) {
		const uint32_t from = place_of[indices[i]], to = place_of[indices[i - i % 3 + ( i + 1 ) % 3]];
		out[i] = ( side ){ from < to ? from : to, from < to ? to : from, labels[i / 3], from < to ? 1 : -1 };
	}
}

static uint32_t root_of( uint32_t *parent, uint32_t label ) {
	while ( parent[label] != label )
		label = parent[label] = parent[parent[label]];
	return label;
}

// Union-find: the lesser label is the root.
static void join( uint32_t *parent, uint32_t a, uint32_t b ) {
	a = root_of( parent, a );
	b = root_of( parent, b );
	parent[a > b ? a : b] = a < b ? a : b;
}

// `count` sides between the same two places, by their labels.
static void join_open( const side *sides, size_t count, uint32_t *parent ) {
	uint32_t open = UINT32_MAX; // the last label whose sides here do not cancel out
	for ( size_t i = 0, next; i < count; i = next ) {
		int sum = 0;
		for ( next = i; next < count && sides[next].label == sides[i].label; ++next )
			sum += sides[next].way;
		if ( sum == 0 )
			continue;
		if ( open != UINT32_MAX )
			join( parent, open, sides[i].label );
		open = sides[i].label;
	}
}

dbvh_status scene_join_open( const dbvh_mesh *mesh, uint32_t *labels, size_t *count, uint32_t *first_of,
                             dbvh_error *error ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const size_t side_count = 3 * view.triangle_count;
	uint32_t *place_of = malloc( ( view.vertex_count + 1 ) * sizeof *place_of );
	uint32_t *parent = malloc( ( *count + 1 ) * sizeof *parent ), *number = malloc( ( *count + 1 ) * sizeof *number );
	side *sides = malloc( ( side_count + 1 ) * sizeof *sides );
	const bool ok =
	    place_of != NULL && parent != NULL && number != NULL && sides != NULL && number_places( &view, place_of );
	if ( ok ) {
		for ( uint32_t i = 0; i < *count; ++i )
			parent[i] = i;
		list_sides( &view, labels, place_of, sides );
		qsort( sides, side_count, sizeof *sides, by_ends );
		for ( size_t i = 0, next; i < side_count; i = next ) {
			for ( next = i; next < side_count && sides[next].low == sides[i].low && sides[next].high == sides[i].high; )
				++next;
			join_open( sides + i, next - i, parent );
		}
		size_t made = 0;
		for ( uint32_t i = 0; i < *count; ++i ) { // roots come before all that joined them
			if ( parent[i] == i )
				first_of[number[i] = (uint32_t)made++] = i;
			else
				number[i] = number[root_of( parent, i )];
		}
		for ( size_t i = 0; i < view.triangle_count; ++i )
			labels[i] = number[labels[i]];
		*count = made;
	}
	free( place_of );
	free( parent );
	free( number );
	free( sides );
	return ok ? DBVH_OK : scene_refuse_memory( error );
}
