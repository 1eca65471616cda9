// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh.hpp without exceptions; also with Eigen and GLM, where they are there.

#if __has_include( <Eigen/Geometry> )
#include <Eigen/Geometry>
#endif
#if __has_include( <glm/glm.hpp> )
#define GLM_FORCE_SILENT_WARNINGS
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#endif

#define NAME( name ) hpp_results_##name
#define VALUE( what ) ( *( what ) )
#define STATUS_OF( what ) ( ( what ).status() )
#define ERROR_OF( what, error_out ) ( ( error_out ) = ( what ).error(), ( error_out ).status != DBVH_OK )
#define DONE( what ) EXPECT( ( what ).ok() )

#include "hpp.inl"

// A query that a budget ends returns what it knew; a value may be replaced by another.
int hpp_results_budget( void ) {
	const d::Tree a = comb( 40, false ), b = comb( 40, true );
	dbvh_budget budget{};
	budget.max_work = 1;
	d::CollideQuery query{};
	query.budget = &budget;
	const auto some = d::collide_all( a, d::identity(), b, d::identity(), query );
	EXPECT( !some && some.status() == DBVH_BUDGET_SPENT && some.error().text[0] != '\0' );
	EXPECT( some.left().size() < 1600 );
	EXPECT( !d::Mesh::load( "nowhere.stl" ).value_or( d::Mesh() ) );
	EXPECT( d::check( d::identity() ).value_or( 7.0 ) < 1.0 );
	auto tree = d::Tree::build( d::mesh_view( corners, triangles ) );
	EXPECT( tree && tree->stats().triangle_count == 12 && tree.error().text[0] == '\0' );
	const d::Tree taken = *std::move( tree );
	EXPECT( taken && !*tree );
	return 0;
}

int hpp_eigen( void ) {
#ifdef EIGEN_WORLD_VERSION
	Eigen::Isometry3d turn = Eigen::Isometry3d::Identity();
	turn.rotate( Eigen::AngleAxisd( 0.5, Eigen::Vector3d( 1, 2, 3 ).normalized() ) );
	turn.translation() = Eigen::Vector3d( 4, 5, 6 );
	const d::Pose pose = d::pose( turn );
	EXPECT( dbvh_pose_check( &pose, nullptr, nullptr ) == DBVH_OK );
	const Eigen::Vector3d p( 7, 8, 9 ), q = turn * p;
	for ( int i = 0; i < 3; ++i )
		EXPECT( std::fabs( pose.rot[i][0] * p[0] + pose.rot[i][1] * p[1] + pose.rot[i][2] * p[2] + pose.pos[i] -
		                   q[i] ) < 1e-12 );
	EXPECT( d::to_eigen( pose ).matrix() == turn.matrix() );
	const d::Pose same = d::pose( Eigen::Quaterniond( turn.rotation() ), turn.translation() );
	for ( int i = 0; i < 3; ++i )
		EXPECT( std::fabs( same.rot[i][i] - pose.rot[i][i] ) < 1e-14 && same.pos[i] == pose.pos[i] );
	const Eigen::Affine3f floats = turn.cast<float>();
	EXPECT( VALUE( d::check( d::pose( floats ) ) ) < DBVH_POSE_TOLERANCE );
	Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> vertices( 8, 3 );
	Eigen::Matrix3Xi faces( 3, 12 );
	std::memcpy( vertices.data(), corners, sizeof( corners ) );
	std::memcpy( faces.data(), triangles, sizeof( triangles ) );
	EXPECT( VALUE( d::Tree::build( d::mesh_view( vertices, faces ) ) ).stats().content_hash ==
	        box().stats().content_hash );
	std::vector<Eigen::Vector3d> points;
	for ( const double( &corner )[3] : corners )
		points.emplace_back( corner[0], corner[1], corner[2] );
	EXPECT( VALUE( d::Tree::build( d::mesh_view( points, triangles ) ) ).stats().content_hash ==
	        box().stats().content_hash );
	return 0;
#else
	return -1;
#endif
}

int hpp_glm( void ) {
#ifdef GLM_VERSION
	const glm::dquat turn = glm::angleAxis( 0.5, glm::normalize( glm::dvec3( 1, 2, 3 ) ) );
	glm::dmat4 m = glm::mat4_cast( turn );
	m[3] = glm::dvec4( 4, 5, 6, 1 );
	const d::Pose pose = d::pose( m ), same = d::pose( turn, glm::dvec3( 4, 5, 6 ) );
	const glm::dvec4 q = m * glm::dvec4( 7, 8, 9, 1 );
	for ( int i = 0; i < 3; ++i ) {
		EXPECT( std::fabs( pose.rot[i][0] * 7 + pose.rot[i][1] * 8 + pose.rot[i][2] * 9 + pose.pos[i] - q[i] ) <
		        1e-12 );
		for ( int j = 0; j < 3; ++j )
			EXPECT( std::fabs( same.rot[i][j] - pose.rot[i][j] ) < 1e-14 );
	}
	EXPECT( d::to_glm<double>( pose ) == m && d::to_glm( pose )[3][1] == 5.0F );
	EXPECT( VALUE( d::check( d::pose( glm::mat4( m ) ) ) ) < DBVH_POSE_TOLERANCE );
	std::vector<glm::vec3> points;
	for ( const double( &corner )[3] : corners )
		points.emplace_back( corner[0], corner[1], corner[2] );
	EXPECT( VALUE( d::Tree::build( d::mesh_view( points, triangles ) ) ).stats().content_hash ==
	        box().stats().content_hash );
	return 0;
#else
	return -1;
#endif
}
