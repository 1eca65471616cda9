// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/scene.hpp
/// Many bodies. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_SCENE_HPP
#define DUALBVH_CPP_SCENE_HPP

#include "dualbvh/cpp/contact.hpp"
#include "dualbvh/cpp/query.hpp"

struct dbvh_load_options;

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

class Loaded;

/// A scene of bodies and rules: see scene.h. Trees must outlive the scene; their owners may be moved.
class Scene : public detail::Owner<dbvh_scene, dbvh_scene_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Scene> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Scene>(
		    [&]( Scene &scene, Error &error ) { return dbvh_scene_create( allocator, &scene.object_, &error ); } );
	}
	/// Loads files, with names, trees and robot. dualbvh/io/load.hpp has these two, and the component dualbvh::io what
	/// they call.
	static Outcome<Loaded> load( const char *file );
	static Outcome<Loaded> load( span<const char *const> files, const dbvh_load_options &options );
	/// Makes a snapshot, which shares the trees. See dbvh_scene_clone().
	Outcome<Scene> clone( const Allocator *allocator = nullptr ) const {
		return detail::outcome_of<Scene>( [&]( Scene &scene, Error &error ) {
			return dbvh_scene_clone( object_, allocator, &scene.object_, &error );
		} );
	}
	/// Adds a body, and returns its number. See dbvh_scene_add_body().
	Outcome<std::uint32_t> add( const Tree &tree, const Pose &pose = dbvh_pose_identity(),
	                            const BodyOptions &options = {} ) {
		return detail::outcome_of<std::uint32_t>( [&]( std::uint32_t &body, Error &error ) {
			return dbvh_scene_add_body( object_, tree.get(), &pose, &options, &body, &error );
		} );
	}
	Outcome<void> remove( std::uint32_t body ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_remove_body( object_, body, &error ); } );
	}
	Outcome<void> move( std::uint32_t body, const Pose &pose ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_pose( object_, body, &pose, &error ); } );
	}
	/// Moves many bodies at once; without `bodies`, all of the scene in ascending order. See dbvh_scene_set_poses().
	Outcome<void> move( span<const Pose> poses, span<const std::uint32_t> bodies = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			if ( bodies.data() != nullptr && bodies.size() != poses.size() )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT, "poses: there must be one for each body" );
			return dbvh_scene_set_poses( object_, bodies.data(), poses.data(), poses.size(), &error );
		} );
	}
	std::size_t size() const {
		return dbvh_scene_body_count( object_ );
	}
	/// Returns the lowest body that is not below `from`; DBVH_NO_BODY: none. See dbvh_scene_next_body().
	std::uint32_t next( std::uint32_t from = 0 ) const {
		return dbvh_scene_next_body( object_, from );
	}
	bool contains( std::uint32_t body ) const {
		return dbvh_scene_get_body( object_, body, nullptr, nullptr, nullptr );
	}
	/// Returns the pose of a body; the identity if there is no such body.
	Pose pose( std::uint32_t body ) const {
		Pose pose = dbvh_pose_identity();
		dbvh_scene_get_body( object_, body, nullptr, &pose, nullptr );
		return pose;
	}
	Outcome<void> set_default_rule( const PairRule &rule ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_default_rule( object_, &rule, &error ); } );
	}
	Outcome<void> set_rule( std::uint32_t a, std::uint32_t b, const PairRule &rule ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_pair_rule( object_, a, b, &rule, &error ); } );
	}
	/// Sets the rule of one body, for its pairs that have none of their own.
	Outcome<void> set_rule( std::uint32_t body, const PairRule &rule ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_body_rule( object_, body, &rule, &error ); } );
	}
	/// Removes the rule of a body, or of a pair.
	Outcome<void> remove_rule( std::uint32_t body ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_body_rule( object_, body, nullptr, &error ); } );
	}
	Outcome<void> remove_rule( std::uint32_t a, std::uint32_t b ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_pair_rule( object_, a, b, nullptr, &error ); } );
	}
	/// Tells whether a pair is checked, and the rule that applies to it. See dbvh_scene_get_rule().
	bool looks_at( std::uint32_t a, std::uint32_t b, PairRule *rule = nullptr ) const {
		return dbvh_scene_get_rule( object_, a, b, rule );
	}
	/// Sets the budget of queries that have none of their own; nullptr: no limit. See dbvh_scene_set_budget().
	Outcome<void> set_budget( const Budget *budget ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_budget( object_, budget, &error ); } );
	}
	/// Lists every pair of bodies that is checked and whose boxes overlap, ascending. See dbvh_scene_pairs().
	Outcome<Array<BodyPair>> pairs() {
		return detail::outcome_of<Array<BodyPair>>( [&]( Array<BodyPair> &all, Error &error ) {
			return detail::gather(
			    all, error,
			    [&]( BodyPair *room, std::size_t capacity, std::size_t &count, std::size_t &written, Error &e ) {
				    dbvh_scene_result result{};
				    const Status status = dbvh_scene_pairs( object_, room, capacity, &result, &e );
				    count = result.pair_count;
				    written = result.written_count;
				    return status;
			    } );
		} );
	}
	/// Lists every pair of bodies whose surfaces meet, ascending. See dbvh_scene_collide(); `query.find` is not read.
	/// *counts has the number of pairs that were checked, and with a budget of those that have no answer.
	Outcome<Array<SceneCollision>> collide( SceneQuery query = {}, SceneResult *counts = nullptr ) {
		return list<SceneCollision>( query, counts, dbvh_scene_collide );
	}
	/// Lists every clash by the rules, ascending. See dbvh_scene_clashes(); `query.find` is not read, *counts is that
	/// of collide().
	Outcome<Array<Clash>> clashes( SceneQuery query = {}, SceneResult *counts = nullptr ) {
		return list<Clash>( query, counts, dbvh_scene_clashes );
	}
	/// Lists every pair of bodies that overlap, with volume and local depth, ascending. See dbvh_scene_overlaps();
	/// `query.find` is not read, *counts is that of collide().
	Outcome<Array<SceneOverlap>> overlaps( SceneQuery query = {}, SceneResult *counts = nullptr ) {
		return list<SceneOverlap>( query, counts, dbvh_scene_overlaps );
	}
	/// Finds the two bodies nearest to each other. See dbvh_scene_distance().
	Outcome<SceneDistanceResult> distance( const dbvh_scene_distance_query &query = {} ) {
		return detail::outcome_of<SceneDistanceResult>( [&]( SceneDistanceResult &result, Error &error ) {
			return dbvh_scene_distance( object_, &query, &result, &error );
		} );
	}
	/// Queries of one pair, even if rules exclude it: the relation with the tolerances of its rule, the distance, and
	/// the contacts as by Contacts::find(). See dbvh_scene_relate(), dbvh_scene_pair_distance() and
	/// dbvh_scene_contacts().
	Outcome<RelateResult> relate( std::uint32_t a, std::uint32_t b, const Budget *budget = nullptr ) {
		return detail::outcome_of<RelateResult>( [&]( RelateResult &result, Error &error ) {
			return dbvh_scene_relate( object_, a, b, budget, &result, &error );
		} );
	}
	Outcome<DistanceResult> pair_distance( std::uint32_t a, std::uint32_t b, const DistanceQuery &query = {} ) {
		return detail::outcome_of<DistanceResult>( [&]( DistanceResult &result, Error &error ) {
			return dbvh_scene_pair_distance( object_, a, b, &query, &result, &error );
		} );
	}
	Outcome<void> contacts( std::uint32_t a, std::uint32_t b, Contacts &into, const ContactsQuery &query = {} ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_contacts( object_, a, b, &query, into.get(), &error ); } );
	}
	/// Finds the body that a ray hits first; DBVH_NO_BODY: none. See dbvh_scene_raycast().
	Outcome<SceneHit> raycast( const Ray &ray ) {
		return detail::outcome_of<SceneHit>(
		    [&]( SceneHit &hit, Error &error ) { return dbvh_scene_raycast( object_, &ray, &hit, &error ); } );
	}
	/// Finds the body closest to a point; DBVH_NO_BODY: none within the limit. See dbvh_scene_closest_point().
	Outcome<SceneClosestPoint> closest_point( const double ( &point )[3], const ClosestPointQuery &query = {} ) {
		return detail::outcome_of<SceneClosestPoint>( [&]( SceneClosestPoint &result, Error &error ) {
			return dbvh_scene_closest_point( object_, point, &query, &result, &error );
		} );
	}
	/// Lists the bodies with a surface that meets a box, ascending. See dbvh_scene_overlap_aabb().
	Outcome<Array<std::uint32_t>> overlap( const dbvh_aabb &box ) {
		return detail::outcome_of<Array<std::uint32_t>>( [&]( Array<std::uint32_t> &all, Error &error ) {
			return detail::gather(
			    all, error,
			    [&]( std::uint32_t *room, std::size_t capacity, std::size_t &count, std::size_t &written, Error &e ) {
				    const Status status = dbvh_scene_overlap_aabb( object_, &box, room, capacity, &count, &e );
				    written = count < capacity ? count : capacity;
				    return status;
			    } );
		} );
	}
	/// Checks configurations: `poses` has one pose for each body of the query and each result. See
	/// dbvh_scene_collide_batch().
	Outcome<void> collide_batch( span<const Pose> poses, span<ConfigurationResult> results,
	                             const ConfigurationsQuery &query = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			if ( poses.size() != bodies_of( query ) * results.size() )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT,
				                       "poses: there must be one for each body of each result" );
			return dbvh_scene_collide_batch( object_, poses.data(), results.size(), &query, results.data(), &error );
		} );
	}
	/// Checks the motions between configurations, each to the next unless query.edges says otherwise; a result for
	/// each. Each body moves by a screw of its own: a robot that moves in joint space takes another way. See
	/// dbvh_scene_motion_batch().
	Outcome<void> motion_batch( span<const Pose> poses, span<EdgeResult> results, const MotionsQuery &query = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			const std::size_t bodies = bodies_of( query ), count = bodies > 0 ? poses.size() / bodies : 0;
			const std::size_t edges = query.edges != nullptr ? query.edge_count : count > 0 ? count - 1 : 0;
			if ( poses.size() != bodies * count || results.size() != edges )
				return detail::refuse(
				    error, DBVH_INVALID_ARGUMENT,
				    "poses and results: one for each body of each configuration, and one for each edge" );
			return dbvh_scene_motion_batch( object_, poses.data(), count, &query, results.data(), &error );
		} );
	}

  private:
	template <class Query> std::size_t bodies_of( const Query &query ) const {
		return query.bodies != nullptr ? query.body_count : size();
	}
	template <class T, class F> Outcome<Array<T>> list( SceneQuery query, SceneResult *counts, F *ask ) {
		SceneResult own{};
		SceneResult &result = counts != nullptr ? *counts : own;
		query.find = DBVH_FIND_ALL;
		return detail::outcome_of<Array<T>>( [&]( Array<T> &all, Error &error ) {
			if ( query.budget == nullptr && query.progress == nullptr )
				return detail::gather(
				    all, error,
				    [&]( T *room, std::size_t capacity, std::size_t &count, std::size_t &written, Error &e ) {
					    const Status status = ask( object_, &query, room, capacity, &result, &e );
					    count = result.found_count;
					    written = result.written_count;
					    return status;
				    } );
			// A call that may be ended early runs once, with room for all pairs of a scene that is no crowd (scene.h);
			// only in a crowd with more pairs found it runs again.
			const std::size_t bodies = size(), most = bodies * ( bodies - ( bodies > 0 ) ) / 2;
			std::size_t room = most < 16 * bodies + 65536 ? most : 16 * bodies + 65536;
			for ( ;; ) {
				if ( !all.assign_zero( room ) )
					return detail::refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the list" );
				const Status status = ask( object_, &query, all.data(), all.size(), &result, &error );
				if ( status != DBVH_OK || result.found_count <= room ) {
					all.truncate( result.written_count );
					return status;
				}
				room = result.found_count;
			}
		} );
	}
};

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_SCENE_HPP
