// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/turn.h"

#include "common/numbers.h"

#include <cglm/cglm.h>
#include <dualbvh/cglm.h>

dbvh_pose turn_about( const double axis[3], double degrees ) {
	vec3 about;
	versor turn;
	dbvh_point_to_glm( axis, about );
	glm_quatv( turn, glm_rad( (float)degrees ), about );
	return dbvh_pose_from_glm_quat( turn, GLM_VEC3_ZERO );
}

dbvh_pose turn_next( uint64_t *state ) {
	double axis[3];
	for ( int k = 0; k < 3; ++k )
		axis[k] = next_number( state ) - 0.5;
	return turn_about( axis, 360.0 * next_number( state ) );
}
