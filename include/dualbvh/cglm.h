// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cglm.h
/// Poses and shapes to and from the types of cglm (mat4, versor, vec3). Inline, and for programs that use cglm, as the
/// command and the benchmark do: the library neither includes nor needs it, and dualbvh.h does not include this file.
/// Include cglm's own headers before it, with your own options (alignment above all).
///
/// cglm's numbers are floats. Widening them to doubles is exact; conversions to floats round to nearest. A rotation of
/// floats deviates from one of real numbers by some 1e-7, which dbvh_pose_check() accepts (DBVH_POSE_TOLERANCE); a
/// matrix that has been multiplied many times may deviate by more, and dbvh_pose_orthonormalise() repairs it.
///
/// All functions take constant time, are safe from any thread, and cannot fail; NaN and matrices that are no rotation
/// are refused where the pose is used. Their arguments are cglm's arrays, which are not const, and are only read.

#ifndef DUALBVH_CGLM_H
#define DUALBVH_CGLM_H

#include "dualbvh/base.h"
#include "dualbvh/geometry.h"

#include <cglm/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a pose from a column-major 4x4 matrix; its last row is not read.
static inline dbvh_pose dbvh_pose_from_glm( mat4 m ) {
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = (double)m[j][i];
		pose.pos[i] = (double)m[3][i];
	}
	return pose;
}

/// Writes a pose as a column-major 4x4 matrix, rounded to floats; its last row is 0 0 0 1.
static inline void dbvh_pose_to_glm( const dbvh_pose *pose, mat4 m_out ) {
	for ( int j = 0; j < 3; ++j ) {
		for ( int i = 0; i < 3; ++i )
			m_out[j][i] = (float)pose->rot[i][j];
		m_out[j][3] = 0.0f;
		m_out[3][j] = (float)pose->pos[j];
	}
	m_out[3][3] = 1.0f;
}

/// Makes a pose from a quaternion (x, y, z, w), which is normalised in doubles, and a translation. A zero quaternion
/// gives a matrix of NaN.
static inline dbvh_pose dbvh_pose_from_glm_quat( versor q, vec3 translation ) {
	const double xyzw[4] = { (double)q[0], (double)q[1], (double)q[2], (double)q[3] };
	const double pos[3] = { (double)translation[0], (double)translation[1], (double)translation[2] };
	return dbvh_pose_from_quaternion( xyzw, pos );
}

/// Converts a point or a direction: xyz_out is three doubles.
static inline void dbvh_point_from_glm( vec3 v, double xyz_out[3] ) {
	for ( int k = 0; k < 3; ++k )
		xyz_out[k] = (double)v[k];
}

/// Converts a point or a direction, rounded to floats.
static inline void dbvh_point_to_glm( const double xyz[3], vec3 v_out ) {
	for ( int k = 0; k < 3; ++k )
		v_out[k] = (float)xyz[k];
}

/// Makes a ray from a point in a direction of any length.
static inline dbvh_ray dbvh_ray_from_glm( vec3 from, vec3 direction ) {
	dbvh_ray ray;
	dbvh_point_from_glm( from, ray.from );
	dbvh_point_from_glm( direction, ray.direction );
	return ray;
}

/// Makes a sphere from its centre and radius.
static inline dbvh_sphere dbvh_sphere_from_glm( vec3 centre, float radius ) {
	dbvh_sphere sphere;
	dbvh_point_from_glm( centre, sphere.centre );
	sphere.radius = (double)radius;
	return sphere;
}

/// Makes a box from the two corners that the glm_aabb functions take, box[0] the lower one.
static inline dbvh_aabb dbvh_aabb_from_glm( vec3 box[2] ) {
	dbvh_aabb aabb;
	dbvh_point_from_glm( box[0], aabb.min );
	dbvh_point_from_glm( box[1], aabb.max );
	return aabb;
}

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CGLM_H
