// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The audit. Edges and triangles are put into buckets by their lowest point and sorted inside each, which takes
// O(n log n) whatever the mesh, and gives the same result on every machine.

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "exact/orient.h"
#include "mesh/view.h"
#include "mesh/weld.h"

typedef struct audit {
	const dbvh_mesh_view *view;
	dbvh_allocator allocator;
	size_t vertex_count, triangle_count;
	uint32_t *point;     // per vertex: the lowest number of a vertex at the same place
	uint32_t *parent;    // per triangle: union-find, whose roots are the lowest triangles of the components
	uint32_t *component; // per triangle that is a root: number of its component
	uint8_t *degenerate; // per triangle
	size_t *bucket;      // per vertex and one more: where its keys begin
	uint64_t *keys;      // up to 3 per triangle
	dbvh_mesh_component *components;
	size_t component_count;
} audit;

// The triangle in terms of points.
static void get_points( const audit *a, size_t triangle, uint32_t out[3] ) {
	dbvhi_view_triangle( a->view, triangle, out );
	for ( int k = 0; k < 3; ++k )
		out[k] = a->point[out[k]];
}

static bool is_degenerate( const audit *a, const uint32_t p[3] ) {
	if ( p[0] == p[1] || p[1] == p[2] || p[2] == p[0] )
		return true;
	double v[3][3];
	for ( int k = 0; k < 3; ++k )
		dbvhi_view_vertex( a->view, p[k], v[k] );
	// The area is zero exactly where all three projections have none.
	for ( int axis = 0; axis < 3; ++axis ) {
		const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
		const double flat[3][2] = { { v[0][x], v[0][y] }, { v[1][x], v[1][y] }, { v[2][x], v[2][y] } };
		if ( dbvhi_orient2d_sign( flat[0], flat[1], flat[2] ) != 0 )
			return false;
	}
	return true;
}

static uint32_t find( uint32_t *parent, uint32_t i ) {
	while ( parent[i] != i ) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static void join( uint32_t *parent, uint32_t a, uint32_t b ) {
	a = find( parent, a );
	b = find( parent, b );
	if ( a < b )
		parent[b] = a;
	else
		parent[a] = b;
}

// Turns counts per bucket (stored one place later) into beginnings.
static void begin_buckets( audit *a ) {
	for ( size_t i = 0; i < a->vertex_count; ++i )
		a->bucket[i + 1] += a->bucket[i];
}

// After filling, each beginning has moved to its bucket's end; this moves them back and sorts.
static void sort_buckets( audit *a ) {
	memmove( a->bucket + 1, a->bucket, a->vertex_count * sizeof *a->bucket );
	a->bucket[0] = 0;
	for ( size_t i = 0; i < a->vertex_count; ++i )
		dbvhi_sort_u64( a->keys + a->bucket[i], a->bucket[i + 1] - a->bucket[i] );
}

static void order_two( uint32_t *a, uint32_t *b ) {
	if ( *a > *b ) {
		const uint32_t t = *a;
		*a = *b;
		*b = t;
	}
}

static size_t count_duplicates( audit *a ) {
	memset( a->bucket, 0, ( a->vertex_count + 1 ) * sizeof *a->bucket );
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( size_t i = 0; i < a->triangle_count; ++i ) {
			uint32_t p[3];
			get_points( a, i, p );
			order_two( &p[0], &p[1] );
			order_two( &p[1], &p[2] );
			order_two( &p[0], &p[1] );
			if ( pass == 0 )
				a->bucket[p[0] + 1] += 1;
			else
				a->keys[a->bucket[p[0]]++] = (uint64_t)p[1] << 32 | p[2];
		}
		if ( pass == 0 )
			begin_buckets( a );
	}
	sort_buckets( a );
	size_t count = 0;
	for ( size_t i = 0; i < a->vertex_count; ++i )
		for ( size_t k = a->bucket[i] + 1; k < a->bucket[i + 1]; ++k )
			count += a->keys[k] == a->keys[k - 1];
	return count;
}

// A side of a triangle is the key `higher point, number of the side` in the bucket of its lower point. Side 3 i + k
// runs from corner k of triangle i to the next. Sides whose ends are one point join nothing and are left out.
static void sort_sides( audit *a ) {
	memset( a->bucket, 0, ( a->vertex_count + 1 ) * sizeof *a->bucket );
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( size_t i = 0; i < a->triangle_count; ++i ) {
			uint32_t p[3];
			get_points( a, i, p );
			for ( size_t k = 0; k < 3; ++k ) {
				uint32_t low = p[k], high = p[( k + 1 ) % 3];
				order_two( &low, &high );
				if ( low == high )
					continue;
				if ( pass == 0 )
					a->bucket[low + 1] += 1;
				else
					a->keys[a->bucket[low]++] = (uint64_t)high << 32 | ( 3 * i + k );
			}
		}
		if ( pass == 0 )
			begin_buckets( a );
	}
	sort_buckets( a );
}

static uint32_t triangle_of( uint64_t key ) {
	return (uint32_t)key / 3;
}

// Calls visit( a, low, keys, count, result ) for the sides of each edge.
typedef void visit_edge( audit *a, size_t low, const uint64_t *keys, size_t count, dbvh_mesh_audit_result *result );

static void for_each_edge( audit *a, visit_edge *visit, dbvh_mesh_audit_result *result ) {
	for ( size_t low = 0; low < a->vertex_count; ++low ) {
		size_t begin = a->bucket[low];
		const size_t end = a->bucket[low + 1];
		while ( begin < end ) {
			size_t next = begin + 1;
			while ( next < end && a->keys[next] >> 32 == a->keys[begin] >> 32 )
				next += 1;
			visit( a, low, a->keys + begin, next - begin, result );
			begin = next;
		}
	}
}

static void join_edge( audit *a, size_t low, const uint64_t *keys, size_t count, dbvh_mesh_audit_result *result ) {
	(void)low;
	(void)result;
	for ( size_t k = 1; k < count; ++k )
		join( a->parent, triangle_of( keys[0] ), triangle_of( keys[k] ) );
}

static void count_edge( audit *a, size_t low, const uint64_t *keys, size_t count, dbvh_mesh_audit_result *result ) {
	size_t upwards = 0, downwards = 0;
	for ( size_t k = 0; k < count; ++k ) {
		const uint32_t triangle = triangle_of( keys[k] );
		if ( a->degenerate[triangle] )
			continue;
		uint32_t p[3];
		get_points( a, triangle, p );
		if ( p[(uint32_t)keys[k] % 3] == low )
			upwards += 1;
		else
			downwards += 1;
	}
	const size_t triangles = upwards + downwards;
	if ( triangles == 0 )
		return;
	dbvh_mesh_component *component = &a->components[a->component[find( a->parent, triangle_of( keys[0] ) )]];
	result->edge_count += 1;
	if ( triangles == 1 ) {
		result->boundary_edge_count += 1;
		component->boundary_edges += 1;
	}
	if ( triangles > 2 ) {
		result->nonmanifold_edge_count += 1;
		component->nonmanifold_edges += 1;
	}
	component->oriented = component->oriented && upwards <= 1 && downwards <= 1;
}

static dbvh_status find_components( audit *a ) {
	for ( uint32_t i = 0; i < a->triangle_count; ++i )
		a->parent[i] = i;
	for_each_edge( a, join_edge, NULL );
	a->component_count = 0;
	for ( uint32_t i = 0; i < a->triangle_count; ++i )
		if ( a->parent[i] == i )
			a->component[i] = (uint32_t)a->component_count++;
	a->components = dbvhi_alloc( &a->allocator, a->component_count, sizeof *a->components );
	if ( a->components == NULL )
		return DBVH_OUT_OF_MEMORY;
	for ( uint32_t i = 0; i < a->triangle_count; ++i ) {
		dbvh_mesh_component *component = &a->components[a->component[find( a->parent, i )]];
		// A component begins with its root, because that is its lowest triangle.
		if ( a->parent[i] == i )
			*component = ( dbvh_mesh_component ){ .first_triangle = i, .oriented = true };
		component->triangle_count += 1;
		// Until its edges are counted, `closed` says whether there is any. One that is all degenerate encloses nothing.
		component->closed = component->closed || !a->degenerate[i];
	}
	return DBVH_OK;
}

// What is counted by vertices: the unused ones and the bounds of the others.
static void audit_vertices( audit *a, dbvh_mesh_audit_result *result ) {
	memset( a->bucket, 0, ( a->vertex_count + 1 ) * sizeof *a->bucket );
	for ( size_t i = 0; i < a->triangle_count; ++i ) {
		uint32_t t[3];
		dbvhi_view_triangle( a->view, i, t );
		for ( int k = 0; k < 3; ++k )
			a->bucket[t[k]] = 1;
	}
	bool first = true;
	for ( size_t i = 0; i < a->vertex_count; ++i ) {
		if ( a->bucket[i] == 0 ) {
			result->unused_vertex_count += 1;
			continue;
		}
		double p[3];
		dbvhi_view_vertex( a->view, i, p );
		for ( int k = 0; k < 3; ++k ) {
			if ( first || p[k] < result->lower[k] )
				result->lower[k] = p[k];
			if ( first || p[k] > result->upper[k] )
				result->upper[k] = p[k];
		}
		first = false;
	}
}

static dbvh_status run( audit *a, dbvh_mesh_audit_result *result ) {
	const dbvh_allocator *allocator = &a->allocator;
	a->point = dbvhi_alloc( allocator, a->vertex_count, sizeof *a->point );
	a->parent = dbvhi_alloc( allocator, a->triangle_count, sizeof *a->parent );
	a->component = dbvhi_alloc( allocator, a->triangle_count, sizeof *a->component );
	a->degenerate = dbvhi_alloc( allocator, a->triangle_count, sizeof *a->degenerate );
	a->bucket = dbvhi_alloc( allocator, a->vertex_count + 1, sizeof *a->bucket );
	a->keys = dbvhi_alloc( allocator, 3 * a->triangle_count, sizeof *a->keys );
	if ( a->point == NULL || a->parent == NULL || a->component == NULL || a->degenerate == NULL || a->bucket == NULL ||
	     a->keys == NULL )
		return DBVH_OUT_OF_MEMORY;
	result->vertex_count = a->vertex_count;
	result->triangle_count = a->triangle_count;
	result->distinct_vertex_count = dbvhi_weld( a->view, allocator, a->point );
	if ( result->distinct_vertex_count == 0 )
		return DBVH_OUT_OF_MEMORY;
	for ( size_t i = 0; i < a->triangle_count; ++i ) {
		uint32_t p[3];
		get_points( a, i, p );
		a->degenerate[i] = is_degenerate( a, p );
		result->degenerate_triangle_count += a->degenerate[i];
	}
	audit_vertices( a, result );
	result->duplicate_triangle_count = count_duplicates( a );
	sort_sides( a );
	const dbvh_status status = find_components( a );
	if ( status != DBVH_OK )
		return status;
	for_each_edge( a, count_edge, result );
	result->component_count = a->component_count;
	for ( size_t i = 0; i < a->component_count; ++i ) {
		dbvh_mesh_component *component = &a->components[i];
		component->closed = component->closed && component->boundary_edges == 0 && component->nonmanifold_edges == 0;
		result->closed_component_count += component->closed;
		result->oriented_component_count += component->oriented;
	}
	return DBVH_OK;
}

dbvh_status dbvh_mesh_audit( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                             dbvh_mesh_audit_result *result_out, dbvh_mesh_component *components,
                             size_t component_capacity, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "result_out is null" );
	*result_out = ( dbvh_mesh_audit_result ){ .vertex_count = 0 };
	dbvh_status status = dbvh_mesh_view_check( view, error );
	if ( status != DBVH_OK )
		return status;
	audit a = { .view = view,
	            .allocator = dbvhi_allocator_or_default( allocator ),
	            .vertex_count = view->vertex_count,
	            .triangle_count = dbvhi_view_triangle_count( view ) };
	dbvh_mesh_audit_result result = { .vertex_count = 0 };
	status = run( &a, &result );
	if ( status == DBVH_OK ) {
		*result_out = result;
		for ( size_t i = 0; components != NULL && i < component_capacity && i < a.component_count; ++i )
			components[i] = a.components[i];
	}
	dbvhi_free( &a.allocator, a.point, a.vertex_count, sizeof *a.point );
	dbvhi_free( &a.allocator, a.parent, a.triangle_count, sizeof *a.parent );
	dbvhi_free( &a.allocator, a.component, a.triangle_count, sizeof *a.component );
	dbvhi_free( &a.allocator, a.degenerate, a.triangle_count, sizeof *a.degenerate );
	dbvhi_free( &a.allocator, a.bucket, a.vertex_count + 1, sizeof *a.bucket );
	dbvhi_free( &a.allocator, a.keys, 3 * a.triangle_count, sizeof *a.keys );
	dbvhi_free( &a.allocator, a.components, a.component_count, sizeof *a.components );
	if ( status != DBVH_OK )
		return dbvhi_error_set( error, status, "no memory to audit %zu triangles", a.triangle_count );
	return DBVH_OK;
}
