// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The triangles of each body that are drawn: all, or fewer where there are too many and the body is far from a clash.

#pragma once

#include "picture/picture.h"
#include "picture/simplify.h"

typedef struct picture_shape {
	uint32_t mesh;
	dbvh_mesh_view view; // doubles and uint32_t
	bool is_near;        // a body of it takes part in a clash, or moves
	bool is_simplified;  // else the view is that of the mesh
	simple_mesh own;     // used where it is simplified
} picture_shape;

typedef struct picture_shapes {
	picture_shape *shapes;
	size_t count;
	uint32_t *of_body;
	size_t drawn, whole;     // triangles of all bodies as they are drawn, and as they are
	size_t simplified_count; // bodies
} picture_shapes;

// About `budget` triangles for all bodies together. False where there is no memory.
bool picture_shapes_make( const picture *p, size_t budget, picture_shapes *out );
void picture_shapes_free( picture_shapes *s );
