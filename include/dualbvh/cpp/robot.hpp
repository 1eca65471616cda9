// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/robot.hpp
/// Links, joints and certified edges. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_ROBOT_HPP
#define DUALBVH_CPP_ROBOT_HPP

#include "dualbvh/cpp/scene.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

/// A robot: see robot.h. Its bodies are those of a scene, by their numbers.
class Robot : public detail::Owner<dbvh_robot, dbvh_robot_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Robot> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Robot>(
		    [&]( Robot &robot, Error &error ) { return dbvh_robot_create( allocator, &robot.object_, &error ); } );
	}
	/// Adds a link below `parent` (DBVH_NO_LINK: the world), and returns its number. See dbvh_robot_add_link().
	Outcome<std::uint32_t> add_link( std::uint32_t parent, const Pose &origin = dbvh_pose_identity(),
	                                 const Joint &joint = {} ) {
		return detail::outcome_of<std::uint32_t>( [&]( std::uint32_t &link, Error &error ) {
			return dbvh_robot_add_link( object_, parent, &origin, &joint, &link, &error );
		} );
	}
	/// Makes the joint of a link follow that of another. See dbvh_robot_follow().
	Outcome<void> follow( std::uint32_t link, std::uint32_t followed, double factor, double offset = 0.0 ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_robot_follow( object_, link, followed, factor, offset, &error ); } );
	}
	/// Attaches a body of a scene to a link. See dbvh_robot_attach().
	Outcome<void> attach( std::uint32_t link, std::uint32_t body, const Pose &pose = dbvh_pose_identity() ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_robot_attach( object_, link, body, &pose, &error ); } );
	}
	Outcome<void> detach( std::uint32_t body ) {
		return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_robot_detach( object_, body, &error ); } );
	}
	std::size_t link_count() const {
		return dbvh_robot_link_count( object_ );
	}
	std::size_t body_count() const {
		return dbvh_robot_body_count( object_ );
	}
	/// Gets what a link was added with; false if there is none. See dbvh_robot_get_link().
	bool link( std::uint32_t link, std::uint32_t *parent, Pose *origin = nullptr, Joint *joint = nullptr ) const {
		return dbvh_robot_get_link( object_, link, parent, origin, joint );
	}
	/// Gets what the joint of a link follows; false if nothing. See dbvh_robot_get_followed().
	bool followed( std::uint32_t link, std::uint32_t *followed, double *factor = nullptr,
	               double *offset = nullptr ) const {
		return dbvh_robot_get_followed( object_, link, followed, factor, offset );
	}
	/// Gets attached body `index` in ascending order; false if there are not as many. See dbvh_robot_get_body().
	bool body( std::size_t index, std::uint32_t *body, std::uint32_t *link = nullptr, Pose *pose = nullptr ) const {
		return dbvh_robot_get_body( object_, index, body, link, pose );
	}
	/// The number of numbers of a configuration, and where those of a link begin. See dbvh_robot_width().
	std::size_t width( RobotLayout layout = DBVH_ROBOT_LAYOUT_ANGLES ) const {
		return dbvh_robot_width( object_, layout );
	}
	std::size_t column( std::uint32_t link, RobotLayout layout = DBVH_ROBOT_LAYOUT_ANGLES ) const {
		return dbvh_robot_column( object_, link, layout );
	}
	/// Computes where attached bodies are, and where `links` are if there is room for them, in the configurations `q`.
	/// See dbvh_robot_place().
	Outcome<void> place( span<const double> q, span<Pose> bodies, span<Pose> links = {},
	                     RobotLayout layout = DBVH_ROBOT_LAYOUT_ANGLES ) const {
		return detail::outcome_of<void>( [&]( Error &error ) {
			const std::size_t count = rows_of( q, layout );
			if ( q.size() != count * width( layout ) ||
			     ( bodies.data() != nullptr && bodies.size() != count * body_count() ) ||
			     ( links.data() != nullptr && links.size() != count * link_count() ) )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT,
				                       "q, bodies and links: whole configurations, and a pose for each body or link" );
			return dbvh_robot_place( object_, layout, q.data(), count, links.data(), bodies.data(), &error );
		} );
	}
	/// Computes the configurations at `times` on the way between two. See dbvh_robot_between().
	Outcome<void> between( span<const double> from, span<const double> to, span<const double> times, span<double> q,
	                       RobotLayout layout = DBVH_ROBOT_LAYOUT_ANGLES ) const {
		return detail::outcome_of<void>( [&]( Error &error ) {
			const std::size_t w = width( layout );
			if ( from.size() != w || to.size() != w || q.size() != w * times.size() )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT, "from, to and q: whole configurations" );
			return dbvh_robot_between( object_, layout, from.data(), to.data(), times.data(), times.size(), q.data(),
			                           &error );
		} );
	}
	/// Checks many configurations; a result for each. See dbvh_robot_collide_batch().
	Outcome<void> collide_batch( Scene &scene, span<const double> q, span<ConfigurationResult> results,
	                             const ConfigurationsQuery &query = {},
	                             RobotLayout layout = DBVH_ROBOT_LAYOUT_ANGLES ) const {
		return detail::outcome_of<void>( [&]( Error &error ) {
			if ( q.size() != results.size() * width( layout ) )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT, "q and results: a result for each configuration" );
			return dbvh_robot_collide_batch( object_, scene.get(), layout, q.data(), results.size(), &query,
			                                 results.data(), &error );
		} );
	}
	/// Measures distances in many configurations; a result for each. See dbvh_robot_distance_batch().
	Outcome<void> distance_batch( Scene &scene, span<const double> q, span<RobotDistancesResult> results,
	                              const RobotDistancesQuery &query = {} ) const {
		return detail::outcome_of<void>( [&]( Error &error ) {
			if ( q.size() != results.size() * width( query.layout ) )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT, "q and results: a result for each configuration" );
			return dbvh_robot_distance_batch( object_, scene.get(), q.data(), results.size(), &query, results.data(),
			                                  &error );
		} );
	}
	/// Certifies edges in joint space between the configurations `q`; a result for each. See dbvh_robot_edge_batch().
	Outcome<void> edge_batch( Scene &scene, span<const double> q, span<RobotEdgeResult> results,
	                          const RobotEdgesQuery &query = {} ) const {
		return detail::outcome_of<void>( [&]( Error &error ) {
			const std::size_t count = rows_of( q, query.layout );
			const std::size_t edges = query.edges != nullptr ? query.edge_count : count > 0 ? count - 1 : 0;
			if ( q.size() != count * width( query.layout ) || results.size() != edges )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT,
				                       "q and results: whole configurations, and a result for each edge" );
			return dbvh_robot_edge_batch( object_, scene.get(), q.data(), count, &query, results.data(), &error );
		} );
	}

  private:
	std::size_t rows_of( span<const double> q, RobotLayout layout ) const {
		return width( layout ) > 0 ? q.size() / width( layout ) : 0;
	}
};

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_ROBOT_HPP
