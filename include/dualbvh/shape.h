// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file shape.h
/// A posed mesh against a sphere, a box, an ellipsoid, a capsule, a plane or a half-space (overlap test, shape query).
/// Rays and segments, which have a first hit, are in raycast.h, points in closest_point.h.
///
/// What the answers mean. Spheres, boxes, ellipsoids, capsules and half-spaces are solid, a mesh is its surface: they
/// intersect where some triangle has a point in the shape, also if the whole mesh is inside; a shape within a closed
/// mesh that does not reach its surface does not intersect it. All sets are closed, triangles of zero area are the
/// segments or points that they have shrunk to. Shapes are given in the common frame; the mesh is placed by a pose,
/// taken literally. The verdict and the list of triangles are those of real arithmetic on the given doubles: no
/// tolerance enters, and they are the same on every CPU.

#ifndef DUALBVH_SHAPE_H
#define DUALBVH_SHAPE_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of a shape, which names a member of dbvh_shape.as.
typedef enum dbvh_shape_kind {
	DBVH_SHAPE_KIND_SPHERE,
	DBVH_SHAPE_KIND_AABB,
	DBVH_SHAPE_KIND_BOX,
	DBVH_SHAPE_KIND_OBB,
	DBVH_SHAPE_KIND_ELLIPSOID,
	DBVH_SHAPE_KIND_CAPSULE,
	DBVH_SHAPE_KIND_PLANE,
	/// All x with normal . x <= offset: `as.plane` and what is below it.
	DBVH_SHAPE_KIND_HALF_SPACE,
} dbvh_shape_kind;

/// A shape: the member of `as` that `kind` names.
typedef struct dbvh_shape {
	dbvh_shape_kind kind;
	union {
		dbvh_sphere sphere;
		dbvh_aabb aabb;
		dbvh_box box;
		dbvh_obb obb;
		dbvh_ellipsoid ellipsoid;
		dbvh_capsule capsule;
		dbvh_plane plane;
	} as;
} dbvh_shape;

/// The query. All zero: the verdict alone.
typedef struct dbvh_collide_shape_query {
	dbvh_find find;           ///< DBVH_FIND_ANY: the verdict; DBVH_FIND_ALL: every triangle; not DBVH_FIND_CLOSEST
	uint32_t *triangles;      ///< DBVH_FIND_ALL: array for their numbers; may be NULL if triangle_capacity is 0
	size_t triangle_capacity; ///< number of triangles that `triangles` has room for
	/// A limit on the work of the call; NULL: none. Where it ends the call early, the result has the triangles found
	/// until then, which do intersect but need be neither all nor the lowest. With DBVH_FIND_ANY one triangle is the
	/// answer, and the call succeeds.
	const dbvh_budget *budget;
} dbvh_collide_shape_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_collide_shape_query dbvh_collide_shape_query_default( void );

/// The answer, and its cost.
typedef struct dbvh_collide_shape_result {
	bool intersects;
	/// A triangle that intersects the shape, where there is one: with DBVH_FIND_ANY any, with DBVH_FIND_ALL the lowest,
	/// by number in file order.
	uint32_t first;
	size_t triangle_count;   ///< DBVH_FIND_ALL: number of triangles that do, whether or not there was room; else 0 or 1
	size_t triangle_written; ///< number of triangles in query->triangles: the lowest ones, in ascending order
	/// box_tests counts nodes compared with the shape, triangle_tests triangles, exact_tests triangles that doubles
	/// left undecided.
	dbvh_counters counters;
} dbvh_collide_shape_result;

/// Tells whether the mesh posed by `pose` (NULL: the identity) intersects the shape, and lists the triangles that do.
///
/// The shape is given in the common frame. `query` NULL asks for the verdict alone; `workspace` NULL allocates one for
/// this call; dbvh_workspace_reserve( workspace, tree, tree, triangle_capacity, NULL ) makes one large enough.
/// Cost: O(log n) nodes for a small shape, and more the more of the surface is near that of the shape.
/// Errors: INVALID_ARGUMENT (also for a negative radius or half side, a min above its max, an ellipsoid's half that is
/// not above 0, a normal of zero, an unknown kind), NOT_FINITE (pose or shape), NOT_RIGID (pose, or axes that are too
/// far from unit vectors at right angles), OUT_OF_MEMORY; *result_out is all zero then. With a budget also BUDGET_SPENT
/// and CANCELLED.
/// Thread safety: the tree is only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_collide_shape( const dbvh_tree *tree, const dbvh_pose *pose, const dbvh_shape *shape,
                                         const dbvh_collide_shape_query *query, dbvh_workspace *workspace,
                                         dbvh_collide_shape_result *result_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_SHAPE_H
