// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/topology.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/union_find.h"
#include "exact/orient.h"
#include "mesh/buckets.h"
#include "mesh/view.h"
#include "mesh/weld.h"

// Numbers the points in the order in which triangles use them. `first` is what welding found: per vertex the lowest
// vertex at the same place; it is overwritten.
static void number_points( dbvhi_topology *t, const dbvh_mesh_view *view, const uint32_t *first, uint32_t *number ) {
	memset( number, 0xff, view->vertex_count * sizeof *number );
	for ( size_t i = 0; i < t->triangle_count; ++i ) {
		uint32_t vertex[3];
		dbvhi_view_triangle( view, i, vertex );
		for ( size_t k = 0; k < 3; ++k ) {
			const uint32_t lowest = first[vertex[k]];
			if ( number[lowest] == UINT32_MAX ) {
				dbvhi_view_vertex( view, lowest, t->position + 3 * t->point_count );
				number[lowest] = (uint32_t)t->point_count++;
			}
			t->corner[3 * i + k] = number[lowest];
		}
	}
}

static bool is_degenerate( const dbvhi_topology *t, size_t triangle ) {
	DBVHI_ASSERT( triangle < t->triangle_count );
	const uint32_t *p = t->corner + 3 * triangle;
	if ( p[0] == p[1] || p[1] == p[2] || p[2] == p[0] )
		return true;
	const double *v[3];
	for ( int k = 0; k < 3; ++k )
		v[k] = t->position + 3 * (size_t)p[k];
	// The area is zero exactly where all three projections have none.
	for ( int axis = 0; axis < 3; ++axis ) {
		const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
		const double flat[3][2] = { { v[0][x], v[0][y] }, { v[1][x], v[1][y] }, { v[2][x], v[2][y] } };
		if ( dbvhi_orient2d_sign( flat[0], flat[1], flat[2] ) != 0 )
			return false;
	}
	return true;
}

// Every side becomes the key `higher point, side` in the bucket of its lower point.
static void sort_sides( const dbvhi_topology *t, dbvhi_buckets *buckets ) {
	dbvhi_buckets_clear( buckets );
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( uint32_t side = 0; side < 3 * t->triangle_count; ++side ) {
			const uint32_t p = dbvhi_topology_start( t, side ), q = dbvhi_topology_end( t, side );
			if ( p == q )
				continue;
			const uint32_t low = p < q ? p : q, high = p < q ? q : p;
			if ( pass == 0 )
				dbvhi_buckets_count( buckets, low );
			else
				dbvhi_buckets_put( buckets, low, (uint64_t)high << 32 | side );
		}
		if ( pass == 0 )
			dbvhi_buckets_begin( buckets );
	}
	dbvhi_buckets_sort( buckets );
}

// Is key k the first of an edge?
static bool begins_edge( const dbvhi_buckets *buckets, size_t bucket, size_t k ) {
	return k == buckets->begin[bucket] || buckets->keys[k] >> 32 != buckets->keys[k - 1] >> 32;
}

static bool make_edges( dbvhi_topology *t, const dbvhi_buckets *buckets, const dbvh_allocator *allocator ) {
	size_t count = 0;
	for ( size_t bucket = 0; bucket < t->point_count; ++bucket ) {
		for ( size_t k = buckets->begin[bucket]; k < buckets->begin[bucket + 1]; ++k )
			count += begins_edge( buckets, bucket, k );
	}
	t->edge_begin = dbvhi_alloc( allocator, count + 1, sizeof *t->edge_begin );
	t->edge_count = t->edge_begin != NULL ? count : 0;
	if ( t->edge_begin == NULL )
		return false;
	memset( t->edge, 0xff, 3 * t->triangle_count * sizeof *t->edge );
	uint32_t edge = 0;
	for ( size_t bucket = 0; bucket < t->point_count; ++bucket ) {
		for ( size_t k = buckets->begin[bucket]; k < buckets->begin[bucket + 1]; ++k ) {
			if ( begins_edge( buckets, bucket, k ) )
				t->edge_begin[edge++] = (uint32_t)k;
			t->side[k] = (uint32_t)buckets->keys[k];
			t->edge[t->side[k]] = edge - 1;
		}
	}
	t->edge_begin[count] = (uint32_t)buckets->begin[t->point_count];
	return true;
}

// The lowest triangle of a component is its root.
static bool find_components( dbvhi_topology *t, const dbvh_allocator *allocator ) {
	uint32_t *parent = t->component;
	for ( uint32_t i = 0; i < t->triangle_count; ++i )
		parent[i] = i;
	for ( size_t e = 0; e < t->edge_count; ++e ) {
		for ( uint32_t k = t->edge_begin[e] + 1; k < t->edge_begin[e + 1]; ++k )
			dbvhi_union_join( parent, t->side[t->edge_begin[e]] / 3, t->side[k] / 3 );
	}
	size_t count = 0;
	for ( uint32_t i = 0; i < t->triangle_count; ++i )
		count += parent[i] == i;
	t->component_count = count;
	t->components = dbvhi_alloc( allocator, count, sizeof *t->components );
	t->even = dbvhi_alloc( allocator, count, sizeof *t->even );
	t->bounds = dbvhi_alloc( allocator, count, 6 * sizeof *t->bounds );
	if ( t->components == NULL || t->even == NULL || t->bounds == NULL )
		return false;
	// A root is the lowest of its component: going upwards, first every triangle gets its root, then every root its
	// number and every other triangle that of its root.
	for ( uint32_t i = 0; i < t->triangle_count; ++i )
		parent[i] = parent[parent[i]];
	for ( uint32_t i = 0, number = 0; i < t->triangle_count; ++i ) {
		if ( parent[i] == i ) {
			t->components[number] = ( dbvh_mesh_component ){ .first_triangle = i, .oriented = true };
			parent[i] = number++;
		} else {
			parent[i] = parent[parent[i]];
		}
		dbvh_mesh_component *component = &t->components[parent[i]];
		component->triangle_count += 1;
		// Until the edges are counted, `closed` says whether there is any. One that is all degenerate encloses nothing.
		component->closed = component->closed || !t->degenerate[i];
	}
	return true;
}

static void count_edges( dbvhi_topology *t ) {
	for ( size_t i = 0; i < t->component_count; ++i )
		t->even[i] = t->components[i].closed ? DBVHI_EDGES_UNSEEN : 0;
	for ( size_t e = 0; e < t->edge_count; ++e ) {
		size_t upwards = 0, downwards = 0;
		for ( uint32_t k = t->edge_begin[e]; k < t->edge_begin[e + 1]; ++k ) {
			const uint32_t side = t->side[k];
			if ( t->degenerate[side / 3] )
				continue;
			if ( dbvhi_topology_start( t, side ) < dbvhi_topology_end( t, side ) )
				upwards += 1;
			else
				downwards += 1;
		}
		dbvhi_topology_see_edge( t, e );
		const size_t triangles = upwards + downwards;
		if ( triangles == 0 )
			continue;
		dbvh_mesh_component *component = &t->components[t->component[t->side[t->edge_begin[e]] / 3]];
		component->boundary_edges += triangles == 1;
		component->nonmanifold_edges += triangles > 2;
		component->oriented = component->oriented && upwards <= 1 && downwards <= 1;
	}
	for ( size_t i = 0; i < t->component_count; ++i ) {
		dbvh_mesh_component *component = &t->components[i];
		component->closed = component->closed && component->boundary_edges == 0 && component->nonmanifold_edges == 0;
	}
}

static void widen( double bounds[6], const double p[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		bounds[k] = p[k] < bounds[k] ? p[k] : bounds[k];
		bounds[3 + k] = p[k] > bounds[3 + k] ? p[k] : bounds[3 + k];
	}
}

static void find_bounds( dbvhi_topology *t ) {
	for ( size_t i = 0; i < t->component_count; ++i ) {
		const double *first = t->position + 3 * (size_t)t->corner[3 * t->components[i].first_triangle];
		for ( int k = 0; k < 6; ++k )
			t->bounds[6 * i + (size_t)k] = first[k % 3];
	}
	for ( size_t i = 0; i < 3 * t->triangle_count; ++i ) {
		const uint32_t component = t->component[i / 3];
		const double *p = t->position + 3 * (size_t)t->corner[i];
		widen( t->bounds + 6 * (size_t)component, p );
		if ( t->even[component] || t->degenerate[i / 3] )
			continue;
		for ( int k = 0; k < 6 && !t->has_sheets; ++k )
			t->sheet_bounds[k] = p[k % 3];
		t->has_sheets = true;
		widen( t->sheet_bounds, p );
	}
}

// Both arrays live only during the build.
typedef struct scratch {
	uint32_t *first, *number; // per vertex
	dbvhi_buckets buckets;
} scratch;

static bool fill( dbvhi_topology *t, const dbvh_mesh_view *view, const dbvh_allocator *allocator, scratch *s,
                  size_t *distinct_out ) {
	const size_t count = t->triangle_count;
	t->corner = dbvhi_alloc( allocator, 3 * count, sizeof *t->corner );
	t->edge = dbvhi_alloc( allocator, 3 * count, sizeof *t->edge );
	t->side = dbvhi_alloc( allocator, 3 * count, sizeof *t->side );
	t->component = dbvhi_alloc( allocator, count, sizeof *t->component );
	t->degenerate = dbvhi_alloc( allocator, count, sizeof *t->degenerate );
	t->winding = dbvhi_alloc( allocator, count, sizeof *t->winding );
	s->first = dbvhi_alloc( allocator, view->vertex_count, sizeof *s->first );
	s->number = dbvhi_alloc( allocator, view->vertex_count, sizeof *s->number );
	if ( t->corner == NULL || t->edge == NULL || t->side == NULL || t->component == NULL || t->degenerate == NULL ||
	     t->winding == NULL || s->first == NULL || s->number == NULL )
		return false;
	memset( t->winding, 0, count );
	const size_t distinct = dbvhi_weld( view, allocator, s->first );
	if ( distinct == 0 )
		return false;
	if ( distinct_out != NULL )
		*distinct_out = distinct;
	t->point_capacity = distinct < 3 * count ? distinct : 3 * count;
	t->position = dbvhi_alloc( allocator, t->point_capacity, 3 * sizeof( double ) );
	if ( t->position == NULL )
		return false;
	number_points( t, view, s->first, s->number );
	for ( size_t i = 0; i < count; ++i )
		t->degenerate[i] = is_degenerate( t, i );
	if ( !dbvhi_buckets_alloc( &s->buckets, allocator, t->point_count, 3 * count ) )
		return false;
	sort_sides( t, &s->buckets );
	if ( !make_edges( t, &s->buckets, allocator ) || !find_components( t, allocator ) )
		return false;
	count_edges( t );
	if ( !dbvhi_topology_wind( t, allocator ) )
		return false;
	find_bounds( t );
	return true;
}

dbvhi_topology *dbvhi_topology_create( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                       size_t *distinct_out ) {
	dbvhi_topology *t = dbvhi_alloc( allocator, 1, sizeof *t );
	if ( t == NULL )
		return NULL;
	memset( t, 0, sizeof *t );
	t->triangle_count = dbvhi_view_triangle_count( view );
	scratch s = { .first = NULL };
	const bool filled = fill( t, view, allocator, &s, distinct_out );
	dbvhi_free( allocator, s.first, view->vertex_count, sizeof *s.first );
	dbvhi_free( allocator, s.number, view->vertex_count, sizeof *s.number );
	dbvhi_buckets_free( &s.buckets, allocator );
	if ( filled )
		return t;
	dbvhi_topology_destroy( t, allocator );
	return NULL;
}

void dbvhi_topology_destroy( dbvhi_topology *t, const dbvh_allocator *allocator ) {
	if ( t == NULL )
		return;
	const size_t count = t->triangle_count;
	dbvhi_free( allocator, t->position, t->point_capacity, 3 * sizeof( double ) );
	dbvhi_free( allocator, t->corner, 3 * count, sizeof *t->corner );
	dbvhi_free( allocator, t->edge, 3 * count, sizeof *t->edge );
	dbvhi_free( allocator, t->side, 3 * count, sizeof *t->side );
	dbvhi_free( allocator, t->component, count, sizeof *t->component );
	dbvhi_free( allocator, t->degenerate, count, sizeof *t->degenerate );
	dbvhi_free( allocator, t->winding, count, sizeof *t->winding );
	dbvhi_free( allocator, t->edge_begin, t->edge_count + 1, sizeof *t->edge_begin );
	dbvhi_free( allocator, t->components, t->component_count, sizeof *t->components );
	dbvhi_free( allocator, t->even, t->component_count, sizeof *t->even );
	dbvhi_free( allocator, t->bounds, t->component_count, 6 * sizeof *t->bounds );
	dbvhi_free( allocator, t, 1, sizeof *t );
}

size_t dbvhi_topology_bytes( const dbvhi_topology *t ) {
	const size_t per_triangle = 10 * sizeof( uint32_t ) + 2 * sizeof( uint8_t );
	return sizeof *t + t->triangle_count * per_triangle + t->point_capacity * 3 * sizeof( double ) +
	       ( t->edge_count + 1 ) * sizeof( uint32_t ) +
	       t->component_count * ( sizeof( dbvh_mesh_component ) + 6 * sizeof( double ) + sizeof( uint8_t ) );
}

static const char *check_edge( const dbvhi_topology *t, uint32_t edge, uint32_t last[2] ) {
	const uint32_t begin = t->edge_begin[edge], end = t->edge_begin[edge + 1];
	// Compare with the total count: the begins of later edges have not been checked yet.
	if ( begin >= end || end > t->edge_begin[t->edge_count] )
		return "an edge has no sides";
	uint32_t ends[2] = { 0, 0 };
	for ( uint32_t k = begin; k < end; ++k ) {
		const uint32_t side = t->side[k];
		if ( side >= 3 * t->triangle_count || t->edge[side] != edge )
			return "an edge and a side do not name each other";
		if ( k > begin && side <= t->side[k - 1] )
			return "the sides of an edge are not in order";
		const uint32_t p = dbvhi_topology_start( t, side ), q = dbvhi_topology_end( t, side );
		const uint32_t low = p < q ? p : q, high = p < q ? q : p;
		if ( low == high )
			return "an edge joins a point to itself";
		if ( k > begin && ( low != ends[0] || high != ends[1] ) )
			return "two sides of an edge have other ends";
		ends[0] = low;
		ends[1] = high;
		if ( t->component[side / 3] != t->component[t->side[begin] / 3] )
			return "an edge joins two components";
	}
	if ( edge > 0 && ( ends[0] < last[0] || ( ends[0] == last[0] && ends[1] <= last[1] ) ) )
		return "the edges are not in order";
	last[0] = ends[0];
	last[1] = ends[1];
	return NULL;
}

static bool is_within( const double bounds[6], const double p[3] ) {
	bool within = true;
	for ( int k = 0; k < 3; ++k )
		within = within && bounds[k] <= p[k] && p[k] <= bounds[3 + k];
	return within;
}

static const char *check_bounds( const dbvhi_topology *t ) {
	for ( size_t i = 0; i < 3 * t->triangle_count; ++i ) {
		const uint32_t component = t->component[i / 3];
		const double *p = t->position + 3 * (size_t)t->corner[i];
		if ( !is_within( t->bounds + 6 * (size_t)component, p ) )
			return "a component leaves its bounds";
		if ( !t->even[component] && !t->degenerate[i / 3] && !( t->has_sheets && is_within( t->sheet_bounds, p ) ) )
			return "an open component leaves the bounds of all";
	}
	return NULL;
}

// Components are numbered by their lowest triangle, and have as many as they say. `seen` has room for their number.
static const char *check_components( const dbvhi_topology *t, uint32_t *seen ) {
	uint32_t count = 0;
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		const uint32_t component = t->component[i];
		if ( component > count || component >= t->component_count )
			return "the components are not numbered by their lowest triangle";
		if ( component == count ) {
			seen[count] = 0;
			if ( t->components[count++].first_triangle != i )
				return "a component does not begin with its first triangle";
		}
		seen[component] += 1;
	}
	if ( count != t->component_count )
		return "there is a component without triangles";
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( t->components[i].triangle_count != seen[i] )
			return "a component has more or fewer triangles than it says";
	}
	return NULL;
}

const char *dbvhi_topology_check( const dbvhi_topology *t, uint32_t *seen ) {
	size_t sides = 0;
	uint32_t points = 0;
	for ( size_t i = 0; i < 3 * t->triangle_count; ++i ) {
		if ( t->corner[i] > points || t->corner[i] >= t->point_count )
			return "the points are not numbered as triangles use them";
		points += t->corner[i] == points;
		sides += t->edge[i] != DBVHI_NO_EDGE;
	}
	if ( points != t->point_count )
		return "there are points that no triangle uses";
	if ( t->edge_begin[0] != 0 || t->edge_begin[t->edge_count] != sides )
		return "some sides belong to no edge";
	const char *broken = check_components( t, seen );
	uint32_t last[2] = { 0, 0 };
	for ( uint32_t e = 0; e < t->edge_count && broken == NULL; ++e )
		broken = check_edge( t, e, last );
	return broken == NULL ? check_bounds( t ) : broken;
}

static bool same_components( const dbvhi_topology *a, const dbvhi_topology *b ) {
	for ( size_t i = 0; i < a->component_count; ++i ) {
		const dbvh_mesh_component *p = &a->components[i], *q = &b->components[i];
		if ( p->triangle_count != q->triangle_count || p->first_triangle != q->first_triangle ||
		     p->boundary_edges != q->boundary_edges || p->nonmanifold_edges != q->nonmanifold_edges ||
		     p->closed != q->closed || p->oriented != q->oriented )
			return false;
	}
	return true;
}

bool dbvhi_topology_equal( const dbvhi_topology *a, const dbvhi_topology *b ) {
	if ( a->triangle_count != b->triangle_count || a->point_count != b->point_count || a->edge_count != b->edge_count ||
	     a->component_count != b->component_count || a->has_sheets != b->has_sheets ||
	     a->edge_begin[a->edge_count] != b->edge_begin[b->edge_count] )
		return false;
	const size_t triangles = a->triangle_count, components = a->component_count, sides = a->edge_begin[a->edge_count];
	const struct {
		const void *a, *b;
		size_t bytes;
	} arrays[] = {
	    { a->position, b->position, a->point_count * 3 * sizeof *a->position },
	    { a->corner, b->corner, 3 * triangles * sizeof *a->corner },
	    { a->edge, b->edge, 3 * triangles * sizeof *a->edge },
	    { a->edge_begin, b->edge_begin, ( a->edge_count + 1 ) * sizeof *a->edge_begin },
	    { a->side, b->side, sides * sizeof *a->side },
	    { a->component, b->component, triangles * sizeof *a->component },
	    { a->degenerate, b->degenerate, triangles },
	    { a->winding, b->winding, triangles },
	    { a->even, b->even, components },
	    { a->bounds, b->bounds, components * 6 * sizeof *a->bounds },
	    { a->sheet_bounds, b->sheet_bounds, a->has_sheets ? sizeof a->sheet_bounds : 0 },
	};
	for ( size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i ) {
		if ( arrays[i].bytes > 0 && memcmp( arrays[i].a, arrays[i].b, arrays[i].bytes ) != 0 )
			return false;
	}
	return same_components( a, b );
}
