// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file distance.h
/// How far apart are two posed meshes, and are they nearer than some clearance?
///
/// What the answers mean. The distance is the least one of a point of A from a point of B, 0 where they meet (query.h:
/// surfaces only). It is that of real arithmetic on the given doubles, rounded up: dbvh_distance() returns the
/// *smallest double that is not less than it*, and dbvh_check_clearance( d ) is true exactly when d is not less than
/// it. So the two never contradict each other, and both are the same on every CPU, for every policy and thread count,
/// and whichever mesh comes first.
///
/// Frames. Poses are treated as by dbvh_collide(). Lengths are measured in the frame of the mesh that is not moved: the
/// common frame, where one of the two poses is the identity. Where neither is, that is the frame of one of the meshes,
/// whose pose turns lengths into lengths as far as it is a rotation.

#ifndef DUALBVH_DISTANCE_H
#define DUALBVH_DISTANCE_H

#include "dualbvh/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is asked. Zero-initialised, it asks for the distance, whatever it is.
typedef struct dbvh_distance_query {
	/// The answer may be larger than the distance by that part of it (0 to 1) and by that length (0 to DBL_MAX); it is
	/// then still the distance of the two triangles that are named, rounded up. Both 0: no error.
	double relative_error;
	double absolute_error;
	double limit;       ///< look no farther: whatever is beyond this length counts as not found; 0: no limit
	dbvh_policy policy; ///< how bounds are computed; with errors allowed, the answer may depend on it
	/// What the call may spend; NULL: no limit. Where it ends early, the call returns DBVH_BUDGET_SPENT or
	/// DBVH_CANCELLED, `distance` is that of the nearest two triangles that were compared, if any, and no two are
	/// nearer than `at_least`.
	const dbvh_budget *budget;
} dbvh_distance_query;

typedef struct dbvh_distance_result {
	bool found;      ///< false: nothing is nearer than the limit, or as near; all else is 0 then, but for the counters
	double distance; ///< see above; INFINITY where the exact one is beyond DBL_MAX
	/// Two triangles at that distance. Without errors allowed: of all pairs that dbvh_check_clearance() lists for
	/// `distance`, the lowest one; but where the meshes meet, any pair that intersects, as in
	/// dbvh_collide_result.first.
	dbvh_pair pair;
	/// A point of each triangle, in the common frame, at that distance from each other. Each coordinate is off by a few
	/// units in the last place of the largest coordinates of the two triangles, so where these are far larger than the
	/// distance the points say little about the way from one to the other; `between` does.
	double point_a[3], point_b[3];
	double between[3]; ///< from point_a to point_b; each component is right to a few units in its own last place
	double at_least;   ///< where a budget ended the call: a lower bound of the distance; else 0
	dbvh_counters counters;
} dbvh_distance_result;

/// How far is B at pose_b from A at pose_a?
///
/// `query` NULL asks for the distance without limit or error; `workspace` NULL allocates one for this call.
/// Cost: a few times that of dbvh_collide() for meshes as far apart. Where a great many pairs of triangles have the
/// same distance to the last bit (parallel plates), each costs several microseconds, but for those that share the
/// nearest corners or edges (fans tip to tip); an allowed error, however small, saves that. Lower bounds are those of
/// Chang, Wang and Kim (2009) for the nodes, normalised; nearest first, as in Larsen, Gottschalk, Lin and Manocha,
/// TR99-018 (1999). Errors: INVALID_ARGUMENT (also for a limit or error that is negative, NaN or infinite, or a
/// relative error above 1), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. With a budget also
/// BUDGET_SPENT and CANCELLED. Thread safety: trees are only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_distance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, const dbvh_distance_query *query,
                                    dbvh_workspace *workspace, dbvh_distance_result *result_out, dbvh_error *error );

/// Are A at pose_a and B at pose_b at most `reach` apart (0 to INFINITY), and which triangles are?
///
/// As dbvh_collide(), which is the case of 0, with "at most `reach` apart" for "meet" throughout: the verdict is
/// DBVH_INTERSECTING where the meshes are, and DBVH_FIND_ALL lists every pair of triangles that is. query->thread_count
/// is not looked at unless `reach` is 0: the calling thread does it alone. Cost: that of dbvh_collide() for meshes that
/// much nearer; less where the answer is yes. Errors: those of dbvh_collide(); INVALID_ARGUMENT also for a `reach` that
/// is negative or NaN.
DBVH_API dbvh_status dbvh_check_clearance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                           const dbvh_pose *pose_b, double reach, const dbvh_collide_query *query,
                                           dbvh_workspace *workspace, dbvh_collide_result *result_out,
                                           dbvh_error *error );

/// The distance of two triangles, nine doubles each (three corners), B placed by pose_b (NULL: the identity), rounded
/// up; 0 where they meet. point_a and point_b, three doubles each, may be NULL. Degenerate triangles are allowed.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID.
DBVH_API dbvh_status dbvh_triangles_distance( const double a[9], const double b[9], const dbvh_pose *pose_b,
                                              double *distance_out, double point_a_out[3], double point_b_out[3] );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_DISTANCE_H
