// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file distance.h
/// The distance of two posed meshes (proximity, separation distance), and whether they keep a clearance.
///
/// What the answers mean. The distance is the least one of a point of A from a point of B, 0 where they intersect
/// (surfaces only, as in collide.h). It is that of real arithmetic on the given doubles, rounded up: dbvh_distance()
/// returns the *smallest double that is not less than it*, and dbvh_check_clearance() finds the meshes within d exactly
/// when d is not less than it. So the two never contradict each other, and both are the same on every CPU, for every
/// policy and thread count, and whichever mesh comes first.
///
/// Frames. Poses are treated as by dbvh_collide(). Lengths are measured in the frame of the mesh that is not moved: the
/// common frame, where one of the two poses is the identity. Where neither is, that is the frame of one of the meshes,
/// whose pose turns lengths into lengths as far as it is a rotation.

#ifndef DUALBVH_DISTANCE_H
#define DUALBVH_DISTANCE_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// Distance

/// The query. All zero: the exact distance, without a limit.
typedef struct dbvh_distance_query {
	/// The errors that are allowed: the answer may exceed the distance by relative_error (0 to 1) times the distance
	/// plus the length absolute_error (0 to DBL_MAX). It is then still the distance of the two triangles that are
	/// named, rounded up. Both 0: no error.
	double relative_error;
	double absolute_error;
	double limit;       ///< the largest distance of interest: a larger one counts as not found; 0 or INFINITY: no limit
	dbvh_policy policy; ///< how bounds are computed; with errors allowed, the answer may depend on it
	/// A limit on the work of the call; NULL: none. Where it ends the call early, the call returns DBVH_BUDGET_SPENT or
	/// DBVH_CANCELLED, `distance` is that of the closest two triangles that were compared, if any, and no two are
	/// closer than `at_least`. In a batch, max_work holds for each pose, and is_cancelled ends all poses that have no
	/// answer yet.
	const dbvh_budget *budget;
	/// The most threads of a single call; 0 (see base.h) and 1: only the calling one. Others are started when the query
	/// turns out to be expensive (some 100 microseconds of work), and only for the packed form, without errors allowed
	/// and without a budget; a call from inside a parallel region stays on the calling thread. No answer depends on it,
	/// the counters do. At most 1 in a batch, which has dbvh_batch_options.thread_count.
	uint32_t thread_count;
} dbvh_distance_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_distance_query dbvh_distance_query_default( void );

typedef struct dbvh_distance_result {
	bool found;      ///< false: the distance exceeds the limit; all else is 0 then, but for the counters
	double distance; ///< the distance, rounded up as said above; INFINITY where the exact one is beyond DBL_MAX
	/// Two triangles at that distance. Without errors allowed it is the lowest of all pairs that dbvh_check_clearance()
	/// lists for `distance`; but where the meshes intersect, any pair that does, as in dbvh_collide_result.first.
	dbvh_pair pair;
	/// A point of each triangle, in the common frame, at that distance from each other. Each coordinate is off by a few
	/// units in the last place of the largest coordinates of the two triangles, so where these are far larger than the
	/// distance, the difference of the two points has few correct digits; `between` has all of them.
	double point_a[3], point_b[3];
	double between[3];  ///< the vector from point_a to point_b; each component is right to a few units in its own last
	                    ///< place
	double at_least;    ///< a lower bound of the distance, not rounded up, where a budget ended the call; else 0
	dbvh_status status; ///< dbvh_distance_batch(): the reason why this pose has no answer; else DBVH_OK
	dbvh_counters counters;
} dbvh_distance_result;

/// Computes the distance of A at pose_a and B at pose_b, and a pair of triangles at that distance.
///
/// `query` NULL asks for the distance without limit or error; `workspace` NULL allocates one for this call. Cost: some
/// three times that of dbvh_collide() for meshes that nearly touch, and hardly more for meshes that are farther apart,
/// although dbvh_collide() answers these almost at once. Where a great many pairs of triangles have the same distance
/// to the last bit (parallel plates), each that lies above another is looked at, some 0.1 microseconds a pair. Where
/// most triangles of one mesh are about as near to most of the other (stacks of sheets, fans round one corner,
/// triangles in one plane or through one point), n and n triangles take n squared: 0.2 to 0.3 s for 2,000. A budget
/// ends it. Errors: INVALID_ARGUMENT (also a limit or error that is negative or NaN, an infinite error, or a relative
/// error above 1), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. With a budget also BUDGET_SPENT
/// and CANCELLED. Thread safety: trees are only read; the workspace must not be shared. Source: the lower bounds of
/// Chang, Wang and Kim (2009) for the nodes, normalised; closest first, as in Larsen, Gottschalk, Lin and Manocha,
/// TR99-018 (1999).
DBVH_API dbvh_status dbvh_distance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, const dbvh_distance_query *query,
                                    dbvh_workspace *workspace, dbvh_distance_result *result_out, dbvh_error *error );

/// Computes for each of many poses of B its distance from A at one pose. results_out[i] is the result of dbvh_distance(
/// a, pose_a, b, &poses_b[i], ... ), bit by bit, whatever the number of threads.
///
/// `query` and `options` may be NULL. A pose that is refused leaves the other results valid: its own is all zero but
/// for `status`, and the call returns the status of the first such pose, with its index in error->element. Cost: that
/// of the queries, divided by the threads; the workspaces are allocated before the first one. Stack: that of
/// dbvh_distance(). Errors: NOT_FINITE, NOT_RIGID (of a pose of B; with error->element -1, of pose_a),
/// INVALID_ARGUMENT, OUT_OF_MEMORY; every result is all zero then, except where the error is about a pose of B. With a
/// budget also BUDGET_SPENT and CANCELLED, as the status of single poses; a pose that was not begun has an `at_least`
/// of 0. Thread safety: trees are only read; workspace and results must not be shared. Memory is asked for on the
/// calling thread only. From inside a parallel region it uses the calling thread alone.
DBVH_API dbvh_status dbvh_distance_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                          const dbvh_pose *poses_b, size_t pose_count, const dbvh_distance_query *query,
                                          const dbvh_batch_options *options, dbvh_distance_result *results_out,
                                          dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Clearance

/// The query. All zero: whether the meshes intersect, which is a clearance of 0.
typedef struct dbvh_clearance_query {
	double max_distance; ///< 0 to INFINITY; a pair at exactly this distance is within it (unlike in dbvh_pair_rule)
	dbvh_find find;      ///< DBVH_FIND_ANY: the verdict and one pair; DBVH_FIND_ALL: every pair; not DBVH_FIND_CLOSEST
	dbvh_policy policy;
	dbvh_pair *pairs;     ///< DBVH_FIND_ALL: array for the pairs; may be NULL if pair_capacity is 0
	size_t pair_capacity; ///< number of pairs that `pairs` has room for
	/// dbvh_check_clearance_batch() with DBVH_FIND_ALL: pose i writes to `pairs` from pair_begin[i] up to, and without,
	/// pair_begin[i + 1]. pose_count + 1 ascending numbers, the last at most pair_capacity. NULL in a single call.
	const size_t *pair_begin;
	/// A limit on the work of the call; NULL: none. Where it ends the call early, the result has the pairs found until
	/// then, as in dbvh_collide_query. In a batch, max_work holds for each pose, and is_cancelled ends all poses that
	/// have no answer yet.
	const dbvh_budget *budget;
	/// The most threads of a single call, as in dbvh_distance_query. `within` and pairs do not depend on it; with
	/// DBVH_FIND_ANY, `first` and the counters are the same for every number above 1. At most 1 in a batch.
	uint32_t thread_count;
} dbvh_clearance_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_clearance_query dbvh_clearance_query_default( void );

typedef struct dbvh_clearance_result {
	bool within; ///< true if two triangles are at most max_distance apart
	/// A pair of triangles at most max_distance apart, where there is one: with DBVH_FIND_ANY any such pair (which one
	/// depends on the policy and the instruction set and on whether thread_count is above 1), with DBVH_FIND_ALL the
	/// lowest. dbvh_distance() finds the closest pair.
	dbvh_pair first;
	dbvh_status status; ///< dbvh_check_clearance_batch(): the reason why this pose has no answer; else DBVH_OK
	/// DBVH_FIND_ALL: number of pairs within max_distance, whether or not there was room; else 0 or 1.
	size_t pair_count;
	size_t pair_written; ///< number of pairs in query->pairs: the lowest ones, sorted by a, then by b
	dbvh_counters counters;
} dbvh_clearance_result;

/// Tells whether A at pose_a and B at pose_b are at most query->max_distance apart, and lists the pairs of triangles
/// that are.
///
/// Decided exactly (see above). `query` NULL asks whether the meshes intersect; `workspace` NULL allocates one for this
/// call. Cost: that of dbvh_collide() for meshes closer to each other by max_distance; less where the answer is yes,
/// and less than that of dbvh_distance(). Two fans, each of n triangles round one corner, whose gap is a hair more than
/// max_distance take n squared steps, 0.5 s for n = 2,000, unless a budget ends them. An expensive query is divided
/// among query->thread_count threads. Errors: INVALID_ARGUMENT (also a max_distance that is negative or NaN),
/// NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. With a budget also BUDGET_SPENT and CANCELLED.
/// Thread safety: trees are only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_check_clearance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                           const dbvh_pose *pose_b, const dbvh_clearance_query *query,
                                           dbvh_workspace *workspace, dbvh_clearance_result *result_out,
                                           dbvh_error *error );

/// Tells for each of many poses of B whether it is at most query->max_distance apart from A at one pose. results_out[i]
/// is the result of dbvh_check_clearance( a, pose_a, b, &poses_b[i], ... ), bit by bit, whatever the number of threads.
///
/// `query` and `options` may be NULL. Pairs go to one array that the caller divides among the poses;
/// dbvh_collide_batch() shows how to allocate exactly as much room as is needed. A pose that is refused leaves the
/// other results valid: its own is all zero but for `status`, and the call returns the status of the first such pose,
/// with its index in error->element. Cost: that of the queries, divided by the threads; the workspaces are allocated
/// before the first one. Stack: that of dbvh_check_clearance(). Errors: NOT_FINITE, NOT_RIGID (of a pose of B; with
/// error->element -1, of pose_a), INVALID_ARGUMENT, OUT_OF_MEMORY; every result is all zero then, except where the
/// error is about a pose of B. With a budget also BUDGET_SPENT and CANCELLED. Thread safety: trees are only read;
/// workspace, results and pairs must not be shared. Memory is asked for on the calling thread only. From inside a
/// parallel region it uses the calling thread alone.
DBVH_API dbvh_status dbvh_check_clearance_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                 const dbvh_pose *poses_b, size_t pose_count,
                                                 const dbvh_clearance_query *query, const dbvh_batch_options *options,
                                                 dbvh_clearance_result *results_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Two triangles

typedef struct dbvh_triangles_distance_result {
	double distance; ///< rounded up; 0 where they intersect
	/// A point of each at that distance, in the frame of A, off by a few units in the last place of the largest
	/// coordinates.
	double point_a[3], point_b[3];
} dbvh_triangles_distance_result;

/// Computes the distance of two triangles, B placed by pose_b (NULL: the identity). Degenerate triangles are allowed.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID; *result_out is all zero then. Some microseconds. Any thread.
DBVH_API dbvh_status dbvh_triangles_distance( const dbvh_triangle *a, const dbvh_triangle *b, const dbvh_pose *pose_b,
                                              dbvh_triangles_distance_result *result_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_DISTANCE_H
