// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/simplify.h"

#include "picture/collapse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 6 };

// A cell of the grid, and its vertex nearest to the middle.
typedef struct cell {
	uint64_t key;
	double sum[3], nearest_sq;
	uint32_t count, vertex; // vertex: the one that stays
} cell;

typedef struct grid {
	const double *positions;
	size_t vertex_count;
	const dbvh_aabb *focus;
	size_t focus_count;
	double lower[3], diagonal;
	double near, side; // no vertex so near to a focus is moved; a cell's side just beyond that
	cell *cells;
	size_t cell_count, cell_capacity;
	uint32_t *slots; // open addressing, place of a cell plus 1
	size_t slot_mask;
	uint32_t *cell_of; // by vertex
} grid;

static double distance_to( const dbvh_aabb *box, const double x[3] ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double d = fmax( fmax( box->min[k] - x[k], x[k] - box->max[k] ), 0.0 );
		sum += d * d;
	}
	return sqrt( sum );
}

static uint64_t mix( uint64_t x ) {
	x ^= x >> 30;
	x *= UINT64_C( 0xBF58476D1CE4E5B9 );
	x ^= x >> 27;
	x *= UINT64_C( 0x94D049BB133111EB );
	return x ^ x >> 31;
}

// The cell of a vertex; every vertex that must stay has one of its own.
static uint64_t key_of( const grid *g, size_t vertex ) {
	const double *x = g->positions + 3 * vertex;
	double nearest = g->focus_count > 0 ? INFINITY : 0.0;
	for ( size_t i = 0; i < g->focus_count; ++i )
		nearest = fmin( nearest, distance_to( &g->focus[i], x ) );
	if ( g->focus_count > 0 && nearest <= g->near )
		return UINT64_C( 1 ) << 63 | vertex;
	const int level = g->focus_count > 0 ? ilogb( nearest / g->near ) : 0;
	const double side = ldexp( g->side, level );
	uint64_t key = (uint64_t)( level & 31 );
	for ( int k = 0; k < 3; ++k ) {
		const double step = fmin( ( x[k] - g->lower[k] ) / side, 524287.0 );
		key = key << 19 | (uint64_t)step;
	}
	return key;
}

static cell *find_cell( grid *g, uint64_t key ) {
	size_t at = (size_t)mix( key ) & g->slot_mask;
	for ( ; g->slots[at] != 0; at = ( at + 1 ) & g->slot_mask )
		if ( g->cells[g->slots[at] - 1].key == key )
			return &g->cells[g->slots[at] - 1];
	g->cells[g->cell_count] = ( cell ){ .key = key, .nearest_sq = INFINITY };
	g->slots[at] = (uint32_t)++g->cell_count;
	return &g->cells[g->cell_count - 1];
}

static void fill( grid *g ) {
	g->cell_count = 0;
	memset( g->slots, 0, ( g->slot_mask + 1 ) * sizeof *g->slots );
	for ( size_t i = 0; i < g->vertex_count; ++i ) {
		cell *c = find_cell( g, key_of( g, i ) );
		for ( int k = 0; k < 3; ++k )
			c->sum[k] += g->positions[3 * i + k];
		++c->count;
		g->cell_of[i] = (uint32_t)( c - g->cells );
	}
	for ( size_t i = 0; i < g->vertex_count; ++i ) {
		cell *c = &g->cells[g->cell_of[i]];
		double sum = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const double d = g->positions[3 * i + k] - c->sum[k] / (double)c->count;
			sum += d * d;
		}
		if ( sum < c->nearest_sq ) {
			c->nearest_sq = sum;
			c->vertex = (uint32_t)i;
		}
	}
}

// Triangles whose corners are in three cells.
static size_t count_left( const grid *g, const dbvh_mesh_view *view ) {
	const uint32_t *corner = view->indices;
	size_t left = 0;
	for ( size_t i = 0; i < view->triangle_count; ++i, corner += 3 ) {
		const uint32_t a = g->cell_of[corner[0]], b = g->cell_of[corner[1]], c = g->cell_of[corner[2]];
		left += a != b && b != c && c != a;
	}
	return left;
}

static bool collect( const grid *g, const dbvh_mesh_view *view, size_t left, simple_mesh *out ) {
	const uint32_t *corner = view->indices;
	out->positions = malloc( ( 3 * g->cell_count + 1 ) * sizeof *out->positions );
	out->indices = malloc( ( 3 * left + 1 ) * sizeof *out->indices );
	if ( out->positions == NULL || out->indices == NULL ) {
		free( out->positions );
		free( out->indices );
		*out = ( simple_mesh ){ 0 };
		return false;
	}
	for ( size_t i = 0; i < g->cell_count; ++i )
		memcpy( out->positions + 3 * i, g->positions + 3 * (size_t)g->cells[i].vertex, 3 * sizeof( double ) );
	out->vertex_count = g->cell_count;
	out->triangle_count = 0;
	for ( size_t i = 0; i < view->triangle_count; ++i, corner += 3 ) {
		const uint32_t a = g->cell_of[corner[0]], b = g->cell_of[corner[1]], c = g->cell_of[corner[2]];
		if ( a == b || b == c || c == a )
			continue;
		uint32_t *to = out->indices + 3 * out->triangle_count++;
		to[0] = a, to[1] = b, to[2] = c;
	}
	return true;
}

static void measure( grid *g ) {
	double upper[3] = { -INFINITY, -INFINITY, -INFINITY }, sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		g->lower[k] = INFINITY;
	for ( size_t i = 0; i < g->vertex_count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			g->lower[k] = fmin( g->lower[k], g->positions[3 * i + k] );
			upper[k] = fmax( upper[k], g->positions[3 * i + k] );
		}
	for ( int k = 0; k < 3; ++k )
		sum += ( upper[k] - g->lower[k] ) * ( upper[k] - g->lower[k] );
	g->diagonal = sqrt( sum );
}

// The side of cells for which about `target` triangles are left. A surface has some two triangles a cell.
static size_t search_side( grid *g, const dbvh_mesh_view *view, size_t target ) {
	size_t left = 0;
	g->side = g->diagonal / sqrt( (double)target + 1.0 );
	for ( int i = 0; i < MOST_TRIES; ++i ) {
		fill( g );
		left = count_left( g, view );
		const double excess = (double)( left + 1 ) / (double)( target + 1 );
		if ( excess > 0.6 && excess < 1.15 )
			break;
		g->side *= fmin( fmax( sqrt( excess ), 0.25 ), 4.0 );
		if ( g->focus_count > 0 && excess > 1.15 )
			g->near *= 0.7;
	}
	fill( g );
	return count_left( g, view );
}

// ------------------------------------------------------------------------------------------------
// Edge collapse

// Marks the triangles with a corner near a focus, which stay, and counts them. Where they alone are too many, near is
// made nearer.
static size_t mark_near( const grid *g, const dbvh_mesh_view *view, size_t most, bool *stays ) {
	const uint32_t *corners = view->indices;
	size_t count = SIZE_MAX;
	double near = g->near;
	for ( int i = 0; i < 4 * MOST_TRIES && count > most; ++i, near *= 0.7 ) {
		count = 0;
		for ( size_t t = 0; t < view->triangle_count; ++t ) {
			stays[t] = false;
			for ( size_t c = 0; c < 3 && !stays[t]; ++c )
				for ( size_t k = 0; k < g->focus_count && !stays[t]; ++k )
					stays[t] = distance_to( &g->focus[k], g->positions + 3 * (size_t)corners[3 * t + c] ) <= near;
			count += stays[t];
		}
	}
	return count;
}

// Numbers the vertices that are used, in the order of use, and copies them.
static bool gather( const grid *g, simple_mesh *out ) {
	uint32_t *number = malloc( ( g->vertex_count + 1 ) * sizeof *number );
	out->positions = malloc( ( 3 * g->vertex_count + 1 ) * sizeof *out->positions );
	if ( number == NULL || out->positions == NULL ) {
		free( number );
		return false;
	}
	memset( number, 0xff, g->vertex_count * sizeof *number );
	for ( size_t i = 0; i < 3 * out->triangle_count; ++i ) {
		uint32_t *to = &number[out->indices[i]];
		if ( *to == UINT32_MAX ) {
			memcpy( out->positions + 3 * out->vertex_count, g->positions + 3 * (size_t)out->indices[i],
			        3 * sizeof *out->positions );
			*to = (uint32_t)out->vertex_count++;
		}
		out->indices[i] = *to;
	}
	free( number );
	return true;
}

static void discard( simple_mesh *m ) {
	free( m->positions );
	free( m->indices );
	*m = ( simple_mesh ){ 0 };
}

// Simplifies by collapsing edges. False, and nothing made, where that cannot be done or leaves far too many.
static bool collapse( const grid *g, const dbvh_mesh_view *view, size_t target, simple_mesh *out ) {
	bool *stays = malloc( view->triangle_count + 1 );
	out->indices = malloc( ( 3 * view->triangle_count + 1 ) * sizeof *out->indices );
	bool ok = stays != NULL && out->indices != NULL && g->diagonal > 0.0 && isfinite( g->diagonal );
	ok = ok && mark_near( g, view, target - target / 4, stays ) <= target;
	if ( ok ) {
		const size_t left = collapse_edges( view, stays, target, g->lower, g->diagonal, out->indices );
		ok = left > 0 && left <= target + target / 4;
		out->triangle_count = ok ? left : 0;
	}
	ok = ok && gather( g, out );
	free( stays );
	if ( !ok )
		discard( out );
	return ok;
}

// ------------------------------------------------------------------------------------------------
// Cells of a grid

static bool cluster( grid *g, const dbvh_mesh_view *view, size_t target, simple_mesh *out ) {
	size_t slots = 16;
	while ( slots < 2 * g->vertex_count )
		slots *= 2;
	g->slot_mask = slots - 1;
	g->cells = malloc( ( g->vertex_count + 1 ) * sizeof *g->cells );
	g->slots = malloc( slots * sizeof *g->slots );
	g->cell_of = malloc( ( g->vertex_count + 1 ) * sizeof *g->cell_of );
	bool ok = g->cells != NULL && g->slots != NULL && g->cell_of != NULL;
	ok = ok && collect( g, view, search_side( g, view, target ), out );
	free( g->cells );
	free( g->slots );
	free( g->cell_of );
	return ok;
}

bool simplify( const dbvh_mesh_view *view, size_t target, const dbvh_aabb *focus, size_t focus_count,
               simple_mesh *out ) {
	grid g = {
	    .positions = view->positions, .vertex_count = view->vertex_count, .focus = focus, .focus_count = focus_count };
	*out = ( simple_mesh ){ 0 };
	measure( &g );
	g.near = 0.05 * g.diagonal;
	return collapse( &g, view, target, out ) || cluster( &g, view, target, out );
}
