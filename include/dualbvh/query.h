// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file query.h
/// Do two posed meshes meet, and with which triangles?
///
/// What the answer means. A mesh is a set of closed triangles; sharing a single point is meeting; a triangle of zero
/// area is the segment or point it has shrunk to. The verdict and the list of pairs are those of real arithmetic on
/// the given doubles: no tolerance enters, and they are the same on every CPU, for every policy and thread count, and
/// whichever mesh comes first. Containment without a common point is not meeting: only surfaces are looked at.

#ifndef DUALBVH_QUERY_H
#define DUALBVH_QUERY_H

#include "dualbvh/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dbvh_verdict {
	DBVH_APART,   ///< no two triangles share a point
	DBVH_MEETING, ///< at least two do
} dbvh_verdict;

/// How two nodes are compared. The answer is the same for all; cost and counters differ.
typedef enum dbvh_policy {
	DBVH_POLICY_DEFAULT,  ///< the packed form where both trees have one, with its ellipsoids, else DBVH_POLICY_DUAL
	DBVH_POLICY_DUAL,     ///< spheres, then the five axes a0, b0, c22, c12, c21 (Chang et al. 2009, section 3.2)
	DBVH_POLICY_RAPID,    ///< boxes, all fifteen axes (Gottschalk et al. 1996)
	DBVH_POLICY_SAT_LITE, ///< boxes, the six face axes (van den Bergen 1997)
	DBVH_POLICY_SPHERE,   ///< spheres alone
	DBVH_POLICY_PACKED,   ///< as DEFAULT without ellipsoids: sphere and five axes on 4 x 4 nodes at a time, in floats
	/// As DUAL on the reference tree, and what is left of two nodes that both have an ellipsoid is compared by these
	/// (dbvh_tree_options.ellipsoids). The same as DUAL for trees without.
	DBVH_POLICY_ELLIPSOID,
	/// The same, but only where the cost model wants it for the reference tree, and no more in a query in which eight
	/// such tests have parted nothing.
	DBVH_POLICY_MIXED,
} dbvh_policy;

typedef enum dbvh_find {
	DBVH_FIND_FIRST, ///< stop at the first pair that meets
	DBVH_FIND_ALL,   ///< every pair
} dbvh_find;

/// A triangle of A and a triangle of B that share a point, by their numbers in file order.
typedef struct dbvh_pair {
	uint32_t a;
	uint32_t b;
} dbvh_pair;

/// What is asked. Zero-initialised, it asks for the verdict alone.
typedef struct dbvh_query {
	dbvh_find find;
	dbvh_policy policy;
	dbvh_pair *pairs;     ///< DBVH_FIND_ALL: where pairs go; may be NULL if pair_capacity is 0
	size_t pair_capacity; ///< room in `pairs`
	/// How many threads dbvh_collide() may use for this one query; 0 (see base.h) and 1: only the calling one. Others
	/// are started when the query turns out to be heavy (about half a millisecond of work), and only for the packed
	/// form: the other policies stay on the calling thread, and so does a call from inside a parallel region. Verdict
	/// and pairs do not depend on it; with DBVH_FIND_FIRST, `first` and the counters are the same for every number
	/// above 1.
	uint32_t thread_count;
	/// What the call may spend; NULL: no limit. Where it ends early, the call returns DBVH_BUDGET_SPENT or
	/// DBVH_CANCELLED and the result says what was found until then: pairs that do meet, perhaps not all nor the lowest,
	/// and DBVH_MEETING if there are any; DBVH_APART then means that none has been found yet. With DBVH_FIND_FIRST a
	/// pair that was found is the answer, and the call succeeds. Of a batch, max_work is what each pose may spend, and
	/// is_cancelled ends all that have no answer yet.
	const dbvh_budget *budget;
} dbvh_query;

/// How much work was done. Deterministic for a given policy on one thread. The packed form compares sixteen pairs of
/// nodes at a time and counts all sixteen; its triangle_tests are those that its float filter could not tell apart.
/// Triangles of a mesh that are the same are compared once.
typedef struct dbvh_counters {
	uint64_t sphere_tests;   ///< pairs of spheres compared
	uint64_t box_tests;      ///< pairs of boxes compared
	uint64_t triangle_tests; ///< pairs of triangles compared
	uint64_t exact_tests;    ///< of those, pairs that the floating-point filter could not decide
	uint64_t ellipsoid_tests; ///< pairs of nodes compared by their ellipsoids
} dbvh_counters;

typedef struct dbvh_result {
	dbvh_verdict verdict;
	dbvh_pair first;     ///< when meeting: DBVH_FIND_FIRST, one pair that meets (which one depends on the policy and on
	                     ///< whether thread_count is above 1);
	                     ///< DBVH_FIND_ALL, the lowest pair
	dbvh_status status;  ///< dbvh_collide_batch(): why this pose has no answer; else, and elsewhere, DBVH_OK
	size_t pair_count;   ///< DBVH_FIND_ALL: how many pairs meet, whether or not there was room; else 0 or 1
	size_t pair_written; ///< how many are in query->pairs: the lowest ones, sorted by a, then by b
	dbvh_counters counters;
} dbvh_result;

/// Scratch memory for queries, one a thread. It grows on first use with a pair of trees and a pair_capacity, and never
/// shrinks; a query whose workspace is large enough allocates nothing.
typedef struct dbvh_workspace dbvh_workspace;

DBVH_API dbvh_status dbvh_workspace_create( const dbvh_allocator *allocator, dbvh_workspace **workspace_out );
DBVH_API void dbvh_workspace_destroy( dbvh_workspace *workspace ); ///< NULL is allowed

/// Makes a workspace large enough for every query between these two trees with room for `pair_capacity` pairs.
DBVH_API dbvh_status dbvh_workspace_reserve( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                             size_t pair_capacity );

/// The same for queries and batches on up to `thread_count` threads (0: OpenMP's own choice, as for a batch). Each
/// further thread has a workspace of its own inside this one, with room for as many pairs.
DBVH_API dbvh_status dbvh_workspace_reserve_threads( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                                     size_t pair_capacity, uint32_t thread_count );

/// Do A at pose_a and B at pose_b meet?
///
/// Poses map each mesh into a common frame; NULL is the identity. Where one pose is the identity the other is taken
/// literally; where both are equal, the meshes are compared where their vertices are; else dbvh_pose_relative() of the
/// two, the lexicographically smaller first, is composed once in doubles, and all that follows is exact about that
/// relative pose.
/// `query` NULL asks for the verdict alone; `workspace` NULL allocates one for this call.
/// Cost: grows with the number of pairs of nodes that are closer than their size; see docs/ARCHITECTURE.md.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. With a budget also
/// BUDGET_SPENT and CANCELLED; see dbvh_query.
/// Thread safety: trees are only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                   const dbvh_pose *pose_b, const dbvh_query *query, dbvh_workspace *workspace,
                                   dbvh_result *result_out );

/// The instruction set of the kernels in use: "avx512", "avx2", "neon" (64-bit ARM), "baseline" (what every machine of the
/// target has) or "scalar". The fastest that the machine has, unless the environment variable DBVH_ISA names another at the first
/// use. A value that names none that this machine and build have is passed over, as if it were not set, and nothing is
/// said: a wrong variable must not make answers impossible, and this function tells what is in use. Answers do not
/// depend on it.
DBVH_API const char *dbvh_isa_name( void );

/// Chooses the kernels by name, for all queries of the process from now on; NULL goes back to the default. Meant for
/// tests and measurements. INVALID_ARGUMENT if this machine or build has no such kernels. Safe from any thread.
DBVH_API dbvh_status dbvh_isa_select( const char *name );

/// How to go about a batch. Zero-initialised, it stands for the defaults.
typedef struct dbvh_batch_options {
	uint32_t thread_count; ///< 0 means OpenMP's own choice, at most 256 are used; no answer depends on it
	uint32_t grain;        ///< poses handed to a thread at a time; 0: chosen from their number, at most 32
	/// For the calling thread, and the home of the other threads' workspaces; NULL allocates them for this call.
	dbvh_workspace *workspace;
	/// DBVH_FIND_ALL with room for pairs: pose i writes to query->pairs from pair_begin[i] up to, and without,
	/// pair_begin[i + 1]. pose_count + 1 ascending numbers, the last at most query->pair_capacity.
	const size_t *pair_begin;
} dbvh_batch_options;

/// Does B at each of many poses meet A at one? results[i] is what dbvh_collide( a, pose_a, b, &poses_b[i], ... ) says,
/// bit by bit, whatever the number of threads.
///
/// `query` NULL asks for the verdicts alone; its thread_count is not looked at. `options` may be NULL.
/// Pairs. With DBVH_FIND_ALL every result has its pair_count. The pairs themselves go to one array that the caller
/// divides among the poses (options->pair_begin; without it query->pair_capacity must be 0). For exactly as much room
/// as is needed ask twice, the first time with pair_capacity 0, and in between
///
///     pair_begin[0] = 0;
///     for ( size_t i = 0; i < pose_count; ++i )
///         pair_begin[i + 1] = pair_begin[i] + results[i].pair_count;
///
/// A pose that is refused spoils no other: its result is all zero but for `status`. The call then returns the status of
/// the first such pose, with its index in error->element and all other results valid.
/// Cost: that of the queries, divided by the threads; the workspaces are allocated before the first query.
/// Errors: NOT_FINITE, NOT_RIGID (of a pose of B; with error->element -1, of pose_a), INVALID_ARGUMENT, OUT_OF_MEMORY;
/// every result is all zero then, except where a pose of B is to blame.
/// Thread safety: trees are only read; workspace, results and pairs must not be shared. Memory is asked for on the
/// calling thread only. From inside a parallel region it uses the calling thread alone.
DBVH_API dbvh_status dbvh_collide_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                         const dbvh_pose *poses_b, size_t pose_count, const dbvh_query *query,
                                         const dbvh_batch_options *options, dbvh_result *results_out,
                                         dbvh_error *error );

/// Do two triangles, nine doubles each (three corners), share a point? B is placed by pose_b (NULL: the identity).
/// The exact predicate under every query, offered on its own. Degenerate triangles are allowed.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID.
DBVH_API dbvh_status dbvh_triangles_meet( const double a[9], const double b[9], const dbvh_pose *pose_b,
                                          bool *meet_out );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_QUERY_H
