// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far apart two meshes are: what poses are placed with. Doubles, no guarantee beyond their usual rounding; the
// library's own distance query takes this over once it exists.

#pragma once

#include "dualbvh/dualbvh.h"

// Spheres over the triangles of one mesh. Independent of the mesh once made; shared between threads freely.
typedef struct distance_tree distance_tree;

distance_tree *distance_tree_make( const dbvh_mesh_view *view );
void distance_tree_free( distance_tree *tree );

// Where the last answer came from: a good first guess for the next, similar question. Start from zero.
typedef struct distance_hint {
	uint32_t a, b;
} distance_hint;

// The distance of A from B, placed by `pose_b`; 0 where they meet. The answer is at most `limit`, which is returned
// where the meshes are farther apart than that (INFINITY asks for the distance, whatever it is).
double distance_meshes( const distance_tree *a, const distance_tree *b, const dbvh_pose *pose_b, double limit,
                        distance_hint *hint );

// The distance of two triangles, nine doubles each.
double distance_triangles( const double a[9], const double b[9] );
