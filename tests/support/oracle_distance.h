// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The truth about distances, slowly: rational arithmetic and one method for everything, which has nothing in common
// with the library's. Infinity and NaN are not allowed anywhere.

#pragma once

#include "dualbvh/collide.h"
#include "dualbvh/mesh.h"

// The distance of two triangles, nine doubles each, as the smallest double that is not less than it. B's corners are
// the exact images rot * x + pos; NULL is the identity. For each vertex, edge and face of one and of the other the
// nearest points of the lines, planes or points that they span are found by solving the normal equations, and count
// where they have no negative weights. A fraction of a millisecond.
double oracle_triangles_distance( const double a[9], const double b[9], const dbvh_pose *pose_b );

// The same for two meshes, by trying all pairs of triangles (those whose boxes are farther apart than another pair are
// left out), and in *pairs_out (may be NULL) the pairs whose rounded distance it is, sorted by a, then b, to be freed
// by the caller; their number in *pair_count_out.
double oracle_distance( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                        dbvh_pair **pairs_out, size_t *pair_count_out );
