// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/glm.hpp
/// Poses and views from GLM, where it is included before dualbvh.hpp. Part of dualbvh.hpp, which is what programs
/// include.

#if defined( GLM_VERSION ) && !defined( DUALBVH_HPP_GLM )
#define DUALBVH_HPP_GLM

namespace dualbvh {

/// Makes a pose from a column-major matrix, the layout of GLM; its last row is not read.
template <class S, glm::qualifier q> Pose pose( const glm::mat<4, 4, S, q> &m ) {
	Pose p;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			p.rot[i][j] = static_cast<double>( m[j][i] );
		p.pos[i] = static_cast<double>( m[3][i] );
	}
	return p;
}

/// Makes a pose from a quaternion, which is normalised, and a translation.
template <class S, glm::qualifier q> Pose pose( const glm::qua<S, q> &r, const glm::vec<3, S, q> &translation ) {
	const double xyzw[4] = { static_cast<double>( r.x ), static_cast<double>( r.y ), static_cast<double>( r.z ),
	                         static_cast<double>( r.w ) };
	const double pos[3] = { static_cast<double>( translation.x ), static_cast<double>( translation.y ),
	                        static_cast<double>( translation.z ) };
	return dbvh_pose_from_quaternion( xyzw, pos );
}

/// Converts a pose to a column-major matrix; its last row is 0 0 0 1, and floats are rounded to nearest.
template <class S = float> glm::mat<4, 4, S, glm::defaultp> to_glm( const Pose &pose ) {
	glm::mat<4, 4, S, glm::defaultp> m( S( 1 ) );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			m[j][i] = static_cast<S>( pose.rot[i][j] );
		m[3][i] = static_cast<S>( pose.pos[i] );
	}
	return m;
}

} // namespace dualbvh
#endif
