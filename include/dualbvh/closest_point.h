// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file closest_point.h
/// The point of a posed mesh that is closest to a given one.
///
/// Points are given in the common frame; the mesh is placed by a pose, taken literally, so its corners are rot x + pos
/// in real arithmetic. Which triangle is closest, and which of equal ones is reported, is decided in real arithmetic,
/// without a tolerance, and is the same on every CPU and for every thread count. All functions only read the tree; a
/// workspace must not be shared between threads.

#ifndef DUALBVH_CLOSEST_POINT_H
#define DUALBVH_CLOSEST_POINT_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The point of a posed mesh that is nearest to a given one.
typedef struct dbvh_closest_point_result {
	bool found;         ///< there is one within the distance that was asked for
	uint32_t triangle;  ///< that it lies on; of equally near ones the lowest, by number in file order
	dbvh_status status; ///< dbvh_closest_point_batch(): why this point has no answer; else, and elsewhere, DBVH_OK
	/// The smallest double that is not less than the true distance: the mesh is within x exactly if x >= distance. 0
	/// only if the point lies on the mesh; infinite where it exceeds the largest double.
	double distance;
	/// A convex combination of the corners, its weights rounded: each coordinate is off by at most
	/// 2^-46 times the largest coordinate of the mesh and of pose->pos.
	double point[3];
	dbvh_counters counters; ///< as in dbvh_raycast_result
} dbvh_closest_point_result;

/// The nearest point of the mesh posed by `pose` (NULL: the identity) to `point`, if it is within `max_distance`
/// (inclusive, decided exactly; INFINITY for no bound, which finds one always).
///
/// `workspace` NULL allocates one for this call; dbvh_workspace_reserve( workspace, tree, tree, 0 ) makes one large
/// enough. Cost: O(log n) boxes for points near the surface, more where many triangles are almost equally near. Errors:
/// INVALID_ARGUMENT (also a max_distance that is negative or NaN), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *closest_out
/// is all zero then.
DBVH_API dbvh_status dbvh_closest_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                         double max_distance, dbvh_workspace *workspace,
                                         dbvh_closest_point_result *closest_out, dbvh_error *error );

/// The same for many points, three doubles each, on several threads. closest_out[i] is what dbvh_closest_point() says
/// of point i, bit by bit, whatever the number of threads. `options` may be NULL; its pair_begin is not looked at. A
/// point that is refused spoils no other, as in dbvh_raycast_batch().
DBVH_API dbvh_status dbvh_closest_point_batch( const dbvh_tree *tree, const dbvh_pose *pose, const double *points,
                                               size_t point_count, double max_distance,
                                               const dbvh_batch_options *options,
                                               dbvh_closest_point_result *closest_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CLOSEST_POINT_H
