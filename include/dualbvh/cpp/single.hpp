// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/single.hpp
/// Queries of one mesh: self-intersection, rays, segments, points, shapes. Part of dualbvh.hpp, which is what programs
/// include.

#ifndef DUALBVH_CPP_SINGLE_HPP
#define DUALBVH_CPP_SINGLE_HPP

#include "dualbvh/cpp/query.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

/// Tells whether a mesh intersects itself. See dbvh_self_collide().
inline Outcome<CollideResult> self_collide( const Tree &tree, const CollideQuery &query = {},
                                            Workspace *workspace = nullptr ) {
	return detail::outcome_of<CollideResult>( [&]( CollideResult &result, Error &error ) {
		return dbvh_self_collide( tree.get(), &query, detail::of( workspace ), &result, &error );
	} );
}

/// Lists every pair of triangles that does, the lower number first, as collide_all() does.
inline Outcome<Array<Pair>> self_collide_all( const Tree &tree, const CollideQuery &query = {},
                                              Workspace *workspace = nullptr ) {
	return detail::ask_all( query, &CollideQuery::pairs, &CollideQuery::pair_capacity, &CollideResult::pair_count,
	                        &CollideResult::pair_written,
	                        [&]( const CollideQuery &q, CollideResult &result, Error &error ) {
		                        return dbvh_self_collide( tree.get(), &q, detail::of( workspace ), &result, &error );
	                        } );
}

namespace detail {

// The default query: the first hit.
inline RaycastQuery first_hit() {
	RaycastQuery query{};
	query.find = DBVH_FIND_CLOSEST;
	return query;
}

template <class Line>
Outcome<Array<RayHit>> all_hits( MeshFunction<Line, RaycastQuery, RaycastResult> *function, const Tree &tree,
                                 const Pose &pose, const Line &line, Workspace *workspace ) {
	return ask_all( RaycastQuery{}, &RaycastQuery::hits, &RaycastQuery::hit_capacity, &RaycastResult::hit_count,
	                &RaycastResult::hit_written, [&]( const RaycastQuery &q, RaycastResult &result, Error &error ) {
		                return function( tree.get(), &pose, &line, &q, of( workspace ), &result, &error );
	                } );
}

} // namespace detail

/// Finds the first hit of a ray, or what `query` asks for. See dbvh_raycast().
inline Outcome<RaycastResult> raycast( const Tree &tree, const Pose &pose, const Ray &ray,
                                       const RaycastQuery &query = detail::first_hit(),
                                       Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_raycast, tree, pose, &ray, query, workspace );
}

/// Lists every triangle that a ray hits, by t, then by triangle.
inline Outcome<Array<RayHit>> raycast_all( const Tree &tree, const Pose &pose, const Ray &ray,
                                           Workspace *workspace = nullptr ) {
	return detail::all_hits( dbvh_raycast, tree, pose, ray, workspace );
}

/// raycast() for many rays. See dbvh_raycast_batch().
inline Outcome<void> raycast_batch( const Tree &tree, const Pose &pose, span<const Ray> rays,
                                    span<RaycastResult> results, const RaycastQuery &query = detail::first_hit(),
                                    const BatchOptions &options = {} ) {
	return detail::ask_mesh_batch( dbvh_raycast_batch, tree, pose, rays, results, query, options );
}

/// Finds the first hit of a segment, or what `query` asks for. See dbvh_segment_cast().
inline Outcome<RaycastResult> segment_cast( const Tree &tree, const Pose &pose, const Segment &segment,
                                            const RaycastQuery &query = detail::first_hit(),
                                            Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_segment_cast, tree, pose, &segment, query, workspace );
}

inline Outcome<Array<RayHit>> segment_cast_all( const Tree &tree, const Pose &pose, const Segment &segment,
                                                Workspace *workspace = nullptr ) {
	return detail::all_hits( dbvh_segment_cast, tree, pose, segment, workspace );
}

inline Outcome<void> segment_cast_batch( const Tree &tree, const Pose &pose, span<const Segment> segments,
                                         span<RaycastResult> results, const RaycastQuery &query = detail::first_hit(),
                                         const BatchOptions &options = {} ) {
	return detail::ask_mesh_batch( dbvh_segment_cast_batch, tree, pose, segments, results, query, options );
}

/// Finds the point of a mesh closest to a given one. See dbvh_closest_point().
inline Outcome<ClosestPointResult> closest_point( const Tree &tree, const Pose &pose, const double ( &point )[3],
                                                  const ClosestPointQuery &query = {},
                                                  Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_closest_point, tree, pose, &point[0], query, workspace );
}

/// closest_point() for many points, three doubles each. See dbvh_closest_point_batch().
inline Outcome<void> closest_point_batch( const Tree &tree, const Pose &pose, span<const double> points,
                                          span<ClosestPointResult> results, const ClosestPointQuery &query = {},
                                          const BatchOptions &options = {} ) {
	return detail::ask_batch( points.size(), 3 * results.size(), [&]( Error &error ) {
		return dbvh_closest_point_batch( tree.get(), &pose, points.data(), results.size(), &query, &options,
		                                 results.data(), &error );
	} );
}

/// Tells whether a point is inside, outside or on the surface of a mesh, a tree with topology. See dbvh_locate_point().
inline Outcome<dbvh_location> locate_point( const Tree &tree, const Pose &pose, const double ( &point )[3] ) {
	return detail::outcome_of<dbvh_location>( [&]( dbvh_location &location, Error &error ) {
		return dbvh_locate_point( tree.get(), &pose, point, &location, &error );
	} );
}

/// Tells whether a sphere, a box, a capsule ... intersects the mesh. See dbvh_collide_shape().
inline Outcome<CollideShapeResult> collide_shape( const Tree &tree, const Pose &pose, const Shape &shape,
                                                  const dbvh_collide_shape_query &query = {},
                                                  Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_collide_shape, tree, pose, &shape, query, workspace );
}

/// Lists the triangles that a shape intersects, in ascending order.
inline Outcome<Array<std::uint32_t>> collide_shape_all( const Tree &tree, const Pose &pose, const Shape &shape,
                                                        Workspace *workspace = nullptr ) {
	using Query = dbvh_collide_shape_query;
	return detail::ask_all(
	    Query{}, &Query::triangles, &Query::triangle_capacity, &CollideShapeResult::triangle_count,
	    &CollideShapeResult::triangle_written, [&]( const Query &q, CollideShapeResult &result, Error &error ) {
		    return dbvh_collide_shape( tree.get(), &pose, &shape, &q, detail::of( workspace ), &result, &error );
	    } );
}

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_SINGLE_HPP
