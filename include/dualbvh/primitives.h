// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file primitives.h
/// Intersection, distance, signed distance and ray tests of two primitives (spheres, boxes, capsules, planes, segments,
/// rays, triangles): the small tests that every engine needs around its trees (van den Bergen, Collision Detection in
/// Interactive 3D Environments, 2003, chapter 3; Gomez, Simple Intersection Tests for Games, 1999; Arvo, Graphics Gems,
/// 1990; Gottschalk, Lin and Manocha, 1996).
///
/// The shapes are those of geometry.h: closed, solid sets in one common frame.
///
/// What is exact: every verdict (`intersects`, `side`, whether a line hits) is that of real arithmetic on the given
/// doubles, without a tolerance, for all finite inputs, and the same on every CPU. Rounded values:
/// - A distance or a depth is the smallest double that is not less than the true one, so two shapes are within x
///   exactly if x >= distance; infinite where it exceeds the largest double. Only shapes that intersect have distance
///   0.
/// - A parameter `enter` is the largest double that is not greater than the true one, `exit` the smallest one that is
///   not less.
/// - With s = 2^-43 times the size of the scene, the largest magnitude among the coordinates, extents and radii of the
///   two shapes (of a plane, its distance from the origin), as long as that is between 2^-900 and 2^900: the points of
///   a signed distance are within s of their shapes, their difference within s of distance * normal or -depth * normal
///   in each coordinate, and moving b by depth * normal leaves an overlap of s at most.
///
/// The functions for each pair of shapes: i *_intersect(), d *_distance(), s *_signed_distance(), which is a distance,
/// a depth, points and a normal, p *_plane_distance(), the side of a plane and how far, b any of these in batches.
///
///              sphere   capsule   aabb     obb      triangle   plane
///   sphere     i s b    i s       i s b    i s      i s b      p s b
///   capsule             i s b     i d s    i d s b  i d s      p
///   aabb                          i s b    i s      i d        p b
///   obb                                    i s b    i d        p
///   triangle                                        (1)        p
///
/// (1) dbvh_triangles_intersect() of collide.h and dbvh_triangles_distance() of distance.h. A point is a sphere of
/// radius 0, a segment a capsule of radius 0, and a dbvh_box the dbvh_obb of the same centre and half sides with the
/// axes of space, to the bit; a segment intersects a sphere, an aabb, an obb or a triangle by functions of its own,
/// too, and *_hit() tells where, also of a plane. There is no depth of a triangle and a box.
///
/// The functions for one pair take no dbvh_error: they have two or three arguments, the status says what is wrong with
/// one of them, and loops over millions of pairs have no use for a sentence. Batches take one, which names the pair.
///
/// Every function returns a status: DBVH_NOT_FINITE for NaN or infinity in a shape; DBVH_INVALID_ARGUMENT for NULL, a
/// negative radius or half side, a min above its max, or a plane whose normal is zero; DBVH_NOT_RIGID for an oriented
/// box whose axes are too far from unit vectors at right angles. *out is all zero then. No allocation, any thread.
/// Where doubles decide a test, which is almost always, it takes ten to seven hundred nanoseconds, a
/// distance or a hit 0.2 to 20 microseconds (bench/results/primitives.txt); where shapes touch or nearly do,
/// integers of any length decide in some ten microseconds, or some hundred where exponents are at the ends of the
/// range.

#ifndef DUALBVH_PRIMITIVES_H
#define DUALBVH_PRIMITIVES_H

#include "dualbvh/base.h"
#include "dualbvh/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// Answers

/// The distance of two shapes, or the depth of one in the other.
typedef struct dbvh_signed_distance {
	double distance; ///< 0 where they intersect
	/// The length of the shortest translation that leaves them touching only; 0 where they are disjoint or touch
	/// already.
	double depth;
	/// The points between which the distance or the depth is taken: point_b - point_a is distance * normal or
	/// -depth * normal, up to rounding (see above).
	double point_a[3], point_b[3];
	/// A unit vector from a to b: moving b by depth * normal ends the overlap, up to rounding. Where
	/// several directions are equally good it is one of them, the same each time.
	double normal[3];
} dbvh_signed_distance;

/// The intersection of a line with a convex shape: its points with t in [enter, exit].
typedef struct dbvh_hit_interval {
	bool intersects;    ///< false: all else is 0
	bool inside;        ///< the start is in the shape; enter is 0 then, and `point` the start, no point of the boundary
	double enter, exit; ///< the first and last t; `exit` may be infinite for a ray where it exceeds the largest double
	/// The point at `enter`; each coordinate is off by at most 2^-50 (|from| + |t step|) of that coordinate, while
	/// neither t nor a step that is not 0 is denormal.
	double point[3];
} dbvh_hit_interval;

/// The first intersection of a line with a triangle; of a line in the plane of the triangle it may be on an edge.
typedef struct dbvh_hit {
	bool intersects; ///< false: all else is 0
	double t;        ///< the parameter, rounded to nearest (ties to even); infinite where it exceeds the largest double
	/// The point at t; each coordinate is off by at most 2^-50 (|from| + |t step|) of that coordinate, t being the true
	/// parameter, also where it rounds to 0, and by 2^-1073, while no step that is not 0 is denormal; NaN or infinite
	/// where t or the step overflows.
	double point[3];
} dbvh_hit;

/// The side and the distance of a shape from a plane.
typedef struct dbvh_plane_distance {
	int side; ///< 1: wholly above, -1: wholly below, 0: intersects the plane
	/// The distance from the plane with the sign of `side`, rounded away from zero.
	double distance;
} dbvh_plane_distance;

// ------------------------------------------------------------------------------------------------
// Spheres

DBVH_API dbvh_status dbvh_sphere_sphere_intersect( const dbvh_sphere *a, const dbvh_sphere *b, bool *intersect_out );
/// The normal of concentric spheres is the x axis.
DBVH_API dbvh_status dbvh_sphere_sphere_signed_distance( const dbvh_sphere *a, const dbvh_sphere *b,
                                                         dbvh_signed_distance *signed_distance_out );

/// Arvo's test: the squared distance is a sum over the axes.
DBVH_API dbvh_status dbvh_sphere_aabb_intersect( const dbvh_sphere *a, const dbvh_aabb *b, bool *intersect_out );
/// With the centre in the box, the depth is along the axis of the nearest face; of equally near ones x before y before
/// z, max before min.
DBVH_API dbvh_status dbvh_sphere_aabb_signed_distance( const dbvh_sphere *a, const dbvh_aabb *b,
                                                       dbvh_signed_distance *signed_distance_out );

DBVH_API dbvh_status dbvh_sphere_obb_intersect( const dbvh_sphere *a, const dbvh_obb *b, bool *intersect_out );
DBVH_API dbvh_status dbvh_sphere_obb_signed_distance( const dbvh_sphere *a, const dbvh_obb *b,
                                                      dbvh_signed_distance *signed_distance_out );

DBVH_API dbvh_status dbvh_sphere_capsule_intersect( const dbvh_sphere *a, const dbvh_capsule *b, bool *intersect_out );
DBVH_API dbvh_status dbvh_sphere_capsule_signed_distance( const dbvh_sphere *a, const dbvh_capsule *b,
                                                          dbvh_signed_distance *signed_distance_out );

DBVH_API dbvh_status dbvh_sphere_triangle_intersect( const dbvh_sphere *a, const dbvh_triangle *b,
                                                     bool *intersect_out );
DBVH_API dbvh_status dbvh_sphere_triangle_signed_distance( const dbvh_sphere *a, const dbvh_triangle *b,
                                                           dbvh_signed_distance *signed_distance_out );

// ------------------------------------------------------------------------------------------------
// Boxes

DBVH_API dbvh_status dbvh_aabb_aabb_intersect( const dbvh_aabb *a, const dbvh_aabb *b, bool *intersect_out );
/// The depth is along the axis of least overlap, of equal ones x before y before z.
DBVH_API dbvh_status dbvh_aabb_aabb_signed_distance( const dbvh_aabb *a, const dbvh_aabb *b,
                                                     dbvh_signed_distance *signed_distance_out );

DBVH_API dbvh_status dbvh_box_box_intersect( const dbvh_box *a, const dbvh_box *b, bool *intersect_out );

/// Tests fifteen axes: the normals of the faces, and the cross products of the edges.
DBVH_API dbvh_status dbvh_obb_obb_intersect( const dbvh_obb *a, const dbvh_obb *b, bool *intersect_out );

/// The depth of boxes that intersect is the least overlap along the fifteen axes.
DBVH_API dbvh_status dbvh_obb_obb_signed_distance( const dbvh_obb *a, const dbvh_obb *b,
                                                   dbvh_signed_distance *signed_distance_out );
DBVH_API dbvh_status dbvh_aabb_obb_intersect( const dbvh_aabb *a, const dbvh_obb *b, bool *intersect_out );
DBVH_API dbvh_status dbvh_aabb_obb_signed_distance( const dbvh_aabb *a, const dbvh_obb *b,
                                                    dbvh_signed_distance *signed_distance_out );

/// Computes the smallest box of doubles that holds the shape. Bounds beyond the largest double are infinite, which
/// every test refuses. The result may lie where the shape does, as in a union: it is written last.
DBVH_API dbvh_status dbvh_box_to_aabb( const dbvh_box *box, dbvh_aabb *aabb_out );
DBVH_API dbvh_status dbvh_obb_to_aabb( const dbvh_obb *obb, dbvh_aabb *aabb_out );
DBVH_API dbvh_status dbvh_sphere_to_aabb( const dbvh_sphere *sphere, dbvh_aabb *aabb_out );
DBVH_API dbvh_status dbvh_capsule_to_aabb( const dbvh_capsule *capsule, dbvh_aabb *aabb_out );

// ------------------------------------------------------------------------------------------------
// Capsules and triangles

DBVH_API dbvh_status dbvh_capsule_capsule_intersect( const dbvh_capsule *a, const dbvh_capsule *b,
                                                     bool *intersect_out );
/// The normal of capsules whose axes intersect is perpendicular to both.
DBVH_API dbvh_status dbvh_capsule_capsule_signed_distance( const dbvh_capsule *a, const dbvh_capsule *b,
                                                           dbvh_signed_distance *signed_distance_out );

DBVH_API dbvh_status dbvh_capsule_triangle_intersect( const dbvh_capsule *a, const dbvh_triangle *b,
                                                      bool *intersect_out );
DBVH_API dbvh_status dbvh_capsule_triangle_distance( const dbvh_capsule *a, const dbvh_triangle *b,
                                                     double *distance_out );

/// If the axis intersects the triangle, the depth is the radius plus the shortest translation after which axis and
/// triangle only touch.
DBVH_API dbvh_status dbvh_capsule_triangle_signed_distance( const dbvh_capsule *a, const dbvh_triangle *b,
                                                            dbvh_signed_distance *signed_distance_out );

DBVH_API dbvh_status dbvh_capsule_aabb_intersect( const dbvh_capsule *a, const dbvh_aabb *b, bool *intersect_out );
DBVH_API dbvh_status dbvh_capsule_aabb_distance( const dbvh_capsule *a, const dbvh_aabb *b, double *distance_out );
/// If the axis intersects the box, the depth is the radius plus the least overlap of axis and box along six axes.
DBVH_API dbvh_status dbvh_capsule_aabb_signed_distance( const dbvh_capsule *a, const dbvh_aabb *b,
                                                        dbvh_signed_distance *signed_distance_out );

DBVH_API dbvh_status dbvh_capsule_obb_intersect( const dbvh_capsule *a, const dbvh_obb *b, bool *intersect_out );
DBVH_API dbvh_status dbvh_capsule_obb_distance( const dbvh_capsule *a, const dbvh_obb *b, double *distance_out );
/// Depth and normal are chosen as by dbvh_capsule_aabb_signed_distance().
DBVH_API dbvh_status dbvh_capsule_obb_signed_distance( const dbvh_capsule *a, const dbvh_obb *b,
                                                       dbvh_signed_distance *signed_distance_out );

/// Tests thirteen axes. (Two triangles: dbvh_triangles_intersect() and dbvh_triangles_distance().)
DBVH_API dbvh_status dbvh_triangle_aabb_intersect( const dbvh_triangle *a, const dbvh_aabb *b, bool *intersect_out );
DBVH_API dbvh_status dbvh_triangle_obb_intersect( const dbvh_triangle *a, const dbvh_obb *b, bool *intersect_out );
DBVH_API dbvh_status dbvh_triangle_aabb_distance( const dbvh_triangle *a, const dbvh_aabb *b, double *distance_out );
DBVH_API dbvh_status dbvh_triangle_obb_distance( const dbvh_triangle *a, const dbvh_obb *b, double *distance_out );

// ------------------------------------------------------------------------------------------------
// Planes

/// Makes the plane through a point with a normal (Gomez 1999, listing 1) of any length but zero, which is copied. The
/// offset is normal . point, rounded to nearest. DBVH_LIMIT where it exceeds the largest double.
DBVH_API dbvh_status dbvh_plane_from_point( const double point[3], const double normal[3], dbvh_plane *plane_out );

/// Makes the plane through three points, which are anticlockwise seen from above. The normal is a unit vector, each
/// coordinate within 2^-50 of the true one's, also where the points are nearly in a line, and the offset that of `a`
/// and this normal. INVALID_ARGUMENT where they are in a line exactly, DBVH_LIMIT where the offset exceeds the largest
/// double.
DBVH_API dbvh_status dbvh_plane_from_points( const double a[3], const double b[3], const double c[3],
                                             dbvh_plane *plane_out );

DBVH_API dbvh_status dbvh_point_plane_distance( const double point[3], const dbvh_plane *plane,
                                                dbvh_plane_distance *plane_distance_out );
DBVH_API dbvh_status dbvh_sphere_plane_distance( const dbvh_sphere *sphere, const dbvh_plane *plane,
                                                 dbvh_plane_distance *plane_distance_out );
DBVH_API dbvh_status dbvh_aabb_plane_distance( const dbvh_aabb *aabb, const dbvh_plane *plane,
                                               dbvh_plane_distance *plane_distance_out );
DBVH_API dbvh_status dbvh_obb_plane_distance( const dbvh_obb *obb, const dbvh_plane *plane,
                                              dbvh_plane_distance *plane_distance_out );
DBVH_API dbvh_status dbvh_capsule_plane_distance( const dbvh_capsule *capsule, const dbvh_plane *plane,
                                                  dbvh_plane_distance *plane_distance_out );
DBVH_API dbvh_status dbvh_triangle_plane_distance( const dbvh_triangle *triangle, const dbvh_plane *plane,
                                                   dbvh_plane_distance *plane_distance_out );
/// Computes only the side, as in dbvh_plane_distance.
DBVH_API dbvh_status dbvh_sphere_plane_side( const dbvh_sphere *sphere, const dbvh_plane *plane, int *side_out );
DBVH_API dbvh_status dbvh_aabb_plane_side( const dbvh_aabb *aabb, const dbvh_plane *plane, int *side_out );

/// The second shape is the plane itself, not the space below it. If the centre is on the plane, the normal is that of
/// the plane, negated.
DBVH_API dbvh_status dbvh_sphere_plane_signed_distance( const dbvh_sphere *sphere, const dbvh_plane *plane,
                                                        dbvh_signed_distance *signed_distance_out );

// ------------------------------------------------------------------------------------------------
// Segments and rays

DBVH_API dbvh_status dbvh_segment_sphere_hit( const dbvh_segment *segment, const dbvh_sphere *sphere,
                                              dbvh_hit_interval *interval_out );
DBVH_API dbvh_status dbvh_ray_sphere_hit( const dbvh_ray *ray, const dbvh_sphere *sphere,
                                          dbvh_hit_interval *interval_out );
DBVH_API dbvh_status dbvh_segment_aabb_hit( const dbvh_segment *segment, const dbvh_aabb *aabb,
                                            dbvh_hit_interval *interval_out );
DBVH_API dbvh_status dbvh_ray_aabb_hit( const dbvh_ray *ray, const dbvh_aabb *aabb, dbvh_hit_interval *interval_out );
DBVH_API dbvh_status dbvh_segment_obb_hit( const dbvh_segment *segment, const dbvh_obb *obb,
                                           dbvh_hit_interval *interval_out );
DBVH_API dbvh_status dbvh_ray_obb_hit( const dbvh_ray *ray, const dbvh_obb *obb, dbvh_hit_interval *interval_out );

/// A segment or a ray either has one point in common with the plane, and enter and exit are next to its parameter or
/// equal to it, or lies in the plane, from 0 to 1 or to infinity. `inside` is true if it starts in the plane. The point
/// is infinite where a parameter exceeds the largest double.
DBVH_API dbvh_status dbvh_segment_plane_hit( const dbvh_segment *segment, const dbvh_plane *plane,
                                             dbvh_hit_interval *interval_out );
DBVH_API dbvh_status dbvh_ray_plane_hit( const dbvh_ray *ray, const dbvh_plane *plane,
                                         dbvh_hit_interval *interval_out );

DBVH_API dbvh_status dbvh_segment_triangle_hit( const dbvh_segment *segment, const dbvh_triangle *triangle,
                                                dbvh_hit *hit_out );
DBVH_API dbvh_status dbvh_ray_triangle_hit( const dbvh_ray *ray, const dbvh_triangle *triangle, dbvh_hit *hit_out );

/// Tells only whether there is a hit, in half of the time.
DBVH_API dbvh_status dbvh_segment_sphere_intersect( const dbvh_segment *segment, const dbvh_sphere *sphere,
                                                    bool *intersect_out );
DBVH_API dbvh_status dbvh_segment_aabb_intersect( const dbvh_segment *segment, const dbvh_aabb *aabb,
                                                  bool *intersect_out );
/// Tests six axes: the normals of the faces, and the cross products of the edges with the segment.
DBVH_API dbvh_status dbvh_segment_obb_intersect( const dbvh_segment *segment, const dbvh_obb *obb,
                                                 bool *intersect_out );
DBVH_API dbvh_status dbvh_segment_triangle_intersect( const dbvh_segment *segment, const dbvh_triangle *triangle,
                                                      bool *intersect_out );

// ------------------------------------------------------------------------------------------------
// Many at once
//
// Structures of arrays: element i of a shape is made of element i of each array. The two counts are equal, and element
// i intersects element i, or one of them is 1, and that shape intersects each of the other's. The verdicts are those of
// the functions above, bit by bit: lanes that doubles do not decide are decided by them. intersect_out[i] is 1 or 0.
//
// A pair that is refused leaves the others valid: its intersect_out is 0, and the call returns the status of the first
// such pair, with its index in error->element (`error` may be NULL). Other errors: INVALID_ARGUMENT for NULL and for
// counts that differ, unless one of them is 1. A count of zero does nothing. The arrays need no alignment but that of
// their elements; intersect_out may not overlap them. One thread; calls on parts of the arrays may run at the same
// time.

typedef struct dbvh_sphere_array {
	const double *centre[3];
	const double *radius;
	size_t count;
} dbvh_sphere_array;

typedef struct dbvh_aabb_array {
	const double *min[3], *max[3];
	size_t count;
} dbvh_aabb_array;

typedef struct dbvh_obb_array {
	const double *centre[3];
	const double *axis[3][3];
	const double *half[3];
	size_t count;
} dbvh_obb_array;

typedef struct dbvh_capsule_array {
	const double *from[3], *to[3];
	const double *radius;
	size_t count;
} dbvh_capsule_array;

typedef struct dbvh_segment_array {
	const double *from[3], *to[3];
	size_t count;
} dbvh_segment_array;

typedef struct dbvh_ray_array {
	const double *from[3], *direction[3];
	size_t count;
} dbvh_ray_array;

typedef struct dbvh_plane_array {
	const double *normal[3];
	const double *offset;
	size_t count;
} dbvh_plane_array;

typedef struct dbvh_triangle_array {
	const double *corner[3][3];
	size_t count;
} dbvh_triangle_array;

DBVH_API dbvh_status dbvh_sphere_sphere_intersect_batch( const dbvh_sphere_array *a, const dbvh_sphere_array *b,
                                                         uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_sphere_aabb_intersect_batch( const dbvh_sphere_array *a, const dbvh_aabb_array *b,
                                                       uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_aabb_aabb_intersect_batch( const dbvh_aabb_array *a, const dbvh_aabb_array *b,
                                                     uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_obb_obb_intersect_batch( const dbvh_obb_array *a, const dbvh_obb_array *b,
                                                   uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_sphere_triangle_intersect_batch( const dbvh_sphere_array *a, const dbvh_triangle_array *b,
                                                           uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_capsule_capsule_intersect_batch( const dbvh_capsule_array *a, const dbvh_capsule_array *b,
                                                           uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_segment_sphere_intersect_batch( const dbvh_segment_array *a, const dbvh_sphere_array *b,
                                                          uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_segment_aabb_intersect_batch( const dbvh_segment_array *a, const dbvh_aabb_array *b,
                                                        uint8_t *intersect_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_capsule_obb_intersect_batch( const dbvh_capsule_array *a, const dbvh_obb_array *b,
                                                       uint8_t *intersect_out, dbvh_error *error );
/// side_out[i] is 1, -1 or 0 as dbvh_plane_distance.side.
DBVH_API dbvh_status dbvh_sphere_plane_side_batch( const dbvh_sphere_array *a, const dbvh_plane_array *b,
                                                   int8_t *side_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_aabb_plane_side_batch( const dbvh_aabb_array *a, const dbvh_plane_array *b, int8_t *side_out,
                                                 dbvh_error *error );

// Batches whose answers are numbers: bit by bit those of the functions for one pair, a distance being `distance` of the
// *_signed_distance() function. The answer of a pair that is refused is all zero. Kernels compute in pairs of doubles
// and round where that leaves no doubt. Pairs next to a change of the nearest feature, lines that graze, and answers
// that are doubles exactly, as on coarse grids (but not before the face of a box, nor of a line that enters a box
// there), are left to single calls: if all are of that kind, a batch is no faster than a loop.
DBVH_API dbvh_status dbvh_sphere_sphere_distance_batch( const dbvh_sphere_array *a, const dbvh_sphere_array *b,
                                                        double *distance_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_sphere_aabb_distance_batch( const dbvh_sphere_array *a, const dbvh_aabb_array *b,
                                                      double *distance_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_sphere_triangle_distance_batch( const dbvh_sphere_array *a, const dbvh_triangle_array *b,
                                                          double *distance_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_capsule_capsule_distance_batch( const dbvh_capsule_array *a, const dbvh_capsule_array *b,
                                                          double *distance_out, dbvh_error *error );

DBVH_API dbvh_status dbvh_ray_sphere_hit_batch( const dbvh_ray_array *a, const dbvh_sphere_array *b,
                                                dbvh_hit_interval *interval_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_segment_sphere_hit_batch( const dbvh_segment_array *a, const dbvh_sphere_array *b,
                                                    dbvh_hit_interval *interval_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_ray_aabb_hit_batch( const dbvh_ray_array *a, const dbvh_aabb_array *b,
                                              dbvh_hit_interval *interval_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_segment_aabb_hit_batch( const dbvh_segment_array *a, const dbvh_aabb_array *b,
                                                  dbvh_hit_interval *interval_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_ray_triangle_hit_batch( const dbvh_ray_array *a, const dbvh_triangle_array *b,
                                                  dbvh_hit *hit_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_segment_triangle_hit_batch( const dbvh_segment_array *a, const dbvh_triangle_array *b,
                                                      dbvh_hit *hit_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_PRIMITIVES_H
