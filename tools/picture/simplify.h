// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fewer triangles for what is far from where anybody looks: edges are collapsed (collapse.h). Where meshoptimizer is
// not built in, or the topology of a mesh stops it, vertices in one cell of a grid become one of them (vertex
// clustering: Rossignac and Borrel 1993), and cells grow with the distance from the boxes that matter. There nothing
// changes. For pictures alone: no answer is computed from it.

#pragma once

#include "dualbvh/geometry.h"
#include "dualbvh/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A mesh of its own; free both arrays.
typedef struct simple_mesh {
	double *positions; // three a vertex
	size_t vertex_count;
	uint32_t *indices;
	size_t triangle_count;
} simple_mesh;

// About `target` triangles of a mesh of doubles and uint32_t, or as many as there have to be. In `focus` (`focus_count`
// boxes in the frame of the mesh, may be none) and near it all of them stay. False where there is no memory.
bool simplify( const dbvh_mesh_view *view, size_t target, const dbvh_aabb *focus, size_t focus_count,
               simple_mesh *out );
