// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file fit.h
/// Volumes around points: the smallest ball, a tight oriented box. (The least ellipsoid is in ellipsoid.h.)
///
/// Points are three doubles each, in any frame and unit; volumes are in the same. They enclose the points in real
/// arithmetic: every rounding is outwards. All functions are safe from any thread. Errors of both: INVALID_ARGUMENT (no
/// points, a NULL), NOT_FINITE with the point's index in error->element, LIMIT (the largest magnitude of a coordinate
/// is neither 0 nor between 2^-50 and 2^110), OUT_OF_MEMORY; the result is all zero then. Memory: 24 bytes a point for
/// the time of the call, from `allocator` (NULL: the C library's).

#ifndef DUALBVH_FIT_H
#define DUALBVH_FIT_H

#include "dualbvh/base.h"
#include "dualbvh/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the ball of least radius around the points, to within 2^-40 of its radius where the points are not much
/// nearer to each other than to the origin; a radius is never 0. Method: Welzl's (1991) in Gaertner's pivoting form
/// (1999), as for the nodes of a tree. Cost: O(n) times some ten passes.
DBVH_API dbvh_status dbvh_sphere_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                      dbvh_sphere *sphere_out, dbvh_error *error );

/// Computes a box around the points whose half extents ascend: half[0] <= half[1] <= half[2]; the axes are
/// right-handed. Its axes are those of the covariance of the points (Gottschalk, Lin and Manocha 1996), then turned as
/// long as that makes a box of less volume and surface around their extremal points. The box is no minimum, but often
/// within some percent of the least volume. No half extent is 0. Cost: O(n), and some ten microseconds.
DBVH_API dbvh_status dbvh_obb_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                   dbvh_obb *box_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_FIT_H
