// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses to and from the 4x4 float matrices of graphics code, in the memory of cglm's mat4. The one file with cglm: its
// types change size and its arithmetic changes bits with compile flags, so neither may reach headers, kernels or
// answers.

#include "base/fpenv.h"
#include "dualbvh/base.h"

// Unaligned matrices: callers' floats are aligned as floats are.
#define CGLM_ALL_UNALIGNED
#include <cglm/mat4.h>

_Static_assert( sizeof( mat4 ) == 16 * sizeof( float ), "a mat4 is sixteen floats, column by column" );

static DBVHI_BEHIND dbvh_pose do_pose_from_mat4( const float m[16] ) {
	mat4 columns;
	for ( int j = 0; j < 4; ++j )
		glm_vec4_copy( (float *)m + 4 * j, columns[j] ); // cglm takes no const, but only reads
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = (double)columns[j][i];
		pose.pos[i] = (double)columns[3][i];
	}
	return pose;
}

dbvh_pose dbvh_pose_from_mat4( const float m[16] ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_pose, do_pose_from_mat4( m ) );
}

static DBVHI_BEHIND void do_pose_to_mat4( const dbvh_pose *pose, float m_out[16] ) {
	mat4 columns;
	glm_mat4_identity( columns );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			columns[j][i] = (float)pose->rot[i][j];
		columns[3][i] = (float)pose->pos[i];
	}
	for ( int j = 0; j < 4; ++j )
		glm_vec4_copy( columns[j], m_out + 4 * j );
}

void dbvh_pose_to_mat4( const dbvh_pose *pose, float m_out[16] ) {
	const dbvhi_fpenv caller = dbvhi_fpenv_enter();
	do_pose_to_mat4( pose, m_out );
	dbvhi_fpenv_leave( caller );
}
