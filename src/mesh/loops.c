// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The boundary loops of open components. The boundary of any set of triangles consists of closed loops: at every point
// an even number of edges with an odd number of triangles meet.

#include "base/alloc.h"
#include "base/assert.h"
#include "mesh/buckets.h"
#include "mesh/topology.h"

#include <string.h>

static bool is_open_edge( const dbvhi_topology *t, size_t component, size_t e ) {
	DBVHI_ASSERT( e < t->edge_count );
	const uint32_t c = t->component[t->side[t->edge_begin[e]] / 3];
	if ( t->even[c] || ( component != SIZE_MAX && c != component ) )
		return false;
	bool odd = false;
	for ( uint32_t k = t->edge_begin[e]; k < t->edge_begin[e + 1]; ++k ) {
		const uint32_t triangle = t->side[k] / 3;
		odd = odd != ( !t->degenerate[triangle] && t->winding[triangle] != DBVHI_WINDING_COPY );
	}
	return odd;
}

// Open edges by number, two keys each: the other end, and the edge.
typedef struct boundary {
	const dbvhi_topology *topology;
	size_t count;
	uint32_t *edge;
	uint8_t *used;
	uint32_t *path;   // points, at most as many as edges
	dbvhi_buckets at; // a bucket a point
} boundary;

static void sort_ends( boundary *b ) {
	const dbvhi_topology *t = b->topology;
	dbvhi_buckets_clear( &b->at );
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( size_t i = 0; i < 2 * b->count; ++i ) {
			const uint32_t side = t->side[t->edge_begin[b->edge[i / 2]]];
			const uint32_t p = dbvhi_topology_start( t, side ), q = dbvhi_topology_end( t, side );
			if ( pass == 0 )
				dbvhi_buckets_count( &b->at, i % 2 == 0 ? p : q );
			else
				dbvhi_buckets_put( &b->at, i % 2 == 0 ? p : q, (uint64_t)( i / 2 ) << 32 | ( i % 2 == 0 ? q : p ) );
		}
		if ( pass == 0 )
			dbvhi_buckets_begin( &b->at );
	}
	dbvhi_buckets_sort( &b->at );
}

// From an edge on, always along the lowest that is left, until the start is met again; it must be, since as many edges
// enter a point as leave it. `next` is the first key of each point that may be left.
static size_t walk( boundary *b, size_t first, size_t *next ) {
	const dbvhi_topology *t = b->topology;
	const uint32_t side = t->side[t->edge_begin[b->edge[first]]];
	const uint32_t p = dbvhi_topology_start( t, side ), q = dbvhi_topology_end( t, side );
	const uint32_t start = p < q ? p : q;
	uint32_t at = p < q ? q : p;
	size_t count = 0;
	b->used[first] = 1;
	b->path[count++] = start;
	while ( at != start ) {
		b->path[count++] = at;
		while ( b->used[b->at.keys[next[at]] >> 32] )
			next[at] += 1;
		const uint64_t key = b->at.keys[next[at]];
		b->used[key >> 32] = 1;
		at = (uint32_t)key;
	}
	return count;
}

bool dbvhi_topology_loops( const dbvhi_topology *t, size_t component, const dbvh_allocator *allocator,
                           dbvhi_loop_visit *visit, void *context ) {
	DBVHI_ASSERT( component == SIZE_MAX || component < t->component_count );
	DBVHI_ASSERT( visit != NULL );
	boundary b = { .topology = t };
	for ( size_t e = 0; e < t->edge_count; ++e )
		b.count += is_open_edge( t, component, e );
	if ( b.count == 0 )
		return true;
	b.edge = dbvhi_alloc( allocator, b.count, sizeof *b.edge );
	b.used = dbvhi_alloc( allocator, b.count, sizeof *b.used );
	b.path = dbvhi_alloc( allocator, b.count, sizeof *b.path );
	size_t *next = dbvhi_alloc( allocator, t->point_count, sizeof *next );
	const bool room = b.edge != NULL && b.used != NULL && b.path != NULL && next != NULL &&
	                  dbvhi_buckets_alloc( &b.at, allocator, t->point_count, 2 * b.count );
	if ( room ) {
		for ( size_t e = 0, i = 0; e < t->edge_count; ++e ) {
			if ( is_open_edge( t, component, e ) )
				b.edge[i++] = (uint32_t)e;
		}
		memset( b.used, 0, b.count );
		sort_ends( &b );
		memcpy( next, b.at.begin, t->point_count * sizeof *next );
		for ( size_t i = 0; i < b.count; ++i ) {
			if ( b.used[i] )
				continue;
			const uint32_t c = t->component[t->side[t->edge_begin[b.edge[i]]] / 3];
			visit( context, c, b.path, walk( &b, i, next ) );
		}
		dbvhi_buckets_free( &b.at, allocator );
	}
	dbvhi_free( allocator, b.edge, b.count, sizeof *b.edge );
	dbvhi_free( allocator, b.used, b.count, sizeof *b.used );
	dbvhi_free( allocator, b.path, b.count, sizeof *b.path );
	dbvhi_free( allocator, next, t->point_count, sizeof *next );
	return room;
}
