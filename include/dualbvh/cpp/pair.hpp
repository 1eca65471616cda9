// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/pair.hpp
/// Two meshes: collisions, distances, clearances, relations, times of impact. Part of dualbvh.hpp, which is what
/// programs include.

#ifndef DUALBVH_CPP_PAIR_HPP
#define DUALBVH_CPP_PAIR_HPP

#include "dualbvh/cpp/query.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

//
// Queries take the arguments of the functions in C; the query structure and the workspace may be left out.

/// Tells whether A and B intersect. See dbvh_collide().
inline Outcome<CollideResult> collide( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                       const CollideQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_collide, a, pose_a, b, pose_b, query, workspace );
}

/// collide(), faster for two meshes that move little from call to call; `cache` belongs to this pair, and begins as
/// Cache{}. See dbvh_collide_cached().
inline Outcome<CollideResult> collide_cached( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                              Cache &cache, const CollideQuery &query = {},
                                              Workspace *workspace = nullptr ) {
	return detail::outcome_of<CollideResult>( [&]( CollideResult &result, Error &error ) {
		return dbvh_collide_cached( a.get(), &pose_a, b.get(), &pose_b, &query, &cache, detail::of( workspace ),
		                            &result, &error );
	} );
}

/// Lists every pair of triangles that intersects, sorted by a, then by b. Searches once if there are at most 64 pairs,
/// else twice. `query.find`, `pairs` and `pair_capacity` are not read. With DBVH_BUDGET_SPENT, left() has the pairs
/// found until then.
inline Outcome<Array<Pair>> collide_all( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                         const CollideQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_all(
	    query, &CollideQuery::pairs, &CollideQuery::pair_capacity, &CollideResult::pair_count,
	    &CollideResult::pair_written, [&]( const CollideQuery &q, CollideResult &result, Error &error ) {
		    return dbvh_collide( a.get(), &pose_a, b.get(), &pose_b, &q, detail::of( workspace ), &result, &error );
	    } );
}

/// collide() for B at many poses; `results` has an element for each. A pose that is refused leaves the others valid:
/// the error names the first such pose, and each result has its own status. See dbvh_collide_batch().
inline Outcome<void> collide_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                    span<CollideResult> results, const CollideQuery &query = {},
                                    const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_collide_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Computes the distance of A and B. See dbvh_distance().
inline Outcome<DistanceResult> distance( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                         const DistanceQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_distance, a, pose_a, b, pose_b, query, workspace );
}

/// See dbvh_distance_batch().
inline Outcome<void> distance_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                     span<DistanceResult> results, const DistanceQuery &query = {},
                                     const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_distance_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Tells whether A and B are at most query.max_distance apart. See dbvh_check_clearance().
inline Outcome<ClearanceResult> check_clearance( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                                 const ClearanceQuery &query, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_check_clearance, a, pose_a, b, pose_b, query, workspace );
}

/// Lists every pair of triangles at most query.max_distance apart, as collide_all() does.
inline Outcome<Array<Pair>> clearance_all( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                           const ClearanceQuery &query, Workspace *workspace = nullptr ) {
	return detail::ask_all( query, &ClearanceQuery::pairs, &ClearanceQuery::pair_capacity, &ClearanceResult::pair_count,
	                        &ClearanceResult::pair_written,
	                        [&]( const ClearanceQuery &q, ClearanceResult &result, Error &error ) {
		                        return dbvh_check_clearance( a.get(), &pose_a, b.get(), &pose_b, &q,
		                                                     detail::of( workspace ), &result, &error );
	                        } );
}

/// See dbvh_check_clearance_batch().
inline Outcome<void> check_clearance_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                            span<ClearanceResult> results, const ClearanceQuery &query,
                                            const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_check_clearance_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Determines the relation of A and B as solids: inside, touching, overlapping ... Both are trees with topology. See
/// dbvh_relate().
inline Outcome<RelateResult> relate( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                     const RelateQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_relate, a, pose_a, b, pose_b, query, workspace );
}

/// See dbvh_relate_batch().
inline Outcome<void> relate_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                   span<RelateResult> results, const RelateQuery &query = {},
                                   const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_relate_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Finds the least translation of B after which the interiors of A and B are disjoint. See dbvh_penetration_depth().
inline Outcome<PenetrationResult> penetration_depth( const Tree &a, const Pose &pose_a, const Tree &b,
                                                     const Pose &pose_b, const PenetrationQuery &query = {},
                                                     Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_penetration_depth, a, pose_a, b, pose_b, query, workspace );
}

/// See dbvh_penetration_depth_batch().
inline Outcome<void> penetration_depth_batch( const Tree &a, const Pose &pose_a, const Tree &b,
                                              span<const Pose> poses_b, span<PenetrationResult> results,
                                              const PenetrationQuery &query = {}, const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_penetration_depth_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Finds how far B has to be moved along a direction until it is free. See dbvh_penetration_along().
inline Outcome<PenetrationAlong> penetration_along( const Tree &a, const Pose &pose_a, const Tree &b,
                                                    const Pose &pose_b, const double ( &direction )[3],
                                                    const PenetrationQuery &query = {},
                                                    Workspace *workspace = nullptr ) {
	return detail::outcome_of<PenetrationAlong>( [&]( PenetrationAlong &result, Error &error ) {
		return dbvh_penetration_along( a.get(), &pose_a, b.get(), &pose_b, direction, &query, detail::of( workspace ),
		                               &result, &error );
	} );
}

/// Finds how deep A and B are in each other, and whether that is a fit. See dbvh_local_depth().
inline Outcome<LocalDepthResult> local_depth( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                              const LocalDepthQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_local_depth, a, pose_a, b, pose_b, query, workspace );
}

/// See dbvh_local_depth_batch().
inline Outcome<void> local_depth_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                        span<LocalDepthResult> results, const LocalDepthQuery &query = {},
                                        const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_local_depth_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Finds the time at which A and B, each in its motion, first touch. See dbvh_time_of_impact().
inline Outcome<ToiResult> time_of_impact( const Tree &a, const Motion &motion_a, const Tree &b, const Motion &motion_b,
                                          const ToiQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::outcome_of<ToiResult>( [&]( ToiResult &result, Error &error ) {
		return dbvh_time_of_impact( a.get(), &motion_a, b.get(), &motion_b, &query, detail::of( workspace ), &result,
		                            &error );
	} );
}

/// See dbvh_time_of_impact_batch().
inline Outcome<void> time_of_impact_batch( const Tree &a, const Motion &motion_a, const Tree &b,
                                           span<const Motion> motions_b, span<ToiResult> results,
                                           const ToiQuery &query = {}, const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_time_of_impact_batch, a, motion_a, b, motions_b, results, query, options );
}

/// Makes the motion that stays at a pose.
inline Motion rest( const Pose &pose = dbvh_pose_identity() ) {
	return dbvh_motion_translation( &pose, nullptr );
}

/// Makes a screw motion from one pose to another. See dbvh_motion_between().
inline Outcome<Motion> motion_between( const Pose &from, const Pose &to ) {
	return detail::outcome_of<Motion>(
	    [&]( Motion &motion, Error &error ) { return dbvh_motion_between( &from, &to, nullptr, &motion, &error ); } );
}

/// Returns the pose at time t of a motion. See dbvh_motion_pose().
inline Pose pose_at( const Motion &motion, double t ) {
	return dbvh_motion_pose( &motion, t );
}

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_PAIR_HPP
