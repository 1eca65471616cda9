// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cache.h
/// Collision detection of meshes that move little from call to call (temporal coherence): the caller keeps a record of
/// the last call, which the next call tries first.

#ifndef DUALBVH_CACHE_H
#define DUALBVH_CACHE_H

#include "dualbvh/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The record of earlier calls about one pair of meshes. All zero: none. The caller has one for each pair of moving
/// meshes; it holds no memory, may be copied, and need not be destroyed. Its content is private to the library.
typedef struct dbvh_cache {
	double reserved[80];
} dbvh_cache;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_cache dbvh_cache_default( void );

/// Answers like dbvh_collide(), faster where the meshes have moved little since the last call with this cache.
///
/// The two triangles that intersected last are compared first, then others near them, before the search begins at the
/// roots. Where the meshes were apart, the cache keeps a lower bound of their distance, so that a motion shorter than
/// it needs no search. The effort put into either adapts to the outcome of the last calls.
///
/// Verdict, pair_count and the pairs are those of dbvh_collide(), whatever the cache holds. With DBVH_FIND_ANY `first`
/// is a pair that intersects, perhaps another one than there; the counters count the work that was done. A cache that
/// was filled with other meshes, which it tells by their triangles, or with the two in the other order starts afresh.
///
/// `cache` must not be NULL. All other arguments are those of dbvh_collide(). Cost: where the cache answers, some tens
/// of nanoseconds; where it does not help, as much more than dbvh_collide(); once in a few calls, where meshes are
/// apart by more than they move, that of a dbvh_check_clearance(); where they have just separated, up to 90 comparisons
/// of nodes more than without. Errors: those of dbvh_collide(), and INVALID_ARGUMENT for a `cache` of NULL; the cache
/// stays valid then. Thread safety: as dbvh_collide(); the cache must not be shared.
DBVH_API dbvh_status dbvh_collide_cached( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                          const dbvh_pose *pose_b, const dbvh_collide_query *query, dbvh_cache *cache,
                                          dbvh_workspace *workspace, dbvh_collide_result *result_out,
                                          dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CACHE_H
