// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "shapes/shapes.h"

#include <math.h>

#define TAU 6.28318530717958647692

void shape_add_sphere( shape *s, double radius, uint32_t slices, uint32_t stacks ) {
	const uint32_t top = shape_vertex( s, 0.0, 0.0, radius );
	const uint32_t first = top + 1;
	for ( uint32_t i = 1; i < stacks; ++i ) {
		const double polar = TAU / 2.0 * i / stacks;
		for ( uint32_t j = 0; j < slices; ++j ) {
			const double azimuth = TAU * j / slices;
			shape_vertex( s, radius * sin( polar ) * cos( azimuth ), radius * sin( polar ) * sin( azimuth ),
			              radius * cos( polar ) );
		}
	}
	const uint32_t bottom = shape_vertex( s, 0.0, 0.0, -radius );
	for ( uint32_t j = 0; j < slices; ++j )
		shape_triangle( s, top, first + j, first + ( j + 1 ) % slices );
	for ( uint32_t i = 0; i + 2 < stacks; ++i ) {
		const uint32_t upper = first + i * slices, lower = upper + slices;
		for ( uint32_t j = 0; j < slices; ++j ) {
			const uint32_t k = ( j + 1 ) % slices;
			shape_triangle( s, upper + j, lower + j, lower + k );
			shape_triangle( s, upper + j, lower + k, upper + k );
		}
	}
	const uint32_t last = first + ( stacks - 2 ) * slices;
	for ( uint32_t j = 0; j < slices; ++j )
		shape_triangle( s, bottom, last + ( j + 1 ) % slices, last + j );
}

// One face: origin + u * i / n + v * j / n. Vertices are not shared between faces; their coordinates are equal, which
// is what the audit and the reader of STL go by.
static void add_face( shape *s, const double origin[3], const double u[3], const double v[3], uint32_t n ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i <= n; ++i ) {
		for ( uint32_t j = 0; j <= n; ++j ) {
			double p[3];
			for ( int k = 0; k < 3; ++k ) {
				// A coordinate that runs from -h to h: written so that both ends and the middle are exact.
				const double a = 2.0 * i / n - 1.0, b = 2.0 * j / n - 1.0;
				p[k] = origin[k] + a * u[k] + b * v[k];
			}
			shape_vertex( s, p[0], p[1], p[2] );
		}
	}
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( uint32_t j = 0; j < n; ++j ) {
			const uint32_t a = first + i * ( n + 1 ) + j, b = a + n + 1;
			shape_triangle( s, a, b, b + 1 );
			shape_triangle( s, a, b + 1, a + 1 );
		}
	}
}

void shape_add_box( shape *s, double x, double y, double z, uint32_t n ) {
	const double h[3] = { x, y, z };
	for ( int axis = 0; axis < 3; ++axis ) {
		const int a = ( axis + 1 ) % 3, b = ( axis + 2 ) % 3;
		for ( int side = -1; side <= 1; side += 2 ) {
			double origin[3] = { 0 }, u[3] = { 0 }, v[3] = { 0 };
			origin[axis] = side * h[axis];
			u[side > 0 ? a : b] = h[side > 0 ? a : b];
			v[side > 0 ? b : a] = h[side > 0 ? b : a];
			add_face( s, origin, u, v, n );
		}
	}
}

void shape_add_torus( shape *s, double major_radius, double minor_radius, uint32_t major_segments,
                      uint32_t minor_segments ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i < major_segments; ++i ) {
		const double u = TAU * i / major_segments;
		for ( uint32_t j = 0; j < minor_segments; ++j ) {
			const double v = TAU * j / minor_segments;
			const double r = major_radius + minor_radius * cos( v );
			shape_vertex( s, r * cos( u ), r * sin( u ), minor_radius * sin( v ) );
		}
	}
	for ( uint32_t i = 0; i < major_segments; ++i ) {
		const uint32_t here = first + i * minor_segments;
		const uint32_t next = first + ( i + 1 ) % major_segments * minor_segments;
		for ( uint32_t j = 0; j < minor_segments; ++j ) {
			const uint32_t k = ( j + 1 ) % minor_segments;
			shape_triangle( s, here + j, next + j, next + k );
			shape_triangle( s, here + j, next + k, here + k );
		}
	}
}
