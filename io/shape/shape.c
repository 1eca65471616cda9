// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "shape/shape.h"

#include <stdlib.h>

void shape_free( shape *s ) {
	free( s->positions );
	free( s->indices );
	*s = ( shape ){ 0 };
}

static bool reserve( shape *s, void **memory, size_t *capacity, size_t needed, size_t size ) {
	if ( s->failed )
		return false;
	if ( needed <= *capacity )
		return true;
	const size_t grown = needed + needed / 2 + 64;
	void *fresh = realloc( *memory, grown * size );
	if ( fresh == NULL ) {
		s->failed = true;
		return false;
	}
	*memory = fresh;
	*capacity = grown;
	return true;
}

uint32_t shape_vertex( shape *s, double x, double y, double z ) {
	if ( !reserve( s, (void **)&s->positions, &s->vertex_capacity, s->vertex_count + 1, 3 * sizeof( double ) ) )
		return 0;
	double *p = s->positions + 3 * s->vertex_count;
	p[0] = x;
	p[1] = y;
	p[2] = z;
	return (uint32_t)s->vertex_count++;
}

void shape_triangle( shape *s, uint32_t a, uint32_t b, uint32_t c ) {
	if ( !reserve( s, (void **)&s->indices, &s->triangle_capacity, s->triangle_count + 1, 3 * sizeof( uint32_t ) ) )
		return;
	uint32_t *t = s->indices + 3 * s->triangle_count++;
	t[0] = a;
	t[1] = b;
	t[2] = c;
}

dbvh_mesh_view shape_view( const shape *s ) {
	return ( dbvh_mesh_view ){ .positions = s->positions,
	                           .vertex_count = s->vertex_count,
	                           .indices = s->indices,
	                           .triangle_count = s->triangle_count };
}

void shape_ring_strip( shape *s, uint32_t lower, uint32_t lower_count, uint32_t upper, uint32_t upper_count ) {
	uint32_t i = 0, j = 0;
	while ( i < lower_count || j < upper_count ) {
		const uint32_t a = lower + i % lower_count, b = upper + j % upper_count;
		// Step on the ring that lags behind, comparing (i + 1/2) / lower_count with (j + 1/2) / upper_count.
		const uint64_t here = ( 2 * (uint64_t)i + 1 ) * upper_count, there = ( 2 * (uint64_t)j + 1 ) * lower_count;
		if ( j == upper_count || ( i < lower_count && here <= there ) ) {
			++i;
			shape_triangle( s, a, lower + i % lower_count, b );
		} else {
			++j;
			shape_triangle( s, a, upper + j % upper_count, b );
		}
	}
}
