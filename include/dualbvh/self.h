// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file self.h
/// Self-intersection: the triangles of one mesh that intersect each other.
///
/// Neighbouring triangles of a mesh always touch, so triangles count only if they intersect *beyond the corners and
/// edges that they share*. Let C be the set of points that are corners of both triangles (equal coordinates, -0 equal
/// to 0, whatever the vertex numbers). Two triangles count as a pair
/// - if C is empty and they have a common point;
/// - if C is one point and they have a common point other than it;
/// - if C is two points and they have a common point off the segment between them (coplanar neighbours folded over);
/// - if C is three points (the same triangle twice, in any order).
/// A triangle of zero area is the segment or the point it has shrunk to, and the same rules hold for it: a triangle
/// that has collapsed onto an edge or a corner that it shares with another does not count, not even where both have
/// collapsed onto the same edge. The answer is that of real arithmetic on the given coordinates: no tolerance enters,
/// and it is the same on every CPU, for every policy and thread count.

#ifndef DUALBVH_SELF_H
#define DUALBVH_SELF_H

#include "dualbvh/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Finds the pairs of triangles of one mesh that intersect beyond the corners and edges that they share. No pose is
/// needed: a rigid motion changes nothing.
///
/// `query` and the result are those of dbvh_collide(): DBVH_INTERSECTING if there is a pair, pairs with a < b by the
/// numbers in file order, sorted, the lowest ones where there is no room for all. `query` NULL asks for the verdict
/// alone. With query->thread_count above 1 the packed form is searched on so many threads at most; no answer depends on
/// it, except which pair DBVH_FIND_ANY reports. `workspace` NULL allocates one for this call; dbvh_workspace_reserve(
/// workspace, tree, tree, pair_capacity, NULL ), or dbvh_workspace_reserve_threads(), makes one large enough. Cost: O(n
/// log n) for surfaces whose parts are mostly far from each other. Every pair of triangles that touch is compared:
/// about six a triangle, some 50 ns each. Stacks and combs, whose volumes all overlap each other, take O(n log n), too,
/// where planes separate their triangles. Fans, n triangles round one corner, take up to n squared steps, as do needles
/// that run side by side: 16,000 of them some seconds, unless a budget ends them. Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *result_out is all zero then; with query->budget also BUDGET_SPENT and CANCELLED, as for
/// dbvh_collide(). Thread safety: the tree is only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_self_collide( const dbvh_tree *tree, const dbvh_collide_query *query,
                                        dbvh_workspace *workspace, dbvh_collide_result *result_out, dbvh_error *error );

/// Tells whether two triangles of one mesh intersect beyond the corners and edges they share, as defined above. The
/// exact predicate under dbvh_self_collide(), offered on its own. Errors: INVALID_ARGUMENT, NOT_FINITE; *intersect_out
/// is false then. Some 50 ns where doubles decide, some microseconds where integers must. Any thread.
DBVH_API dbvh_status dbvh_triangles_self_intersect( const dbvh_triangle *a, const dbvh_triangle *b, bool *intersect_out,
                                                    dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_SELF_H
