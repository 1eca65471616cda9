// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The distance of two meshes once more, with nothing of the library's: other bounds (axis-aligned boxes and spheres),
// another tree, another way to measure two triangles, in long double. Slow.

#pragma once

#include "dualbvh/mesh.h"

typedef struct independent_tree independent_tree;

// NULL if memory runs out. The view is not needed any more afterwards.
independent_tree *independent_build( const dbvh_mesh_view *view );
void independent_destroy( independent_tree *tree );

// The distance of A from B placed by the pose; 0 where an edge of one goes through a triangle of the other. Right to
// about 1e-15 of the coordinates. Any number of threads may ask about the same trees.
double independent_distance( const independent_tree *a, const independent_tree *b, const dbvh_pose *pose_b );

// The distance of two triangles, nine numbers each.
long double independent_triangles( const long double a[9], const long double b[9] );
