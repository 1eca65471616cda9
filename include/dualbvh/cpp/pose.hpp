// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/pose.hpp
/// Poses. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_POSE_HPP
#define DUALBVH_CPP_POSE_HPP

#include "dualbvh/cpp/outcome.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

/// No rotation, no translation.
inline Pose identity() {
	return dbvh_pose_identity();
}

inline Pose translation( double x, double y, double z ) {
	Pose pose = dbvh_pose_identity();
	pose.pos[0] = x;
	pose.pos[1] = y;
	pose.pos[2] = z;
	return pose;
}

/// Checks a pose, and returns its deviation from a rotation. See dbvh_pose_check().
inline Outcome<double> check( const Pose &pose ) {
	return detail::outcome_of<double>(
	    [&]( double &deviation, Error &error ) { return dbvh_pose_check( &pose, &deviation, &error ); } );
}

/// Returns the pose with the nearest rotation. See dbvh_pose_orthonormalise().
inline Outcome<Pose> orthonormalise( const Pose &pose ) {
	return detail::outcome_of<Pose>(
	    [&]( Pose &nearest, Error &error ) { return dbvh_pose_orthonormalise( &pose, &nearest, nullptr, &error ); } );
}

/// Returns the pose of B in the frame of A: see dbvh_pose_relative().
inline Pose relative( const Pose &a, const Pose &b ) {
	return dbvh_pose_relative( &a, &b );
}

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_POSE_HPP
