// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Exact points near which one wants to know what is inside: corners of meshes, points where an edge intersects an edge
// or a face, and points as close to those as one likes, in a given direction. Signs are sought in doubles with a
// bounded error first, then in integers.
//
// Everything is in one frame, in which a mesh either stays or is moved by the one pose of the query.

#pragma once

#include "dualbvh/base.h"
#include "exact/number/big.h"
#include "exact/tri_feature.h"

// A corner as its mesh has it; `moved`: the pose is still to be applied.
typedef struct dbvhi_corner {
	const double *at;
	bool moved;
} dbvhi_corner;

// The point from + num / den (to - from), or `from` alone where to.at is NULL.
typedef struct dbvhi_exact_point {
	dbvhi_corner from, to;
	dbvhi_big_3 num, den; // den > 0
	double at[3];         // rounded
	double error;         // bounds what each coordinate of `at` is off
} dbvhi_exact_point;

// A vector of integers; a positive factor does not matter.
typedef struct dbvhi_vector {
	double near[3]; // the largest in [1/2, 1], each off by less than 2^-51
	int32_t sign[3];
	uint32_t length[3];
	const dbvhi_limb *limb[3];
} dbvhi_vector;

// Room for the limbs of a difference of two corners.
#define DBVHI_VECTOR_LIMBS ( 3328 / DBVHI_LIMB_BITS )
typedef struct dbvhi_vector_limbs {
	dbvhi_limb limb[3][DBVHI_VECTOR_LIMBS];
} dbvhi_vector_limbs;

// The unit vectors.
extern const dbvhi_vector dbvhi_unit_vector[3];

// point + e level[0] + e^2 level[1] + e^3 level[2] for an e above 0 and small enough, each level times its sign, 1 or
// -1; of even smaller size the three unit vectors are added. In what follows `axis` stands for a direction that is the
// axis' own but for two smaller summands, the other axes; nothing is parallel to it unless it is no direction at all.
typedef struct dbvhi_perturbed_point {
	const dbvhi_exact_point *point;
	const dbvhi_vector *level[3];
	int sign[3];
	int level_count;
} dbvhi_perturbed_point;

// A triangle and where it is.
typedef struct dbvhi_target {
	const double *corners; // nine doubles
	bool moved;
	double image[9]; // placed, rounded
	double error;    // bounds what each coordinate of it is off
} dbvhi_target;

void dbvhi_target_init( dbvhi_target *target, const double corners[9], const dbvh_pose *pose, bool moved,
                        double move_error );

// A corner of a mesh, or any point (not moved). `move_error` as of dbvhi_move_error().
void dbvhi_exact_point_at_corner( dbvhi_exact_point *point, dbvhi_corner corner, const dbvh_pose *pose,
                                  double move_error );

// The middle of an edge. Edge k runs from corner k to the next.
void dbvhi_exact_point_at_middle( dbvhi_exact_point *point, const dbvhi_target *target, int edge );

// The point where two edges cross. They must be known to cross between their ends.
void dbvhi_exact_point_at_edges( dbvhi_exact_point *point, const dbvhi_target *a, int edge_a, const dbvhi_target *b,
                                 int edge_b, const dbvh_pose *pose );

// The point where an edge crosses the plane of another triangle. The ends of the edge must be known to lie strictly on
// different sides of the plane.
void dbvhi_exact_point_at_face( dbvhi_exact_point *point, const dbvhi_target *a, int edge_a, const dbvhi_target *b,
                                const dbvh_pose *pose );

// `to` minus `from`, two corners of one triangle.
void dbvhi_vector_along( dbvhi_vector *vector, dbvhi_vector_limbs *limbs, const dbvhi_target *target, int from, int to,
                         const dbvh_pose *pose );

// The cross product of the normals of two triangles, each (corner 1 - corner 0) x (corner 2 - corner 0).
typedef struct dbvhi_wide_limbs {
	dbvhi_limb limb[3][4 * DBVHI_VECTOR_LIMBS];
} dbvhi_wide_limbs;
void dbvhi_vector_across( dbvhi_vector *vector, dbvhi_wide_limbs *limbs, const dbvhi_target *a, const dbvhi_target *b,
                          const dbvh_pose *pose );

// The sign of p x q along an axis, of det [p, q, r], and whether p and q are parallel and point the same way.
int dbvhi_vector_det2( int axis, const dbvhi_vector *p, const dbvhi_vector *q );
int dbvhi_vector_det3( const dbvhi_vector *p, const dbvhi_vector *q, const dbvhi_vector *r );
bool dbvhi_vector_same_way( const dbvhi_vector *p, const dbvhi_vector *q );

// The feature of a triangle with an area that a point lies on; DBVHI_NOWHERE: the point is not on the triangle.
dbvhi_tri_feature dbvhi_exact_point_on_triangle( const dbvhi_exact_point *point, const dbvhi_target *target,
                                                 const dbvh_pose *pose );

// Does the ray from a perturbed point, which is not on the triangle, along `axis` cross it? 1 along its normal, (corner
// 1 - corner 0) x (corner 2 - corner 0), -1 against it, 0 if not. No triangle is touched only. A triangle without an
// area is not crossed.
int dbvhi_perturbed_point_crosses( const dbvhi_perturbed_point *perturbed, int axis, const dbvhi_target *target,
                                   const dbvh_pose *pose );

// The same for the infinite wedge { point + s p + t q, s and t at least 0 } of two vectors that are not parallel, with
// the normal p x q, where the perturbed point has levels that span the space.
int dbvhi_perturbed_point_crosses_wedge( const dbvhi_perturbed_point *perturbed, int axis, const dbvhi_vector *p,
                                         const dbvhi_vector *q );
