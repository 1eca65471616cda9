// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cglm.h
/// Poses and shapes to and from the types of cglm. Inline, and for callers who use cglm: dualbvh itself neither
/// includes nor needs it, and dualbvh.h does not include this file. Include cglm's own headers first, with your own
/// options.
///
/// cglm's numbers are floats. Widening them rounds nothing; what comes back is rounded to nearest. A rotation of floats
/// deviates from one of real numbers by some 1e-7, which dbvh_pose_check() accepts (DBVH_POSE_TOLERANCE).
///
/// All functions are constant time, safe from any thread, and cannot fail; what is NaN or no rotation is refused where
/// the pose is used.

#ifndef DUALBVH_CGLM_H
#define DUALBVH_CGLM_H

#include "dualbvh/base.h"
#include "dualbvh/primitives.h"

#include <cglm/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// From a column-major 4x4 matrix; its last row is not read.
static inline dbvh_pose dbvh_pose_from_glm( mat4 m ) {
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = (double)m[j][i];
		pose.pos[i] = (double)m[3][i];
	}
	return pose;
}

/// To a column-major 4x4 matrix, rounded to floats.
static inline void dbvh_pose_to_glm( const dbvh_pose *pose, mat4 m_out ) {
	for ( int j = 0; j < 3; ++j ) {
		for ( int i = 0; i < 3; ++i )
			m_out[j][i] = (float)pose->rot[i][j];
		m_out[j][3] = 0.0f;
		m_out[3][j] = (float)pose->pos[j];
	}
	m_out[3][3] = 1.0f;
}

/// From a quaternion (x, y, z, w), which is normalised in doubles, and a translation.
static inline dbvh_pose dbvh_pose_from_glm_quat( versor q, vec3 translation ) {
	const double xyzw[4] = { q[0], q[1], q[2], q[3] };
	const double pos[3] = { translation[0], translation[1], translation[2] };
	return dbvh_pose_from_quaternion( xyzw, pos );
}

/// From the centre and the radius.
static inline dbvh_sphere dbvh_sphere_from_glm( vec3 centre, float radius ) {
	const dbvh_sphere sphere = { { centre[0], centre[1], centre[2] }, radius };
	return sphere;
}

/// From the two corners that glm_aabb_* functions keep, box[0] the lower one.
static inline dbvh_aabb dbvh_aabb_from_glm( vec3 box[2] ) {
	const dbvh_aabb aabb = { { box[0][0], box[0][1], box[0][2] }, { box[1][0], box[1][1], box[1][2] } };
	return aabb;
}

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CGLM_H
