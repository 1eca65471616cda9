// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cache.h
/// Collision detection of meshes that move little from call to call (temporal coherence): what one call has found is
/// kept by the caller, and asked first by the next.

#ifndef DUALBVH_CACHE_H
#define DUALBVH_CACHE_H

#include "dualbvh/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is known of one pair of meshes from earlier calls. All zero: nothing. It belongs to the caller, one for each
/// pair that moves; it holds no memory, may be copied, and needs no end. What is in it is the library's business.
typedef struct dbvh_cache {
	double reserved[80];
} dbvh_cache;

/// All zero. Any thread, constant time.
DBVH_API dbvh_cache dbvh_cache_default( void );

/// What dbvh_collide() says, faster where the meshes have moved little since the last call with this cache.
///
/// Two triangles that met last are compared first, and then others about them, before the search begins at the roots;
/// and where the meshes were apart, by how much they were is kept, so that a shorter way needs no search. How much of
/// that is looked for follows from how the last calls went.
///
/// The answer is that of dbvh_collide(), whatever the cache holds: verdict, pair_count and the pairs. With
/// DBVH_FIND_ANY `first` is a pair that intersects, perhaps another; counters are of the work that was done. A cache of
/// other meshes is noticed, by their triangles, and starts afresh; so is one whose trees have come in the other order.
///
/// `cache` is not NULL; where it is all zero, the first call fills it. All else is as for dbvh_collide().
/// Cost: some tens of nanoseconds where the cache answers, or does not help; once in a few calls, where meshes are
/// apart by more than they move, that of a dbvh_check_clearance(); where they have just parted, up to 90 comparisons of
/// nodes more than without. Errors: those of dbvh_collide(), and INVALID_ARGUMENT for a `cache` of NULL; the cache is
/// as good as before then. Thread safety: as dbvh_collide(); the cache must not be shared.
DBVH_API dbvh_status dbvh_collide_cached( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                          const dbvh_pose *pose_b, const dbvh_collide_query *query, dbvh_cache *cache,
                                          dbvh_workspace *workspace, dbvh_collide_result *result_out,
                                          dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CACHE_H
