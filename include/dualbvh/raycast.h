// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file raycast.h
/// Ray casts (picking, line of sight, stabbing queries): the hits of a ray or a segment on a posed mesh.
///
/// Rays and segments are given in the common frame; the mesh is placed by a pose, taken literally, so its corners are
/// rot x + pos in real arithmetic. Triangles are closed: a hit through an edge or a corner is a hit. A triangle of zero
/// area is the segment or the point it has shrunk to. Whether there is a hit, which triangle is hit first and which of
/// two equal ones is reported are decided in real arithmetic, without a tolerance, and are the same on every CPU and
/// for every thread count. Parameters and points are rounded as their members say.

#ifndef DUALBVH_RAYCAST_H
#define DUALBVH_RAYCAST_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A hit of a ray or a segment on a triangle: the first point that they have in common.
typedef struct dbvh_ray_hit {
	uint32_t triangle; ///< its number in file order
	/// The parameter of that point, rounded to nearest (ties to even); infinite where it exceeds the largest double.
	double t;
	/// from + t direction, or from + t (to - from). Each coordinate is computed in doubles from the rounded t and is
	/// off by at most 2^-50 (|from| + |t step|) of that coordinate, step being direction or to - from, while neither t
	/// nor a step that is not 0 is subnormal; NaN or infinite where t or the step overflows.
	double point[3];
} dbvh_ray_hit;

/// The query. All zero: whether there is a hit.
typedef struct dbvh_raycast_query {
	/// DBVH_FIND_ANY: only whether there is a hit, the cheapest query; no hit is reported. DBVH_FIND_CLOSEST: the hit
	/// with the smallest t; of equal hits that on the lowest triangle. DBVH_FIND_ALL: one hit for each triangle that is
	/// hit.
	dbvh_find find;
	dbvh_ray_hit *hits;  ///< DBVH_FIND_ALL: array for the hits; may be NULL if hit_capacity is 0
	size_t hit_capacity; ///< number of hits that `hits` has room for
	/// A batch with DBVH_FIND_ALL: ray i writes to `hits` from hit_begin[i] up to, and without, hit_begin[i + 1].
	/// ray_count + 1 ascending numbers, the last at most hit_capacity. NULL in a single call.
	const size_t *hit_begin;
	/// A limit on the work of a ray; NULL: none. Where it ends the call, the result has the hits found until then,
	/// which need be neither all nor the first. With DBVH_FIND_ANY a hit is the answer, and the call succeeds. In a
	/// batch, max_work holds for each ray, and is_cancelled ends all rays that have no answer yet.
	const dbvh_budget *budget;
} dbvh_raycast_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_raycast_query dbvh_raycast_query_default( void );

/// The answer, and its cost.
typedef struct dbvh_raycast_result {
	bool intersects;
	dbvh_ray_hit first; ///< with DBVH_FIND_CLOSEST and DBVH_FIND_ALL the first hit, if there is one
	dbvh_status status; ///< in a batch the reason why this ray has no answer; else DBVH_OK
	size_t hit_count;   ///< DBVH_FIND_ALL: number of triangles hit, whether or not there was room; else 0 or 1
	/// DBVH_FIND_ALL: number of hits in query->hits: the first ones, sorted by the exact t, then by triangle.
	size_t hit_written;
	/// box_tests counts boxes compared with the line, triangle_tests triangles, exact_tests triangles that the filter
	/// left undecided.
	dbvh_counters counters;
} dbvh_raycast_result;

/// Finds the hits of a ray on the mesh posed by `pose` (NULL: the identity). The ray is given in the common frame; a
/// ray of direction zero is the point `from`, and its only t is 0.
///
/// `query` NULL asks only whether there is a hit; `workspace` NULL allocates one for this call; dbvh_workspace_reserve(
/// workspace, tree, tree, hit_capacity, NULL ) makes one large enough. Cost: O(log n) boxes for a short segment or a
/// first hit near the origin, and more the more boxes the line passes through. For an origin farther away than 2^40
/// times the size of the mesh, boxes discard nothing, and the answer is still exact. Errors: INVALID_ARGUMENT,
/// NOT_FINITE (pose or ray), NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. With a budget also BUDGET_SPENT
/// and CANCELLED. Thread safety: the tree is only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_raycast( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_ray *ray,
                                   const dbvh_raycast_query *query, dbvh_workspace *workspace,
                                   dbvh_raycast_result *result_out, dbvh_error *error );

/// dbvh_raycast() for a segment, whose t goes from 0 to 1; both ends belong to it. A segment whose ends are equal is
/// that point; its only t is 0.
DBVH_API dbvh_status dbvh_segment_cast( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_segment *segment,
                                        const dbvh_raycast_query *query, dbvh_workspace *workspace,
                                        dbvh_raycast_result *result_out, dbvh_error *error );

/// dbvh_raycast() for many rays on several threads. results_out[i] is the result of dbvh_raycast( tree, pose, &rays[i],
/// ... ), bit by bit, whatever the number of threads. `query` and `options` may be NULL. With DBVH_FIND_ALL, the caller
/// divides query->hits among the rays by query->hit_begin (without it hit_capacity must be 0); dbvh_collide_batch()
/// shows how. A ray that is refused leaves the other results valid: its own is all zero but for `status`, and the call
/// returns the status of the first such ray, with its index in error->element. Errors: those of dbvh_raycast(); every
/// result is all zero then, except where the error is about a ray. Thread safety: as dbvh_collide_batch().
DBVH_API dbvh_status dbvh_raycast_batch( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_ray *rays,
                                         size_t ray_count, const dbvh_raycast_query *query,
                                         const dbvh_batch_options *options, dbvh_raycast_result *results_out,
                                         dbvh_error *error );

/// dbvh_segment_cast() for many segments on several threads; see dbvh_raycast_batch().
DBVH_API dbvh_status dbvh_segment_cast_batch( const dbvh_tree *tree, const dbvh_pose *pose,
                                              const dbvh_segment *segments, size_t segment_count,
                                              const dbvh_raycast_query *query, const dbvh_batch_options *options,
                                              dbvh_raycast_result *results_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_RAYCAST_H
