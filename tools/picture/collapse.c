// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/collapse.h"

#ifdef DUALBVH_WITH_MESHOPTIMIZER

#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

typedef struct scratch {
	float *positions;  // in diagonals
	uint32_t *corners; // corners of the triangles that may change; those in one place have one number
	size_t corner_count;
} scratch;

static bool take( const dbvh_mesh_view *view, scratch *s ) {
	s->positions = malloc( ( 3 * view->vertex_count + 1 ) * sizeof *s->positions );
	s->corners = malloc( ( 3 * view->triangle_count + 1 ) * sizeof *s->corners );
	return s->positions != NULL && s->corners != NULL;
}

static void fill( const dbvh_mesh_view *view, const bool *stays, const double lower[3], double diagonal, scratch *s ) {
	const double *positions = view->positions;
	const uint32_t *corners = view->indices;
	for ( size_t i = 0; i < 3 * view->vertex_count; ++i )
		s->positions[i] = (float)( ( positions[i] - lower[i % 3] ) / diagonal );
	for ( size_t i = 0; i < view->triangle_count; ++i )
		if ( !stays[i] ) {
			memcpy( s->corners + s->corner_count, corners + 3 * i, 3 * sizeof *corners );
			s->corner_count += 3;
		}
	meshopt_generateShadowIndexBuffer( s->corners, s->corners, s->corner_count, s->positions, view->vertex_count,
	                                   3 * sizeof( float ), 3 * sizeof( float ) );
}

size_t collapse_edges( const dbvh_mesh_view *view, const bool *stays, size_t target, const double lower[3],
                       double diagonal, uint32_t *indices ) {
	const float any_error = 1.0F;
	const uint32_t *corners = view->indices;
	scratch s = { 0 };
	size_t count = 0, left = SIZE_MAX;
	if ( take( view, &s ) ) {
		fill( view, stays, lower, diagonal, &s );
		for ( size_t i = 0; i < view->triangle_count; ++i )
			if ( stays[i] )
				memcpy( indices + 3 * count++, corners + 3 * i, 3 * sizeof *corners );
		const size_t wanted = target > count ? 3 * ( target - count ) : 0;
		left =
		    count + meshopt_simplify( indices + 3 * count, s.corners, s.corner_count, s.positions, view->vertex_count,
		                              3 * sizeof( float ), wanted, any_error, meshopt_SimplifyLockBorder, NULL ) /
		                3;
	}
	free( s.positions );
	free( s.corners );
	return left;
}

#else

size_t collapse_edges( const dbvh_mesh_view *view, const bool *stays, size_t target, const double lower[3],
                       double diagonal, uint32_t *indices ) {
	(void)view, (void)stays, (void)target, (void)lower, (void)diagonal, (void)indices;
	return SIZE_MAX;
}

#endif
