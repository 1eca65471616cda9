// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/overlap.hpp
/// The overlap of two bodies. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_OVERLAP_HPP
#define DUALBVH_CPP_OVERLAP_HPP

#include "dualbvh/cpp/query.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

/// The overlap of two bodies and its local depth: see dbvh_local_depth_components().
struct OverlapDepths {
	OverlapResult overlap;
	LocalDepthResult depth;
};

/// The overlap of two bodies: see overlap.h. Each search replaces what was there.
class Overlap : public detail::Owner<dbvh_overlap, dbvh_overlap_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Overlap> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Overlap>( [&]( Overlap &overlap, Error &error ) {
			return dbvh_overlap_create( allocator, &overlap.object_, &error );
		} );
	}
	/// Finds the overlap; with `query.mesh` vertices(), indices() and sources() are its surface. See
	/// dbvh_overlap_find().
	Outcome<OverlapResult> find( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                             const OverlapQuery &query = {} ) {
		return detail::outcome_of<OverlapResult>( [&]( OverlapResult &result, Error &error ) {
			return dbvh_overlap_find( a.get(), &pose_a, b.get(), &pose_b, &query, object_, &result, &error );
		} );
	}
	/// Finds the overlap without its mesh, and the local depth of each component: depths[i] is that of components()[i],
	/// as far as there is room. See dbvh_local_depth_components().
	Outcome<OverlapDepths> find_depths( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                                    span<ComponentDepth> depths, const LocalDepthQuery &query = {} ) {
		return detail::outcome_of<OverlapDepths>( [&]( OverlapDepths &result, Error &error ) {
			return dbvh_local_depth_components( a.get(), &pose_a, b.get(), &pose_b, &query, object_, depths.data(),
			                                    depths.size(), &result.overlap, &result.depth, &error );
		} );
	}
	// The arrays of dbvh_overlap_view, valid until the next search.
	span<const OverlapComponent> components() const {
		const dbvh_overlap_view v = view();
		return { v.components, v.component_count };
	}
	span<const double> vertices() const { ///< three a vertex, in the frame of A
		const dbvh_overlap_view v = view();
		return { v.vertices, 3 * v.vertex_count };
	}
	span<const std::uint32_t> indices() const { ///< three a face
		const dbvh_overlap_view v = view();
		return { v.indices, 3 * v.face_count };
	}
	span<const dbvh_overlap_source> sources() const { ///< the triangle that each face lies on
		const dbvh_overlap_view v = view();
		return { v.sources, v.face_count };
	}
	dbvh_overlap_view view() const {
		return object_ != nullptr ? dbvh_overlap_get( object_ ) : dbvh_overlap_view{};
	}
};

/// Measures the overlap of A and B at each of many poses. See dbvh_overlap_batch().
inline Outcome<void> overlap_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                    span<OverlapResult> results, const OverlapQuery &query = {},
                                    const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_overlap_batch, a, pose_a, b, poses_b, results, query, options );
}

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_OVERLAP_HPP
