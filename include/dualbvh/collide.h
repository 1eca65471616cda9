// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file collide.h
/// Collision detection (interference, clash): do two posed meshes intersect, and with which triangles?
///
/// What the answer means. A mesh is a set of closed triangles; meshes that share a single point intersect; a triangle
/// of zero area is the segment or point it has shrunk to. The verdict and the list of pairs are those of real
/// arithmetic on the given doubles: no tolerance enters, and they are the same on every CPU, for every policy and
/// thread count, and whichever mesh comes first. Only surfaces are looked at: a mesh inside another, without a common
/// point, is disjoint from it (dbvh_relate() in relation.h tells).

#ifndef DUALBVH_COLLIDE_H
#define DUALBVH_COLLIDE_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The answer to whether two surfaces have a point in common.
typedef enum dbvh_verdict {
	DBVH_DISJOINT,     ///< no two triangles share a point
	DBVH_INTERSECTING, ///< at least two triangles share a point
} dbvh_verdict;

/// The enumerator's name without its prefix, for example "DISJOINT"; "?" for a number that is none.
DBVH_API const char *dbvh_verdict_name( dbvh_verdict verdict );

/// The query. All zero: the verdict alone.
typedef struct dbvh_collide_query {
	dbvh_find find; ///< DBVH_FIND_ANY: the verdict and one pair; DBVH_FIND_ALL: every pair; not DBVH_FIND_CLOSEST
	dbvh_policy policy;
	dbvh_pair *pairs;     ///< DBVH_FIND_ALL: array for the pairs; may be NULL if pair_capacity is 0
	size_t pair_capacity; ///< number of pairs that `pairs` has room for
	/// dbvh_collide_batch() with DBVH_FIND_ALL: pose i writes to `pairs` from pair_begin[i] up to, and without,
	/// pair_begin[i + 1]. pose_count + 1 ascending numbers, the last at most pair_capacity. NULL in a single call.
	const size_t *pair_begin;
	/// The most threads of a single call; 0 (see base.h) and 1: only the calling one. Others are started when the query
	/// turns out to be expensive (about half a millisecond of work); a call from inside a parallel region stays on its
	/// thread. Verdict and pairs do not depend on it; with DBVH_FIND_ANY, `first` and the counters are the same for
	/// every number above 1. At most 1 in a batch, which has dbvh_batch_options.thread_count.
	uint32_t thread_count;
	/// A limit on the work of the call; NULL: none. Where it ends the call early, the call returns DBVH_BUDGET_SPENT or
	/// DBVH_CANCELLED and the result has the pairs found until then, which do intersect but need be neither all nor the
	/// lowest, and the verdict DBVH_INTERSECTING if there are any; DBVH_DISJOINT then means that none has been found
	/// yet. With DBVH_FIND_ANY one pair is the answer, and the call succeeds. In a batch, max_work holds for each pose,
	/// and is_cancelled ends all poses that have no answer yet.
	const dbvh_budget *budget;
} dbvh_collide_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_collide_query dbvh_collide_query_default( void );

/// The answer, and its cost.
typedef struct dbvh_collide_result {
	dbvh_verdict verdict;
	/// A pair of triangles that intersects, where there is one: with DBVH_FIND_ANY any pair (which one depends on the
	/// policy and the instruction set and on whether thread_count is above 1), with DBVH_FIND_ALL the lowest.
	dbvh_pair first;
	dbvh_status status;  ///< dbvh_collide_batch(): the reason why this pose has no answer; else DBVH_OK
	size_t pair_count;   ///< DBVH_FIND_ALL: number of pairs that intersect, whether or not there was room; else 0 or 1
	size_t pair_written; ///< number of pairs in query->pairs: the lowest ones, sorted by a, then by b
	dbvh_counters counters;
} dbvh_collide_result;

/// Tells whether A at pose_a and B at pose_b intersect, and lists the pairs of triangles that do.
///
/// Poses map each mesh into a common frame; NULL is the identity. Where one pose is the identity the other is taken
/// literally; where both are equal, the meshes are compared where their vertices are; else dbvh_pose_relative() of the
/// two, the lexicographically smaller first (rot row by row, then pos), is composed once in doubles, and the answer is
/// exact about that relative pose. `query` NULL asks for the verdict alone; `workspace` NULL allocates one for this
/// call. Cost: grows with the number of pairs of nodes that are closer than their size; see docs/design/packed-tree.md.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. With a budget also
/// BUDGET_SPENT and CANCELLED; see dbvh_collide_query. Thread safety: trees are only read; the workspace must not be
/// shared. Source: Chang, Wang and Kim 2009, section 3, for the tree and its traversal; Guigue and Devillers 2003 for
/// triangles.
DBVH_API dbvh_status dbvh_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                   const dbvh_pose *pose_b, const dbvh_collide_query *query, dbvh_workspace *workspace,
                                   dbvh_collide_result *result_out, dbvh_error *error );

/// Tells for each of many poses of B whether it intersects A at one pose. results_out[i] is the result of dbvh_collide(
/// a, pose_a, b, &poses_b[i], ... ), but that with DBVH_FIND_ANY `first` may be another pair and the counters differ;
/// bit by bit the same whatever the number of threads. From 256 poses of meshes of some 8,000 triangles on, with
/// DBVH_FIND_ANY, AVX2 and no limit of work, poses share traversals: 0.5 to 0.8 of the time of single calls where
/// meshes are 1 to 5 % apart.
///
/// `query` NULL asks for the verdicts alone; `options` may be NULL. Pairs. With DBVH_FIND_ALL every result has its
/// pair_count. The pairs themselves go to one array that the caller divides among the poses (query->pair_begin; without
/// it query->pair_capacity must be 0). To allocate exactly as much room as is needed, call twice, the first time with
/// pair_capacity 0, and in between
///
///     pair_begin[0] = 0;
///     for ( size_t i = 0; i < pose_count; ++i )
///         pair_begin[i + 1] = pair_begin[i] + results[i].pair_count;
///
/// A pose that is refused leaves the other results valid: its own is all zero but for `status`, and the call returns
/// the status of the first such pose, with its index in error->element. Cost: that of the queries, divided by the
/// threads; the workspaces are allocated before the first query. Errors: NOT_FINITE, NOT_RIGID (of a pose of B; with
/// error->element -1, of pose_a), INVALID_ARGUMENT, OUT_OF_MEMORY; every result is all zero then, except where the
/// error is about a pose of B. Thread safety: trees are only read; workspace, results and pairs must not be shared.
/// Memory is asked for on the calling thread only. From inside a parallel region it uses the calling thread alone.
DBVH_API dbvh_status dbvh_collide_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                         const dbvh_pose *poses_b, size_t pose_count, const dbvh_collide_query *query,
                                         const dbvh_batch_options *options, dbvh_collide_result *results_out,
                                         dbvh_error *error );

/// Tells whether two triangles share a point. B is placed by pose_b (NULL: the identity). The exact predicate under
/// every query, offered on its own; degenerate triangles are allowed. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID;
/// *intersect_out is false then. Some 50 ns where doubles decide, some microseconds where integers must. Any thread.
DBVH_API dbvh_status dbvh_triangles_intersect( const dbvh_triangle *a, const dbvh_triangle *b, const dbvh_pose *pose_b,
                                               bool *intersect_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_COLLIDE_H
