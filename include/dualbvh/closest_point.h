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

/// What is asked. All zero: for the closest point, however far away.
typedef struct dbvh_closest_point_query {
	double limit; ///< look no farther: what is beyond this length counts as not found; 0 or INFINITY: no limit
	/// How much work a point may cost; NULL: no limit. Where it ends the call, the result is the closest point found
	/// until then, if any. Of a batch, max_work is what each point may spend, and is_cancelled ends all that have no
	/// answer yet.
	const dbvh_budget *budget;
} dbvh_closest_point_query;

/// All zero. Any thread, constant time.
DBVH_API dbvh_closest_point_query dbvh_closest_point_query_default( void );

/// The closest point, and what it cost to find it.
typedef struct dbvh_closest_point_result {
	bool found;         ///< there is a point of the mesh within the limit
	uint32_t triangle;  ///< that it lies on; of equally close ones the lowest, by number in file order
	dbvh_status status; ///< dbvh_closest_point_batch(): why this point has no answer; else DBVH_OK
	/// The smallest double that is not less than the true distance: the mesh is within x exactly if x >= distance. 0
	/// only if the point lies on the mesh; infinite where it exceeds the largest double.
	double distance;
	/// A convex combination of the corners, its weights rounded: each coordinate is off by at most
	/// 2^-46 times the largest coordinate of the mesh and of pose->pos.
	double point[3];
	dbvh_counters counters; ///< as in dbvh_raycast_result
} dbvh_closest_point_result;

/// The point of the mesh posed by `pose` (NULL: the identity) that is closest to `point`, in the common frame.
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

/// The same for many points, three doubles each, on several threads. results_out[i] is what dbvh_closest_point() says
/// of point i, bit by bit, whatever the number of threads. `query` and `options` may be NULL. A point that is refused
/// spoils no other: its result is all zero but for `status`, and the call returns the status of the first such point,
/// with its index in error->element. Errors: as above; every result is all zero then, except where a point is to blame.
/// Thread safety: as dbvh_collide_batch().
DBVH_API dbvh_status dbvh_closest_point_batch( const dbvh_tree *tree, const dbvh_pose *pose, const double *points,
                                               size_t point_count, const dbvh_closest_point_query *query,
                                               const dbvh_batch_options *options,
                                               dbvh_closest_point_result *results_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CLOSEST_POINT_H
