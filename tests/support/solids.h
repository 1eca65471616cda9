// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The common volume of two solids, slowly, in rational arithmetic. A closed mesh that is oriented, outwards or inwards,
// is the signed sum of the tetrahedra between its triangles and the origin, so the common volume of two meshes is a
// signed sum over pairs of tetrahedra, which are cut by each other's planes. No ray, no parity, no case of touching;
// cavities, if they are oriented, are holes.

#pragma once

#include "dualbvh/mesh.h"

typedef struct oracle_solids_answer {
	bool both;   // there is a point inside both
	bool only_a; // a point inside A and outside B
	bool only_b;
	bool empty; // one of them encloses nothing
} oracle_solids_answer;

// Is the point on a triangle of the mesh (1), else inside by the parity of a rational ray that intersects no edge (2),
// else outside (0)? Rays in other directions are tried until one is such.
int oracle_locate( const dbvh_mesh_view *view, const dbvh_pose *pose, const double point[3] );

// B's corners are the exact images rot * x + pos; NULL is the identity. Some ten microseconds a pair of triangles where
// numbers are small.
oracle_solids_answer oracle_solids( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b );

// Is the common volume in [lower, upper]? *volume_out is it, rounded towards 0.
bool oracle_common_volume_is_in( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                                 double lower, double upper, double *volume_out );
