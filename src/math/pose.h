// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What a query makes of two poses: one relative pose, chosen so that swapping the meshes changes nothing.

#pragma once

#include "dualbvh/base.h"

// Where the exact question is asked: in the frame of one mesh, with the other moved by `moved_from`.
typedef struct dbvhi_relative_pose {
	dbvh_pose frame_from_moved;
	double deviation; // max |rot^T rot - I| of it, rounded up
	bool a_moves;     // true: B stays and A is placed by the pose; false: A stays and B is placed
} dbvhi_relative_pose;

// What a check adds for its own rounding, and so finds for the identity.
#define DBVHI_POSE_ROUNDING ( 6.0 * 0x1p-52 )

// By value, so that -0 is 0. Most poses that are not have an offset.
bool dbvhi_pose_is_identity_there( const dbvh_pose *pose );
static inline bool dbvhi_pose_is_identity( const dbvh_pose *pose ) {
	return pose->pos[0] == 0.0 && dbvhi_pose_is_identity_there( pose );
}

// NULL is the identity. Errors: NOT_FINITE, NOT_RIGID.
dbvh_status dbvhi_pose_relate( const dbvh_pose *pose_a, const dbvh_pose *pose_b, dbvhi_relative_pose *out );

// dbvh_pose_check() without a sentence, for those that are in the default floating-point environment already.
dbvh_status dbvhi_pose_check( const dbvh_pose *pose, double *deviation_out );
