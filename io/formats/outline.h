// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The object of a mesh file that each triangle belongs to. The library's readers skip objects; this goes over the text
// again and counts triangles as they do.

#pragma once

#include "dualbvh/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_outline {
	uint32_t *labels;      // one a triangle
	size_t triangle_count; // triangles counted in the text
	char **names;          // objects with triangles, in the order of their first ones; "" where there is no name
	size_t count, capacity;
	size_t label_capacity;
	bool failed; // no memory
} scene_outline;

void scene_outline_free( scene_outline *outline );

// Reads the objects of OBJ and ASCII STL; any other format gives an arbitrary number of triangles, so the caller asks
// scene_outline_fits(). In OBJ, `o` and `g` of equal names continue one object, "o/g" where both are given; each
// `solid` of STL is an object of its own, "solid-1" and so on where it has no name. False where there is no memory.
bool scene_outline_read( const unsigned char *bytes, size_t count, scene_outline *outline );

// Are the triangles those of the mesh, and of the faces that it was read without?
bool scene_outline_fits( const scene_outline *outline, const dbvh_mesh *mesh );

// Leaves those faces out, and objects that have no others, of an outline that fits. False where there is no memory.
bool scene_outline_leave_out( scene_outline *outline, const dbvh_mesh *mesh );
