// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The depth of two hulls is the least value of w(n) = max F . n - min M . n over all unit vectors n. Spherical
// triangles of directions are divided, the one with the least bound first. For any point x of F - M, w(n) >= n . x;
// where that is positive at the corners of a triangle, it is at least the least of the three for all unit vectors
// between them, since these are combinations of the corners with weights that add up to at least 1. The points x are
// those that are farthest along the corners themselves.

#include "query/depth/hull.h"

#include "base/alloc.h"
#include "math/vec.h"
#include "query/depth/solid.h"

#include <math.h>
#include <string.h>

// A direction, the farthest point of F - M along it, and the width.
typedef struct corner {
	double n[3], x[3], width;
} corner;

typedef struct patch {
	corner at[3];
	double low;
} patch;

typedef struct search {
	const dbvhi_hull_points *points;
	patch *heap; // the least bound first
	size_t count, capacity, measured;
	double error; // error of a width
	double best;  // the least width
	double direction[3];
} search;

static corner measure_direction( search *s, const double n[3], dbvhi_meter *meter ) {
	corner out = { { n[0], n[1], n[2] }, { 0.0, 0.0, 0.0 }, 0.0 };
	for ( int set = 0; set < 2; ++set ) {
		const double *p = s->points->at[set], sign = set == 0 ? 1.0 : -1.0;
		const double x = sign * n[0], y = sign * n[1], z = sign * n[2];
		double most = -INFINITY;
		size_t at = 0;
		for ( size_t i = 0; i < s->points->count[set]; ++i ) {
			const double along = x * p[3 * i] + y * p[3 * i + 1] + z * p[3 * i + 2];
			at = along > most ? i : at;
			most = along > most ? along : most;
		}
		for ( size_t k = 0; k < 3; ++k )
			out.x[k] += sign * p[3 * at + k];
		out.width += most;
	}
	s->measured += 1;
	dbvhi_meter_charge( meter, 1 + ( s->points->count[0] + s->points->count[1] ) / 16 );
	if ( out.width < s->best ) {
		s->best = out.width;
		memcpy( s->direction, out.n, sizeof out.n );
	}
	return out;
}

// A lower bound of the width of all directions of a patch.
static double bound_of( const patch *p ) {
	double low = -INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		double least = INFINITY;
		for ( int k = 0; k < 3; ++k )
			least = fmin( least, dbvhi_dot3( p->at[k].n, p->at[i].x ) );
		low = fmax( low, least );
	}
	return low;
}

static bool is_patch_before( const patch *a, const patch *b ) {
	return a->low < b->low;
}

#define HEAP_ITEM patch
#define HEAP_BEFORE is_patch_before
#include "query/depth/heap.inl"

static bool push_patch( search *s, const dbvh_allocator *allocator, const corner *a, const corner *b,
                        const corner *c ) {
	patch p = { { *a, *b, *c }, 0.0 };
	p.low = bound_of( &p );
	if ( !dbvhi_grow_array( allocator, &s->heap, &s->capacity, s->count + 1, sizeof *s->heap ) )
		return false;
	heap_push( s->heap, &s->count, &p );
	return true;
}

// Divide a patch in four.
static bool divide_patch( search *s, const patch *p, const dbvh_allocator *allocator, dbvhi_meter *meter ) {
	corner middle[3];
	for ( int i = 0; i < 3; ++i ) {
		double n[3];
		for ( int k = 0; k < 3; ++k )
			n[k] = p->at[i].n[k] + p->at[( i + 1 ) % 3].n[k];
		if ( !dbvhi_normalise3( n ) )
			return false;
		middle[i] = measure_direction( s, n, meter );
	}
	for ( int i = 0; i < 3; ++i ) {
		if ( !push_patch( s, allocator, &p->at[i], &middle[i], &middle[( i + 2 ) % 3] ) )
			return false;
	}
	return push_patch( s, allocator, &middle[0], &middle[1], &middle[2] );
}

// Push the eight faces of an octahedron.
static bool begin_patches( search *s, const dbvh_allocator *allocator, dbvhi_meter *meter ) {
	corner axis[6];
	for ( int i = 0; i < 6; ++i ) {
		double n[3] = { 0.0, 0.0, 0.0 };
		n[i / 2] = i % 2 == 0 ? 1.0 : -1.0;
		axis[i] = measure_direction( s, n, meter );
	}
	for ( int i = 0; i < 8; ++i ) {
		if ( !push_patch( s, allocator, &axis[i & 1], &axis[2 + ( i >> 1 & 1 )], &axis[4 + ( i >> 2 )] ) )
			return false;
	}
	return true;
}

dbvh_status dbvhi_hull_depth_find( const dbvhi_hull_points *points, double relative_width, size_t most,
                                   const dbvh_allocator *allocator, dbvhi_meter *meter, dbvhi_hull_depth *out ) {
	// note: a product n . x rounds by 3 u sqrt( 3 ) 2 S, and n is of length 1 but for 4 u.
	search s = { .points = points, .best = INFINITY, .error = 0x1p-48 * points->size + 4.0 * points->error };
	bool has_memory = begin_patches( &s, allocator, meter );
	double low = 0.0;
	while ( has_memory && s.count > 0 ) {
		low = s.heap[0].low;
		if ( low >= s.best * ( 1.0 - relative_width ) - s.error || s.measured >= most ||
		     dbvhi_purse_status( meter->purse ) != DBVH_OK )
			break;
		const patch p = heap_pop( s.heap, &s.count );
		has_memory = divide_patch( &s, &p, allocator, meter );
	}
	dbvhi_free( allocator, s.heap, s.capacity, sizeof *s.heap );
	out->depth = ( dbvh_interval ){ fmax( ( fmin( low, s.best ) - s.error ) * ( 1.0 - 0x1p-50 ), 0.0 ),
	                                ( s.best + s.error ) * ( 1.0 + 0x1p-50 ) };
	memcpy( out->direction, s.direction, sizeof s.direction );
	return has_memory ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}
