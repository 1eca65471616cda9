// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file probe.h
/// A posed mesh against points, segments and rays.
///
/// Points, segments and rays are given in the common frame; the mesh is placed by a pose, taken literally, so its
/// corners are rot x + pos in real arithmetic. Triangles are closed: a hit through an edge or a corner is a hit. A
/// triangle of zero area is the segment or the point it has shrunk to. Whether there is a hit, which triangle is hit
/// first, which one is nearest and which of two equal ones is reported are decided in real arithmetic, without a
/// tolerance, and are the same on every CPU and for every thread count. What is rounded is said below. All functions
/// only read the tree; a workspace must not be shared between threads.

#ifndef DUALBVH_PROBE_H
#define DUALBVH_PROBE_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// Segments and rays

typedef enum dbvh_line_kind {
	DBVH_LINE_SEGMENT, ///< from + t (to - from), t in [0, 1]; both ends belong to it
	DBVH_LINE_RAY,     ///< from + t to, t in [0, infinity): `to` is a direction of any length
} dbvh_line_kind;

/// A segment or a ray. A segment whose ends are equal, and a ray of direction zero, is the point `from`; its only t is
/// 0.
typedef struct dbvh_line {
	double from[3];
	double to[3]; ///< the other end of a segment; the direction of a ray
	dbvh_line_kind kind;
} dbvh_line;

/// Where a line meets a triangle: the first point they have in common.
typedef struct dbvh_hit {
	uint32_t triangle; ///< its number in file order
	/// The parameter of that point, rounded to nearest (ties to even); infinite where it exceeds the largest double.
	double t;
	/// from + t (to - from), or from + t to. Each coordinate is computed in doubles from the rounded t and is off by at
	/// most 2^-50 (|from| + |t step|) of that coordinate, step being to - from or to, while neither t nor a step that
	/// is not 0 is denormal. NaN or infinite where t or the step overflows.
	double point[3];
} dbvh_hit;

typedef enum dbvh_line_find {
	DBVH_LINE_ANY,   ///< does it meet the mesh at all? The cheapest; no hit is reported
	DBVH_LINE_FIRST, ///< the hit with the smallest t; of equal ones that of the lowest triangle
	DBVH_LINE_ALL,   ///< one hit for each triangle that is met
} dbvh_line_find;

/// What is asked. Zero-initialised, it asks whether the line meets the mesh.
typedef struct dbvh_line_query {
	dbvh_line_find find;
	dbvh_hit *hits;      ///< DBVH_LINE_ALL: where hits go; may be NULL if hit_capacity is 0
	size_t hit_capacity; ///< room in `hits`
} dbvh_line_query;

typedef struct dbvh_line_result {
	bool meets;
	dbvh_hit first;     ///< DBVH_LINE_FIRST and DBVH_LINE_ALL, when it meets: the first hit
	dbvh_status status; ///< dbvh_probe_lines(): why this line has no answer; else, and elsewhere, DBVH_OK
	size_t hit_count;   ///< DBVH_LINE_ALL: how many triangles are met, whether or not there was room; else 0 or 1
	/// DBVH_LINE_ALL: how many hits are in query->hits: the first ones, sorted by the exact t, then by triangle.
	size_t hit_written;
	/// box_tests: boxes compared with the line; triangle_tests: triangles; exact_tests: of those, undecided by the
	/// filter.
	dbvh_counters counters;
} dbvh_line_result;

/// Where does a line meet the mesh posed by `pose` (NULL: the identity)?
///
/// `query` NULL asks only whether it does; `workspace` NULL allocates one for this call. One that has been reserved
/// with dbvh_workspace_reserve( workspace, tree, tree, hit_capacity ) is large enough. Cost: O(log n) boxes for a short
/// line or a first hit near the origin, and more the more boxes the line passes through. An origin farther away than
/// 2^40 times the size of the mesh loses the help of the boxes, not the exactness. Errors: INVALID_ARGUMENT, NOT_FINITE
/// (pose or line), NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then.
DBVH_API dbvh_status dbvh_probe_line( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_line *line,
                                      const dbvh_line_query *query, dbvh_workspace *workspace,
                                      dbvh_line_result *result_out );

/// The same for many lines on several threads. results[i] is what dbvh_probe_line( tree, pose, &lines[i], ... ) says,
/// bit by bit, whatever the number of threads. `query` and `options` may be NULL. With DBVH_LINE_ALL, line i writes its
/// hits to query->hits from options->pair_begin[i] up to, and without, options->pair_begin[i + 1] (without pair_begin,
/// hit_capacity must be 0); see dbvh_collide_batch(). A line that is refused spoils no other: its result is all zero
/// but for `status`, and the call returns the status of the first such line, its index in error->element. Errors: as
/// above; every result is all zero then, except where a line is to blame.
DBVH_API dbvh_status dbvh_probe_lines( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_line *lines,
                                       size_t line_count, const dbvh_line_query *query,
                                       const dbvh_batch_options *options, dbvh_line_result *results_out,
                                       dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Nearest points

/// The point of a posed mesh that is nearest to a given one.
typedef struct dbvh_nearest {
	bool found;         ///< there is one within the distance that was asked for
	uint32_t triangle;  ///< that it lies on; of equally near ones the lowest, by number in file order
	dbvh_status status; ///< dbvh_probe_nearest_batch(): why this point has no answer; else, and elsewhere, DBVH_OK
	/// The smallest double that is not less than the true distance: the mesh is within x exactly if x >= distance. 0
	/// only if the point lies on the mesh; infinite where it exceeds the largest double.
	double distance;
	/// A convex combination of the corners, its weights rounded: each coordinate is off by at most
	/// 2^-46 times the largest coordinate of the mesh and of pose->pos.
	double point[3];
	dbvh_counters counters; ///< as in dbvh_line_result
} dbvh_nearest;

/// The nearest point of the mesh posed by `pose` (NULL: the identity) to `point`, if it is within `max_distance`
/// (inclusive, decided exactly; INFINITY for no bound, which finds one always).
///
/// `workspace` NULL allocates one for this call; dbvh_workspace_reserve( workspace, tree, tree, 0 ) makes one large
/// enough. Cost: O(log n) boxes for points near the surface, more where many triangles are almost equally near. Errors:
/// INVALID_ARGUMENT (also a max_distance that is negative or NaN), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *nearest_out
/// is all zero then.
DBVH_API dbvh_status dbvh_probe_nearest( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                         double max_distance, dbvh_workspace *workspace, dbvh_nearest *nearest_out );

/// The same for many points, three doubles each, on several threads. nearest_out[i] is what dbvh_probe_nearest() says
/// of point i, bit by bit, whatever the number of threads. `options` may be NULL; its pair_begin is not looked at. A
/// point that is refused spoils no other, as in dbvh_probe_lines().
DBVH_API dbvh_status dbvh_probe_nearest_batch( const dbvh_tree *tree, const dbvh_pose *pose, const double *points,
                                               size_t point_count, double max_distance,
                                               const dbvh_batch_options *options, dbvh_nearest *nearest_out,
                                               dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_PROBE_H
