// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses to and from the 4x4 float matrices of graphics code, column by column: element (i, j) is m[4 j + i].

#include "base/fpenv.h"
#include "dualbvh/base.h"

#include <string.h>

static DBVHI_BEHIND dbvh_pose do_pose_from_mat4( const float m[16] ) {
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = (double)m[4 * j + i];
		pose.pos[i] = (double)m[12 + i];
	}
	return pose;
}

dbvh_pose dbvh_pose_from_mat4( const float m[16] ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_pose, do_pose_from_mat4( m ) );
}

// The matrix may lie where the pose is.
static DBVHI_BEHIND void do_pose_to_mat4( const dbvh_pose *pose, float m_out[16] ) {
	float m[16] = { [15] = 1.0f };
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			m[4 * j + i] = (float)pose->rot[i][j];
		m[12 + i] = (float)pose->pos[i];
	}
	memcpy( m_out, m, sizeof m );
}

void dbvh_pose_to_mat4( const dbvh_pose *pose, float m_out[16] ) {
	const dbvhi_fpenv caller = dbvhi_fpenv_enter();
	do_pose_to_mat4( pose, m_out );
	dbvhi_fpenv_leave( caller );
}
