// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file query.h
/// What the queries share: how much of an answer is wanted, how it is found, what it cost, and memory for it.

#ifndef DUALBVH_QUERY_H
#define DUALBVH_QUERY_H

#include "dualbvh/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How two nodes are compared. The answer is the same for all; cost and counters differ.
///
/// DEFAULT, PACKED and PACKED_MIXED take any trees. All others compare the nodes of reference trees, and both trees
/// have to keep theirs (dbvh_tree_options.reference): a call that is given one without returns DBVH_INVALID_ARGUMENT
/// and says which. No query builds a tree, or allocates into one.
typedef enum dbvh_policy {
	/// The packed form where both trees have one, with its ellipsoids. Where one has none, or a pose is too far away
	/// for floats, the same in doubles: DBVH_POLICY_DUAL, if need be on the packed volumes.
	DBVH_POLICY_DEFAULT,
	DBVH_POLICY_DUAL,     ///< spheres, then the five axes a0, b0, c22, c12, c21 (Chang et al. 2009, section 3.2)
	DBVH_POLICY_RAPID,    ///< boxes, all fifteen axes (Gottschalk et al. 1996)
	DBVH_POLICY_SAT_LITE, ///< boxes, the six face axes (van den Bergen 1997)
	DBVH_POLICY_SPHERE,   ///< spheres alone
	DBVH_POLICY_PACKED,   ///< as DEFAULT without ellipsoids: sphere and five axes on 4 x 4 nodes at a time, in floats
	/// As DUAL on the reference tree; two nodes that both have an ellipsoid and are not separated yet are compared by
	/// these (dbvh_tree_options.ellipsoids). The same as DUAL for trees without.
	DBVH_POLICY_ELLIPSOID,
	/// The engine in full, on the reference tree: spheres, the five axes, then, where one of two nodes has an
	/// ellipsoid, that against the other's box (Larsson 2008), where both have one, these, then triangles. Of trees
	/// with DBVH_ELLIPSOIDS_MIXED the nodes that were chosen for this traversal have theirs compared, until eight such
	/// tests in a query have separated nothing. The same as DUAL where neither tree has ellipsoids.
	DBVH_POLICY_MIXED,
	/// The same stages on the packed form, where an ellipsoid is compared with the boxes of the other node's children.
	/// The same as PACKED where neither tree has ellipsoids; four tests that separate nothing end them.
	DBVH_POLICY_PACKED_MIXED,
} dbvh_policy;

/// How much of an answer is wanted.
typedef enum dbvh_find {
	DBVH_FIND_ANY,     ///< whether there is one; the search stops at the first that is found
	DBVH_FIND_ALL,     ///< every one
	DBVH_FIND_CLOSEST, ///< the first hit along a ray (raycast.h); queries whose answers have no order refuse it
} dbvh_find;

/// A triangle of A and a triangle of B, by their numbers in file order.
typedef struct dbvh_pair {
	uint32_t a;
	uint32_t b;
} dbvh_pair;

/// How much work was done. Deterministic for a given policy on one thread. The packed form compares sixteen pairs of
/// nodes at a time and counts all sixteen; its triangle_tests are those that its float filter could not separate.
/// Triangles of a mesh that are the same are compared once.
typedef struct dbvh_counters {
	uint64_t sphere_tests;         ///< pairs of spheres compared
	uint64_t box_tests;            ///< pairs of boxes compared
	uint64_t triangle_tests;       ///< pairs of triangles compared
	uint64_t exact_tests;          ///< of those, pairs that the floating-point filter could not decide
	uint64_t ellipsoid_pair_tests; ///< pairs of nodes compared by their ellipsoids
	uint64_t ellipsoid_box_tests;  ///< pairs of nodes compared by the ellipsoid of one and the box of the other
	uint64_t ellipsoid_separated;  ///< of both, pairs that were found to be disjoint
} dbvh_counters;

// ------------------------------------------------------------------------------------------------
// Memory

/// Scratch memory for queries, used by one thread at a time. It grows on first use with a pair of trees and a
/// pair_capacity, and never shrinks; a query whose workspace is large enough allocates nothing. A query that is given
/// none takes what it needs from the allocator of its tree (of two, the first) and returns it at the end.
typedef struct dbvh_workspace dbvh_workspace;

/// Makes an empty workspace with memory of `allocator` (NULL: the C library's). Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *workspace_out is NULL then. Any thread, constant time.
DBVH_API dbvh_status dbvh_workspace_create( const dbvh_allocator *allocator, dbvh_workspace **workspace_out,
                                            dbvh_error *error );

/// Frees a workspace. NULL is allowed.
DBVH_API void dbvh_workspace_destroy( dbvh_workspace *workspace );

/// Makes a workspace large enough for every collision, clearance, distance, ray cast, closest point and shape query of
/// these two trees, which may be the same, with room for `pair_capacity` pairs, hits or triangles. (What dbvh_relate()
/// and dbvh_time_of_impact() need beyond that, their first call adds.) Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; what
/// was reserved before stays. Memory: 8 bytes a pair, and some hundred KiB.
DBVH_API dbvh_status dbvh_workspace_reserve( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                             size_t pair_capacity, dbvh_error *error );

/// The same for queries and batches on up to `thread_count` threads (0: as many as OpenMP would use). Each further
/// thread has a workspace of its own inside this one, with room for as many pairs.
DBVH_API dbvh_status dbvh_workspace_reserve_threads( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                                     size_t pair_capacity, uint32_t thread_count, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Batches

/// How a batch is run. All zero: on all threads, with memory for this call.
typedef struct dbvh_batch_options {
	uint32_t thread_count; ///< 0: as many as OpenMP would use; at most 256 are; no answer depends on it
	uint32_t grain;        ///< elements handed to a thread at a time; 0: chosen from their number
	/// For the calling thread, and the home of the other threads' workspaces; NULL allocates them for this call.
	dbvh_workspace *workspace;
	/// Told on the calling thread how many elements of all are done, now and then, also within one that takes long and
	/// while other threads are at work, and in the end; NULL: nobody is. False ends the batch, with CANCELLED: what is
	/// finished by then is in the results, and what is not has that status. As dbvh_budget.is_cancelled it may look at
	/// a clock or at a flag. (With dbvh_budget.max_total, work that several threads did for nothing is counted, too.)
	bool ( *progress )( void *user, size_t done, size_t count );
	void *user; ///< passed to progress
} dbvh_batch_options;

/// All zero. Any thread, constant time.
DBVH_API dbvh_batch_options dbvh_batch_options_default( void );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_QUERY_H
