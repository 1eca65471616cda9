// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/eigen.hpp
/// Poses and views from Eigen, where <Eigen/Geometry> is included before dualbvh.hpp. Part of dualbvh.hpp, which is
/// what programs include.

#if defined( EIGEN_WORLD_VERSION ) && !defined( DUALBVH_HPP_EIGEN )
#define DUALBVH_HPP_EIGEN

namespace dualbvh {

/// Makes a pose from an isometry or an affine transform, in doubles or floats. A matrix that is no rotation is refused
/// where the pose is used.
template <class S, int mode, int options> Pose pose( const Eigen::Transform<S, 3, mode, options> &t ) {
	Pose p;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			p.rot[i][j] = static_cast<double>( t.matrix()( i, j ) );
		p.pos[i] = static_cast<double>( t.matrix()( i, 3 ) );
	}
	return p;
}

/// Makes a pose from a quaternion, which is normalised, and a translation.
template <class Q, class V> Pose pose( const Eigen::QuaternionBase<Q> &q, const Eigen::MatrixBase<V> &translation ) {
	const double xyzw[4] = { static_cast<double>( q.x() ), static_cast<double>( q.y() ), static_cast<double>( q.z() ),
	                         static_cast<double>( q.w() ) };
	const double pos[3] = { static_cast<double>( translation[0] ), static_cast<double>( translation[1] ),
	                        static_cast<double>( translation[2] ) };
	return dbvh_pose_from_quaternion( xyzw, pos );
}

/// Converts a pose to an isometry; floats are rounded to nearest.
template <class S = double> Eigen::Transform<S, 3, Eigen::Isometry> to_eigen( const Pose &pose ) {
	Eigen::Transform<S, 3, Eigen::Isometry> t = Eigen::Transform<S, 3, Eigen::Isometry>::Identity();
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			t.matrix()( i, j ) = static_cast<S>( pose.rot[i][j] );
		t.matrix()( i, 3 ) = static_cast<S>( pose.pos[i] );
	}
	return t;
}

/// Makes a view of matrices whose three coordinates lie side by side: three rows in Eigen's column-major order, or
/// three columns in row-major order. Nothing is copied.
template <class S, int rows, int cols, int order, class I, int index_rows, int index_cols, int index_order>
MeshView mesh_view( const Eigen::Matrix<S, rows, cols, order> &vertices,
                    const Eigen::Matrix<I, index_rows, index_cols, index_order> &triangles ) {
	static_assert( ( order & Eigen::RowMajor ) != 0 ? cols == 3 : rows == 3, "coordinates must lie side by side" );
	static_assert( ( index_order & Eigen::RowMajor ) != 0 ? index_cols == 3 : index_rows == 3,
	               "indices must lie side by side" );
	return mesh_view( span<const S>( vertices.data(), static_cast<std::size_t>( vertices.size() ) ),
	                  span<const I>( triangles.data(), static_cast<std::size_t>( triangles.size() ) ) );
}

} // namespace dualbvh
#endif
