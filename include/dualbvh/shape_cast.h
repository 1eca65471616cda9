// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file shape_cast.h
/// Shape casts (swept tests of moving spheres and boxes): the times at which two primitives in motion touch. Each shape
/// moves along a straight line at constant speed, from where it is given, at time 0, by a translation, which is
/// complete at time 1, and does not turn. At time t the point x of a shape is x + t * translation, in real arithmetic.
///
/// For these convex shapes the times of contact are one closed interval, or none (Gomez 1999, with the mistakes of its
/// listings mended: roots outside the frame, no relative motion, axes that move away from each other, the plane's other
/// side).
///
/// Exact: whether there is a contact in [0, 1] at all, however short, and whether there is one at either end. Rounded:
/// `enter` is the largest double that is not later than the true first time of contact, `exit` the smallest one that is
/// not earlier than the true last one. One exception: for a sphere and a triangle whose contact begins, or ends,
/// without getting deeper, by sliding along or by touching at one time only, `enter` may be one double lower, or `exit`
/// one double higher, than that. A motion that ends in touching is a contact at time 1.
///
/// Errors and threads as in primitives.h; NaN or infinity in a translation is DBVH_NOT_FINITE too. Cost without contact
/// 0.1 to 0.5 microseconds, with contact one to three, of a triangle some twenty (bench/results/primitives.txt).

#ifndef DUALBVH_SHAPE_CAST_H
#define DUALBVH_SHAPE_CAST_H

#include "dualbvh/primitives.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The times at which the shapes touch, from 0 to 1.
typedef struct dbvh_shape_cast_result {
	bool intersects;    ///< true if the shapes touch at some time in [0, 1]; else all members are 0 or false
	bool at_start;      ///< true if they touch at time 0: `enter` is 0
	bool at_end;        ///< true if they touch at time 1: `exit` is 1
	double enter, exit; ///< the first and the last time of contact, in [0, 1]
} dbvh_shape_cast_result;

/// Computes the times of contact of two moving shapes. NULL for a translation means that the shape is at rest.
DBVH_API dbvh_status dbvh_sphere_sphere_cast( const dbvh_sphere *a, const double translation_a[3], const dbvh_sphere *b,
                                              const double translation_b[3], dbvh_shape_cast_result *result_out );
DBVH_API dbvh_status dbvh_aabb_aabb_cast( const dbvh_aabb *a, const double translation_a[3], const dbvh_aabb *b,
                                          const double translation_b[3], dbvh_shape_cast_result *result_out );
DBVH_API dbvh_status dbvh_sphere_aabb_cast( const dbvh_sphere *a, const double translation_a[3], const dbvh_aabb *b,
                                            const double translation_b[3], dbvh_shape_cast_result *result_out );
DBVH_API dbvh_status dbvh_sphere_triangle_cast( const dbvh_sphere *a, const double translation_a[3],
                                                const dbvh_triangle *b, const double translation_b[3],
                                                dbvh_shape_cast_result *result_out );

/// Computes the times of contact of a moving sphere, on either side, and a plane at rest.
DBVH_API dbvh_status dbvh_sphere_plane_cast( const dbvh_sphere *a, const double translation_a[3], const dbvh_plane *b,
                                             dbvh_shape_cast_result *result_out );

// ------------------------------------------------------------------------------------------------
// Where that is

/// The positions of the shapes of a cast at one time, and their contact there.
typedef struct dbvh_shape_cast_contact {
	/// The centre of a sphere or box, the first corner of a triangle; 0 for a plane. Each coordinate of the shape is
	/// rounded to nearest once; the centre of a box is that of its rounded corners.
	double position_a[3], position_b[3];
	/// The signed distance of the shapes at these positions: at `enter` or `exit` of a result, both points are the
	/// contact but for rounding, and the normal is the direction in which to push them apart. Where they overlap from
	/// the start, it has their depth.
	dbvh_signed_distance contact;
} dbvh_shape_cast_contact;

/// Computes positions and contact at `time`, from 0 to 1, for example at the times of a dbvh_shape_cast_result (Gomez
/// 1999: positions interpolated at the first and the last time). Errors: those of the cast; INVALID_ARGUMENT for a time
/// outside of [0, 1]; NOT_FINITE for NaN and infinity, and where a shape has moved beyond the largest double. Cost:
/// that of a signed distance.
DBVH_API dbvh_status dbvh_sphere_sphere_cast_contact( const dbvh_sphere *a, const double translation_a[3],
                                                      const dbvh_sphere *b, const double translation_b[3], double time,
                                                      dbvh_shape_cast_contact *contact_out );
DBVH_API dbvh_status dbvh_aabb_aabb_cast_contact( const dbvh_aabb *a, const double translation_a[3], const dbvh_aabb *b,
                                                  const double translation_b[3], double time,
                                                  dbvh_shape_cast_contact *contact_out );
DBVH_API dbvh_status dbvh_sphere_aabb_cast_contact( const dbvh_sphere *a, const double translation_a[3],
                                                    const dbvh_aabb *b, const double translation_b[3], double time,
                                                    dbvh_shape_cast_contact *contact_out );
DBVH_API dbvh_status dbvh_sphere_triangle_cast_contact( const dbvh_sphere *a, const double translation_a[3],
                                                        const dbvh_triangle *b, const double translation_b[3],
                                                        double time, dbvh_shape_cast_contact *contact_out );
DBVH_API dbvh_status dbvh_sphere_plane_cast_contact( const dbvh_sphere *a, const double translation_a[3],
                                                     const dbvh_plane *b, double time,
                                                     dbvh_shape_cast_contact *contact_out );

// ------------------------------------------------------------------------------------------------
// Many at once
//
// Batches take structures of arrays as in primitives.h, with the same rules. The translations are columns, too, x, y
// and z, as many as the shapes they belong to; NULL for shapes that stay. The answers are bit by bit those of the
// functions above, which decide where kernels cannot: where shapes touch at the start or the end of the motion only, or
// graze.
DBVH_API dbvh_status dbvh_sphere_sphere_cast_batch( const dbvh_sphere_array *a, const double *const translation_a[3],
                                                    const dbvh_sphere_array *b, const double *const translation_b[3],
                                                    dbvh_shape_cast_result *result_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_aabb_aabb_cast_batch( const dbvh_aabb_array *a, const double *const translation_a[3],
                                                const dbvh_aabb_array *b, const double *const translation_b[3],
                                                dbvh_shape_cast_result *result_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_sphere_triangle_cast_batch( const dbvh_sphere_array *a, const double *const translation_a[3],
                                                      const dbvh_triangle_array *b,
                                                      const double *const translation_b[3],
                                                      dbvh_shape_cast_result *result_out, dbvh_error *error );
DBVH_API dbvh_status dbvh_sphere_plane_cast_batch( const dbvh_sphere_array *a, const double *const translation_a[3],
                                                   const dbvh_plane_array *b, dbvh_shape_cast_result *result_out,
                                                   dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_SHAPE_CAST_H
