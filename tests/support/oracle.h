// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The truth, slowly: do triangles share a point, in exact arithmetic, by methods that have nothing in common with the
// library's. Infinity and NaN are not allowed anywhere.

#pragma once

#include "dualbvh/collide.h"
#include "dualbvh/mesh.h"

// Do two closed triangles share a point? Nine doubles each, degenerate ones are the segment or point they shrunk to.
// B's corners are the exact images rot * x + pos; NULL is the identity. Decides whether the two sets of convex
// combinations have a common element: integer elimination of the equations, then Fourier and Motzkin's elimination of
// the inequalities. No case distinction over degeneracies. A few microseconds where exponents are alike.
// Thread safe (scratch memory is kept per thread until the program ends).
bool oracle_triangles_meet( const double a[9], const double b[9], const dbvh_pose *pose_b );

// The same question by a second method, also exact for any doubles: separating axes, chosen by the rank of the edges.
bool oracle_triangles_meet_axes( const double a[9], const double b[9], const dbvh_pose *pose_b );

// The largest coordinate, in absolute value, that oracle_triangles_meet_int takes.
#define ORACLE_INT_MAX 4096

// The method of separating axes in 64-bit integers. Tens of nanoseconds.
bool oracle_triangles_meet_int( const int64_t a[9], const int64_t b[9] );

// All pairs of triangles of two meshes that intersect, with B placed by `pose_b` (NULL: the identity), sorted by a,
// then b. Returns how many and in *pairs_out (may be NULL) the list, to be freed by the caller; NULL where there are
// none. Both views must be valid (dbvh_mesh_view_check). Ends the program if memory runs out.
size_t oracle_collide( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                       dbvh_pair **pairs_out );

// Nine doubles of triangle `index` of a view.
void oracle_triangle( const dbvh_mesh_view *view, size_t index, double corners_out[9] );
