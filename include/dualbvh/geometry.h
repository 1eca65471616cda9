// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file geometry.h
/// The shapes that primitives.h, shape.h and raycast.h compare, and that results contain.
///
/// All are closed, solid sets of points in one frame: touching is intersecting, and a box holds its inside. A radius, a
/// half side or the length of a segment may be zero. A triangle is its surface; one of zero area is the segment or the
/// point it has shrunk to. Shapes are plain data: fill them in. NaN, infinity and values against the rules below are
/// refused where the shape is used.

#ifndef DUALBVH_GEOMETRY_H
#define DUALBVH_GEOMETRY_H

/// All points within `radius` of the centre. A point is a sphere of radius 0.
typedef struct dbvh_sphere {
	double centre[3];
	double radius; ///< >= 0
} dbvh_sphere;

/// A box along the axes of the frame, by its corners: min <= max in each coordinate.
typedef struct dbvh_aabb {
	double min[3], max[3];
} dbvh_aabb;

/// A box along the axes of the frame, by its centre: |x - centre| <= half in each coordinate, in real arithmetic.
typedef struct dbvh_box {
	double centre[3];
	double half[3]; ///< half the side, >= 0
} dbvh_box;

/// A box along its own axes: all centre + t0 axis[0] + t1 axis[1] + t2 axis[2] with |ti| <= half[i], taken literally as
/// this affine image. The axes should be unit vectors at right angles, of either handedness; every entry of their Gram
/// matrix may be off by DBVH_POSE_TOLERANCE (base.h).
typedef struct dbvh_obb {
	double centre[3];
	double axis[3][3]; ///< axis[i] is a direction
	double half[3];    ///< half the side, >= 0
} dbvh_obb;

/// All centre + t0 axis[0] + t1 axis[1] + t2 axis[2] with (t0/half[0])^2 + (t1/half[1])^2 + (t2/half[2])^2 <= 1. The
/// axes as of dbvh_obb.
typedef struct dbvh_ellipsoid {
	double centre[3];
	double axis[3][3];
	double half[3]; ///< > 0
} dbvh_ellipsoid;

/// All points within `radius` of the segment between two points. A segment is a capsule of radius 0.
typedef struct dbvh_capsule {
	double from[3], to[3];
	double radius; ///< >= 0
} dbvh_capsule;

/// All x with normal . x = offset. The normal may have any length but zero. The side it points to is above.
typedef struct dbvh_plane {
	double normal[3];
	double offset;
} dbvh_plane;

/// from + t (to - from), t in [0, 1].
typedef struct dbvh_segment {
	double from[3], to[3];
} dbvh_segment;

/// from + t direction, t >= 0; a direction of any length. With direction zero it is the point `from`, its only t 0.
typedef struct dbvh_ray {
	double from[3], direction[3];
} dbvh_ray;

/// A triangle by its corners, nine doubles in a row.
typedef struct dbvh_triangle {
	double corner[3][3];
} dbvh_triangle;

#endif // DUALBVH_GEOMETRY_H
