// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file query.h
/// The parts that queries share: find modes, policies, counters, workspaces and options of batches.

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
	/// The packed form where both trees have one, with its ellipsoids. Where a tree has none, or a pose is too far away
	/// for floats: DBVH_POLICY_DUAL, which computes in doubles, if need be on the packed volumes.
	DBVH_POLICY_DEFAULT,
	DBVH_POLICY_DUAL,     ///< spheres, then the five axes a0, b0, c22, c12, c21 (Chang et al. 2009, section 3.2)
	DBVH_POLICY_RAPID,    ///< boxes, all fifteen axes (Gottschalk et al. 1996)
	DBVH_POLICY_SAT_LITE, ///< boxes, the six face axes (van den Bergen 1997)
	DBVH_POLICY_SPHERE,   ///< spheres alone
	DBVH_POLICY_PACKED,   ///< the packed form without ellipsoids: sphere and five axes on 4 x 4 nodes at a time, in
	                      ///< floats
	/// DUAL on the reference tree, and then a test of the two ellipsoids for nodes that both have one and are not
	/// separated yet (dbvh_tree_options.ellipsoids). The same as DUAL for trees without ellipsoids.
	DBVH_POLICY_ELLIPSOID,
	/// All stages on the reference tree: spheres, the five axes, then ellipsoids, then triangles. Where one of two
	/// nodes has an ellipsoid, it is compared with the other's box (Larsson 2008); where both have one, the two
	/// ellipsoids are. Trees with DBVH_ELLIPSOIDS_MIXED compare only nodes that were chosen for this traversal, and a
	/// query stops these tests when eight of them have separated nothing. The same as DUAL where neither tree has
	/// ellipsoids.
	DBVH_POLICY_MIXED,
	/// The stages of MIXED on the packed form, where an ellipsoid is compared with the boxes of the other node's
	/// children; a query stops these tests when four of them have separated nothing. The same as PACKED where neither
	/// tree has ellipsoids.
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

/// The work that a query did, counted. Deterministic for a given policy on one thread. The packed form compares sixteen
/// pairs of nodes at a time and counts all sixteen; its triangle_tests are the pairs of triangles that its float filter
/// could not separate. Duplicate triangles of a mesh are compared once.
typedef struct dbvh_counters {
	uint64_t sphere_tests;         ///< pairs of spheres compared
	uint64_t box_tests;            ///< pairs of boxes compared
	uint64_t triangle_tests;       ///< pairs of triangles compared
	uint64_t exact_tests;          ///< pairs of triangle_tests that the floating-point filter could not decide
	uint64_t ellipsoid_pair_tests; ///< pairs of nodes compared by their ellipsoids
	uint64_t ellipsoid_box_tests;  ///< pairs of nodes compared by the ellipsoid of one and the box of the other
	uint64_t ellipsoid_separated;  ///< pairs that the two kinds of ellipsoid tests found to be disjoint
} dbvh_counters;

// ------------------------------------------------------------------------------------------------
// Memory

/// Scratch memory for queries, used by one thread at a time. A workspace grows on first use with a pair of trees and a
/// pair_capacity, and never shrinks; a query whose workspace is large enough allocates nothing. A query without a
/// workspace takes memory from the allocator of its tree (of two, the first) and frees it at the end; dbvh_collide() on
/// one thread has 24 KiB on the stack before that, which a first contact of meshes of some hundred triangles does not
/// exceed.
typedef struct dbvh_workspace dbvh_workspace;

/// Makes an empty workspace with memory of `allocator` (NULL: the C library's). Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *workspace_out is NULL then. Any thread, constant time.
DBVH_API dbvh_status dbvh_workspace_create( const dbvh_allocator *allocator, dbvh_workspace **workspace_out,
                                            dbvh_error *error );

/// Frees a workspace. NULL is allowed.
DBVH_API void dbvh_workspace_destroy( dbvh_workspace *workspace );

/// Makes a workspace large enough for every collision, clearance, distance, ray cast, closest point and shape query of
/// these two trees, which may be the same, with room for `pair_capacity` pairs, hits or triangles. (The first calls of
/// dbvh_relate() and dbvh_time_of_impact() may still allocate more.) Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; earlier
/// reservations stay. Memory: 8 bytes a pair, and some hundred KiB.
DBVH_API dbvh_status dbvh_workspace_reserve( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                             size_t pair_capacity, dbvh_error *error );

/// dbvh_workspace_reserve() for queries and batches on up to `thread_count` threads (0: as many as OpenMP would use).
/// Each further thread has a workspace of its own inside this one, with room for as many pairs.
DBVH_API dbvh_status dbvh_workspace_reserve_threads( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                                     size_t pair_capacity, uint32_t thread_count, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Batches

/// How a batch is run. All zero: on all threads, with memory for this call.
typedef struct dbvh_batch_options {
	uint32_t thread_count; ///< 0: as many as OpenMP would use; at most 256 are; no answer depends on it
	uint32_t grain;        ///< elements handed to a thread at a time; 0: chosen from their number
	/// The workspace of the calling thread, which also holds those of the other threads; NULL allocates them for this
	/// call.
	dbvh_workspace *workspace;
	/// A callback that gets the number of elements done and of all elements, on the calling thread, now and then, also
	/// within an element that takes long and while other threads are at work, and in the end; NULL: none. Returning
	/// false ends the batch with CANCELLED: elements that are finished by then have their results, the others that
	/// status. Like dbvh_budget.is_cancelled it may read a clock or a flag. (With dbvh_budget.max_total, work of
	/// several threads that is thrown away is counted, too.)
	bool ( *progress )( void *user, size_t done, size_t count );
	void *user; ///< passed to progress
} dbvh_batch_options;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_batch_options dbvh_batch_options_default( void );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_QUERY_H
