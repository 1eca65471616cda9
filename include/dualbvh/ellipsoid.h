// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file ellipsoid.h
/// Solid ellipsoids and oriented boxes: fitting an ellipsoid to points, and whether two volumes share a point.
///
/// What a verdict means. These tests compute in doubles and have no exact arithmetic behind them, unlike those of
/// meshes (collide.h). In the space in which the ellipsoid is the unit ball, let g be the distance of its centre from
/// the other volume: they intersect where g <= 1. Every method's verdict is that of real arithmetic unless | g - 1 | is
/// at most the margin that dbvh_ellipsoid_margin() states. The margin grows with the ratio of the sizes to the smallest
/// half length, so thin ellipsoids should be thickened (dbvh_ellipsoid_repair()).
///
/// The functions for one pair take no dbvh_error, as in primitives.h; those for points or packs do. All are safe from
/// any thread.

#ifndef DUALBVH_ELLIPSOID_H
#define DUALBVH_ELLIPSOID_H

#include "dualbvh/primitives.h"
#include "dualbvh/shape_cast.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The method by which an ellipsoid and a box are compared. All give the same verdicts except for pairs within the
/// margin; costs differ.
typedef enum dbvh_ellipsoid_method {
	/// The default, and the fastest: certificates from the box's nearest point, then projected descent.
	DBVH_ELLIPSOID_METHOD_DESCENT,
	DBVH_ELLIPSOID_METHOD_BRUTE_FORCE,     ///< 12 edges, 6 faces, centre in box (BF of Larsson 2008)
	DBVH_ELLIPSOID_METHOD_FACE_DISTANCE,   ///< faces left by the distance of their planes (FD of Larsson 2008)
	DBVH_ELLIPSOID_METHOD_FACE_SELECT,     ///< only faces that the centre sees (FS of Larsson 2008)
	DBVH_ELLIPSOID_METHOD_QUICK_REJECTION, ///< the same after a test of the bounding sphere (FS+QR of Larsson 2008)
	DBVH_ELLIPSOID_METHOD_ALL_FEATURES, ///< vertices, edges, faces, centre in box (Eberly 2015, section 2, corrected)
	DBVH_ELLIPSOID_METHOD_CLOSEST_FEATURES, ///< the same for what the centre sees (Eberly 2015, section 3, corrected)
	DBVH_ELLIPSOID_METHOD_MINKOWSKI,        ///< the centre against the sum of both (Eberly 2015, section 5, corrected)
} dbvh_ellipsoid_method;

#define DBVH_ELLIPSOID_METHOD_COUNT 8 ///< methods are 0 to this, exclusive

/// Computes the ellipsoid of least volume, to within 1 %, that encloses the points, three doubles each. It encloses
/// them in real arithmetic: the half lengths are rounded outwards. No half length is below 2^-20 of the largest, so
/// flat, collinear and single points have an ellipsoid too (one of half lengths near 2^-60 of the largest coordinate
/// for a single point). Method: Todd and Yildirim's ascent with away steps (2007) on extremal points, to which the
/// farthest of all is added until none is outside. Cost: O(n) times some ten passes, and some ten microseconds. Errors:
/// INVALID_ARGUMENT (no points, a NULL), NOT_FINITE, LIMIT (the largest magnitude of a coordinate is neither 0 nor
/// between 2^-50 and 2^110), OUT_OF_MEMORY; *ellipsoid_out is all zero then. `allocator` NULL is the C library's.
DBVH_API dbvh_status dbvh_ellipsoid_fit( const double *points, size_t count, const dbvh_allocator *allocator,
                                         dbvh_ellipsoid *ellipsoid_out, dbvh_error *error );

/// Thickens degenerate volumes by Larsson's repair (2008, section 4), relative to their size: a half length below
/// `epsilon` (0 to 1; 0 stands for 2^-20) times the largest becomes that. Points inside stay inside, and a volume of
/// zero becomes positive: an ellipse is an ellipsoid with a half length of 0, and can be compared with boxes after the
/// repair. INVALID_ARGUMENT where the largest is not above 0, or epsilon out of its range; NOT_FINITE.
DBVH_API dbvh_status dbvh_ellipsoid_repair( dbvh_ellipsoid *ellipsoid, double epsilon );
DBVH_API dbvh_status dbvh_obb_repair( dbvh_obb *box, double epsilon );

/// Computes the image of an ellipsoid under x -> linear x + translation (Larsson 2008, section 5), where linear[i] is
/// row i. Axes are orthonormal to within 2^-45 and half lengths right to within 2^-45 of each; it is not rounded
/// outwards. The image may be written over the original. Errors: those of dbvh_ellipsoid_obb_intersect() for the
/// ellipsoid, NOT_FINITE, LIMIT (a map that is singular, or an image that would itself be refused); *ellipsoid_out is
/// all zero then.
DBVH_API dbvh_status dbvh_ellipsoid_transform( const dbvh_ellipsoid *ellipsoid, const double linear[3][3],
                                               const double translation[3], dbvh_ellipsoid *ellipsoid_out );

/// Returns the margin of the verdict on a pair, in the units of the unit ball (see above): ( 2^-47 + 8 d ) ( |
/// difference of the centres | + sum of all half extents ) / ( smallest half length ), where d is the deviation of the
/// axes from orthonormal ones. NaN or infinity where an argument is not valid.
DBVH_API double dbvh_ellipsoid_margin( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box );

/// Tells whether a solid ellipsoid and a solid box share a point. Half extents of the box may be 0: it is a rectangle,
/// a segment or a point then, and all methods are the same (Larsson 2008, section 4). Errors: INVALID_ARGUMENT (a NULL,
/// an unknown method, a half length of the ellipsoid that is not above 0, an extent of the box below 0), NOT_FINITE,
/// NOT_RIGID (axes off orthonormal by more than 2^-30), LIMIT (a half length outside 2^-120 to 2^120, a centre beyond
/// 2^120). Constant time.
DBVH_API dbvh_status dbvh_ellipsoid_obb_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_obb *box,
                                                   dbvh_ellipsoid_method method, bool *intersect_out );

/// Tells whether a solid ellipsoid and a box along the axes of the frame, min < max in each coordinate, share a point.
/// Where the ellipsoid's axes are those of the frame, too, in any order, this is a test of a sphere and a box in scaled
/// space (Larsson 2008, section 5), several times as fast; else it is dbvh_ellipsoid_obb_intersect(). Margin and errors
/// are those of that function.
DBVH_API dbvh_status dbvh_ellipsoid_aabb_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_aabb *box,
                                                    bool *intersect_out );

/// Computes the times at which an ellipsoid and a box in motion touch. Both move straight, at constant speed, and do
/// not turn, as in shape_cast.h; NULL for a translation means that the volume is at rest. (The problem is that of
/// Larsson 2008, section 5; the method intersects the path of the centre with the sum of box and unit ball.) The
/// verdict is that of real arithmetic unless, with g as above, the least | g - 1 | on the way is at most the margin of
/// the pair with the centres farther apart by the lengths of both translations; at `enter`, where it is not 0, and at
/// `exit`, where it is not 1, | g - 1 | is at most that. at_start and at_end are the verdicts of
/// dbvh_ellipsoid_obb_intersect() there. Errors: those of that function, and NOT_FINITE and LIMIT (a coordinate beyond
/// 2^120) of translations. Some 0.2 to 2 microseconds.
DBVH_API dbvh_status dbvh_ellipsoid_obb_cast( const dbvh_ellipsoid *ellipsoid, const double translation_a[3],
                                              const dbvh_obb *box, const double translation_b[3],
                                              dbvh_shape_cast_result *result_out );

/// Tells whether two ellipsoids (by the separation condition of Perram and Wertheim 1985, with a separating plane or a
/// common point as the proof), or an ellipsoid and a ball, share a point. The margin is that of the pair of one with
/// the other's bounding box, in the unit ball of either. A ball of radius 0 is a point.
DBVH_API dbvh_status dbvh_ellipsoid_ellipsoid_intersect( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b,
                                                         bool *intersect_out );
DBVH_API dbvh_status dbvh_ellipsoid_sphere_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_sphere *sphere,
                                                      bool *intersect_out );

/// Tells whether an ellipsoid holds a point, or has a point of the segment between two points, which may be the same.
/// The margin is that of the pair with the box around both. Errors: those of the ellipsoid, NOT_FINITE, LIMIT (a
/// coordinate beyond 2^120).
DBVH_API dbvh_status dbvh_ellipsoid_point_intersect( const dbvh_ellipsoid *ellipsoid, const double point[3],
                                                     bool *intersect_out );
DBVH_API dbvh_status dbvh_ellipsoid_segment_intersect( const dbvh_ellipsoid *ellipsoid, const double start[3],
                                                       const double end[3], bool *intersect_out );

/// A solid convex polyhedron by its surface, in triangles whose corners run anticlockwise seen from outside. Borrowed.
typedef struct dbvh_polyhedron {
	const double ( *points )[3];
	size_t point_count;
	const uint32_t ( *triangles )[3];
	size_t triangle_count;
} dbvh_polyhedron;

/// Tells whether an ellipsoid and a convex polyhedron share a point (Larsson 2008, section 5). It is not checked that
/// the polyhedron is convex and closed: for any other surface the answer is whether it meets the ellipsoid, or has the
/// centre behind all of its triangles. The margin is that of the pair with the box around it. Errors: those of the
/// ellipsoid, INVALID_ARGUMENT (a NULL, no points or triangles, an index out of range), NOT_FINITE, LIMIT (a coordinate
/// beyond 2^120). Cost: O(triangles), some 40 ns each.
DBVH_API dbvh_status dbvh_ellipsoid_polyhedron_intersect( const dbvh_ellipsoid *ellipsoid,
                                                          const dbvh_polyhedron *polyhedron, bool *intersect_out );

/// A pack of boxes in a layout that compares many of them at a time. Immutable.
typedef struct dbvh_obb_pack dbvh_obb_pack;

/// Makes a pack of `count` > 0 boxes, which are copied, 240 bytes each. Errors: those of dbvh_ellipsoid_obb_intersect()
/// for a box, with its index in error->element, and OUT_OF_MEMORY; *pack_out is NULL then.
DBVH_API dbvh_status dbvh_obb_pack_create( const dbvh_obb *boxes, size_t count, const dbvh_allocator *allocator,
                                           dbvh_obb_pack **pack_out, dbvh_error *error );

/// Frees a pack. NULL is allowed.
DBVH_API void dbvh_obb_pack_destroy( dbvh_obb_pack *pack );

/// Tells which boxes of a pack an ellipsoid intersects: intersect_out[i] is 1 or 0. Sixteen boxes are tested at a time
/// in floats; those left undecided go to DBVH_ELLIPSOID_METHOD_DESCENT. The verdicts are those of that method except
/// for pairs within the margin. Errors: those of dbvh_ellipsoid_obb_intersect(). Cost: see docs/design/ellipsoids.md.
/// Allocates nothing.
DBVH_API dbvh_status dbvh_ellipsoid_obb_intersect_batch( const dbvh_ellipsoid *ellipsoid, const dbvh_obb_pack *pack,
                                                         uint8_t *intersect_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_ELLIPSOID_H
