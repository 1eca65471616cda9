// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A mesh that grows by vertices and triangles, for what makes meshes rather than reads them.

#pragma once

#include "dualbvh/mesh.h"

// A growing mesh. On running out of memory `failed` is set and everything after does nothing.
typedef struct shape {
	double *positions; // 3 * vertex_count
	uint32_t *indices; // 3 * triangle_count
	size_t vertex_count, vertex_capacity;
	size_t triangle_count, triangle_capacity;
	bool failed;
} shape;

// A shape is empty when zero-initialised; shape_free() makes it so again.
void shape_free( shape *s );
uint32_t shape_vertex( shape *s, double x, double y, double z );
void shape_triangle( shape *s, uint32_t a, uint32_t b, uint32_t c );
dbvh_mesh_view shape_view( const shape *s );

// Joins two closed rings of consecutive vertices that run the same way with a strip of lower_count + upper_count
// triangles. They face outwards when the rings run anticlockwise as seen from the upper one's side.
void shape_ring_strip( shape *s, uint32_t lower, uint32_t lower_count, uint32_t upper, uint32_t upper_count );
