// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Procedural meshes, for `dualbvh gen`, for tests and for benchmarks that must run without downloaded data.
// All of them are deterministic, indexed, oriented outwards and, unless said otherwise, closed.

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

// Adds a UV sphere round the origin, poles on the z axis: 2 * slices * (stacks - 1) triangles.
// slices >= 3, stacks >= 2. 200 by 200 gives the 79,600 triangles of Scenario II (Chang et al. 2009, section 4).
void shape_add_sphere( shape *s, double radius, uint32_t slices, uint32_t stacks );

// Adds the box [-x, x] * [-y, y] * [-z, z], each face cut into n * n squares: 12 n^2 triangles, n >= 1.
void shape_add_box( shape *s, double x, double y, double z, uint32_t n );

// Adds a torus round the z axis: 2 * major_segments * minor_segments triangles, both >= 3.
void shape_add_torus( shape *s, double major_radius, double minor_radius, uint32_t major_segments,
					  uint32_t minor_segments );
