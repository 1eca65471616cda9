// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two trees at one relative pose. Every query of two meshes works in the frame of one of them, the fixed one; a pose
// places the other, the moved one. Which is which follows from the poses alone, so that swapping the meshes changes no
// answer.

#pragma once

#include "base/assert.h"
#include "bvh/tree.h"
#include "dualbvh/query.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "math/pose.h"

#include <math.h>

typedef struct dbvhi_mesh_pair {
	const dbvh_tree *fixed, *moved;
	dbvh_pose pose;      // fixed from moved
	double deviation;    // max |rot^T rot - I| of the pose, rounded up
	double corner_error; // error of a moved corner that is rounded; negative until it is first needed
	bool a_moves;        // the caller's A is the moved mesh
	bool touching;       // the boxes of the roots lie on each other; false also if they were not compared
} dbvhi_mesh_pair;

// Set up a pair; a pose of NULL is the identity. Errors: NOT_FINITE, NOT_RIGID.
dbvh_status dbvhi_mesh_pair_init( dbvhi_mesh_pair *pair, const dbvh_tree *a, const dbvh_pose *pose_a,
                                  const dbvh_tree *b, const dbvh_pose *pose_b );

// Set up a pair of a mesh and itself, where it is.
void dbvhi_mesh_pair_init_self( dbvhi_mesh_pair *pair, const dbvh_tree *tree );

// Error bound of a moved corner in any coordinate.
static inline double dbvhi_mesh_pair_corner_error( dbvhi_mesh_pair *pair ) {
	if ( pair->corner_error < 0.0 )
		pair->corner_error = dbvhi_move_error( &pair->pose, pair->moved->largest );
	return pair->corner_error;
}

// Memory for the corners of a pair of triangles, to outlive the dbvhi_posed_pair that points into it.
typedef struct dbvhi_pair_room {
	double image[9]; // the moved corners
	double fixed[9], moved[9];
} dbvhi_pair_room;

// Triangle i of the fixed mesh and j of the moved one, both in leaf order. The room has to live as long as what is
// returned.
static inline dbvhi_posed_pair dbvhi_mesh_pair_triangles( dbvhi_mesh_pair *pair, uint32_t i, uint32_t j,
                                                          dbvhi_pair_room *room ) {
	DBVHI_ASSERT( i < pair->fixed->triangle_count && j < pair->moved->triangle_count );
	const double *fixed = dbvhi_tree_triangle( pair->fixed, i, room->fixed );
	const double *moved = dbvhi_tree_triangle( pair->moved, j, room->moved );
	dbvhi_triangle_move( &pair->pose, moved, room->image );
	return ( dbvhi_posed_pair ){ fixed, moved, room->image, &pair->pose, dbvhi_mesh_pair_corner_error( pair ) };
}

// The key of such a pair: the caller's A << 32 | B, in file order.
static inline uint64_t dbvhi_mesh_pair_key( const dbvhi_mesh_pair *pair, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( i < pair->fixed->triangle_count && j < pair->moved->triangle_count );
	const uint32_t fixed = pair->fixed->triangle[i], moved = pair->moved->triangle[j];
	return pair->a_moves ? (uint64_t)moved << 32 | fixed : (uint64_t)fixed << 32 | moved;
}

// Margin of a traversal of the two trees in doubles: bounds the rounding of everything it compares.
double dbvhi_mesh_pair_margin( const dbvhi_mesh_pair *pair );

// Addition to the margin that makes the tests separate only volumes farther apart than `max_distance`: a direction of
// the moved mesh is of length 1 but for the deviation of the pose, and the tests round relative to what they compare.
static inline double dbvhi_distance_margin( double max_distance, double deviation ) {
	DBVHI_ASSERT( max_distance >= 0.0 && deviation >= 0.0 );
	return max_distance + max_distance * ( 2.0 * deviation + 0x1p-44 );
}

// The margin of a traversal of two packed trees, relative to the two radii, for a pose of that deviation.
double dbvhi_packed_relative_margin( double deviation );

// Does a policy ask for the packed form? All others ask for the reference tree.
static inline bool dbvhi_asks_for_packed( dbvh_policy policy ) {
	return policy == DBVH_POLICY_DEFAULT || policy == DBVH_POLICY_PACKED || policy == DBVH_POLICY_PACKED_MIXED;
}

// Have both trees a packed form in the unit of the mesh, and does the policy ask for it?
static inline bool dbvhi_is_packed( const dbvh_tree *a, const dbvh_tree *b, dbvh_policy policy ) {
	return dbvhi_tree_in_floats( a ) && dbvhi_tree_in_floats( b ) && dbvhi_asks_for_packed( policy );
}

// Largest position for the packed form: squares of what is farther away may overflow a float. (In the unit of a packed
// form no coordinate is beyond 2^40.)
#define DBVHI_PACKED_REACH 0x1p58

static inline bool dbvhi_mesh_pair_is_packed( const dbvhi_mesh_pair *pair, dbvh_policy policy ) {
	const double *pos = pair->pose.pos;
	return dbvhi_is_packed( pair->fixed, pair->moved, policy ) &&
	       fabs( pos[0] ) + fabs( pos[1] ) + fabs( pos[2] ) <= DBVHI_PACKED_REACH;
}

// The pair with its pose in the unit of the packed form of the fixed tree.
static inline dbvhi_mesh_pair dbvhi_mesh_pair_in_unit( const dbvhi_mesh_pair *pair ) {
	const dbvhi_power down = dbvhi_packed_down( pair->fixed->packed );
	dbvhi_mesh_pair out = *pair;
	for ( int k = 0; k < 3; ++k )
		out.pose.pos[k] = dbvhi_times_power( down, pair->pose.pos[k] );
	return out;
}

// True if the packed forms of two trees are in one unit of their own and the pose is within reach in that: a kernel
// takes them with the pose in that unit, if lengths are no part of its findings.
static inline bool dbvhi_mesh_pair_is_scaled( const dbvhi_mesh_pair *pair, dbvh_policy policy ) {
	if ( !dbvhi_asks_for_packed( policy ) || !dbvhi_trees_share_unit( pair->fixed, pair->moved ) ||
	     !dbvhi_packed_is_scaled( pair->fixed->packed ) )
		return false;
	const dbvhi_mesh_pair in_unit = dbvhi_mesh_pair_in_unit( pair );
	const double *pos = in_unit.pose.pos;
	return fabs( pos[0] ) + fabs( pos[1] ) + fabs( pos[2] ) <= DBVHI_PACKED_REACH;
}
