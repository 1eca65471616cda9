// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The relative pose of a query, chosen so that swapping the meshes changes nothing.

#pragma once

#include "dualbvh/base.h"

// The exact question of a query: one mesh stays in its frame, the other is placed by `frame_from_moved`.
typedef struct dbvhi_relative_pose {
	dbvh_pose frame_from_moved;
	double deviation; // upper bound of max |rot^T rot - I|
	bool a_moves;     // true: B stays and A is placed; false: A stays and B is placed
} dbvhi_relative_pose;

// DBVHI_POSE_ROUNDING is the rounding error that a check allows for itself, and so the deviation it reports for the
// identity.
#define DBVHI_POSE_ROUNDING ( 6.0 * 0x1p-52 )

// Compares by value, so that -0 equals 0. Most other poses differ in pos[0] already.
bool dbvhi_pose_is_identity_there( const dbvh_pose *pose );
static inline bool dbvhi_pose_is_identity( const dbvh_pose *pose ) {
	return pose->pos[0] == 0.0 && dbvhi_pose_is_identity_there( pose );
}

// Computes the relative pose; NULL is the identity. Errors: NOT_FINITE, NOT_RIGID.
dbvh_status dbvhi_pose_relate( const dbvh_pose *pose_a, const dbvh_pose *pose_b, dbvhi_relative_pose *out );

// dbvh_pose_check() without a sentence, for callers already in the default floating-point environment.
dbvh_status dbvhi_pose_check( const dbvh_pose *pose, double *deviation_out );

// ------------------------------------------------------------------------------------------------
// How far a body may have gone between two poses.

// Bounds the distance of any point of a ball from one pose to the other. `deviation` is the sum of both poses'.
// INFINITY if the turn alone moves points farther than `longest_turn` times the radius.
double dbvhi_pose_way( const dbvh_pose *before, const dbvh_pose *after, double deviation, const double centre[3],
                       double radius, double longest_turn );
