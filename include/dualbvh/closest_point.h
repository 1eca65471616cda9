// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file closest_point.h
/// The point of a posed mesh that is closest to a given one (nearest point, projection onto a mesh).
///
/// Points are given in the common frame; the mesh is placed by a pose, taken literally, so its corners are rot x + pos
/// in real arithmetic. Which triangle is closest, and which of equal ones is reported, is decided in real arithmetic,
/// without a tolerance, and is the same on every CPU and for every thread count.

#ifndef DUALBVH_CLOSEST_POINT_H
#define DUALBVH_CLOSEST_POINT_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The query. All zero: the closest point, however far away.
typedef struct dbvh_closest_point_query {
	double limit; ///< the largest distance of interest: a point beyond it counts as not found; 0 or INFINITY: no limit
	/// A limit on the work of a point; NULL: none. Where it ends the call, the result is the closest point found until
	/// then, if any. In a batch, max_work holds for each point, and is_cancelled ends all points that have no answer
	/// yet.
	const dbvh_budget *budget;
} dbvh_closest_point_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_closest_point_query dbvh_closest_point_query_default( void );

/// The closest point, and the cost of finding it.
typedef struct dbvh_closest_point_result {
	bool found; ///< true if a point of the mesh is within the limit
	/// The triangle that the point lies on; of equally close ones the lowest, by number in file order.
	uint32_t triangle;
	dbvh_status status; ///< dbvh_closest_point_batch(): the reason why this point has no answer; else DBVH_OK
	/// The distance, rounded up to the smallest double that is not less: the mesh is within x exactly if x >= distance.
	/// 0 only if the point lies on the mesh; infinite where it exceeds the largest double.
	double distance;
	/// The point, a convex combination of the corners with rounded weights: each coordinate is off by at most 2^-46
	/// times the largest coordinate of the mesh and of pose->pos.
	double point[3];
	dbvh_counters counters; ///< counts as in dbvh_raycast_result
} dbvh_closest_point_result;

/// Finds the point of the mesh posed by `pose` (NULL: the identity) that is closest to `point`, in the common frame.
///
/// `query` NULL asks without a limit; `workspace` NULL allocates one for this call; dbvh_workspace_reserve( workspace,
/// tree, tree, 0, NULL ) makes one large enough.
/// Cost: O(log n) boxes for points near the surface, more where many triangles are almost equally close.
/// Errors: INVALID_ARGUMENT (also a limit that is negative or NaN), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out
/// is all zero then. With a budget also BUDGET_SPENT and CANCELLED.
/// Thread safety: the tree is only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_closest_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                         const dbvh_closest_point_query *query, dbvh_workspace *workspace,
                                         dbvh_closest_point_result *result_out, dbvh_error *error );

/// dbvh_closest_point() for many points, three doubles each, on several threads. results_out[i] is its result for point
/// i, bit by bit, whatever the number of threads. `query` and `options` may be NULL. A point that is refused leaves the
/// other results valid: its own is all zero but for `status`, and the call returns the status of the first such point,
/// with its index in error->element. Errors: those of dbvh_closest_point(); every result is all zero then, except where
/// the error is about a point. Thread safety: as dbvh_collide_batch().
DBVH_API dbvh_status dbvh_closest_point_batch( const dbvh_tree *tree, const dbvh_pose *pose, const double *points,
                                               size_t point_count, const dbvh_closest_point_query *query,
                                               const dbvh_batch_options *options,
                                               dbvh_closest_point_result *results_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CLOSEST_POINT_H
