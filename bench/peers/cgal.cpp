// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// CGAL: AABB trees over a surface mesh, moved rigidly, with exact predicates.

#include "peer.h"

#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Rigid_triangle_mesh_collision_detection.h>
#include <CGAL/Surface_mesh.h>
#include <memory>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
using Pair = CGAL::Rigid_triangle_mesh_collision_detection<Mesh>;
using Tree = Pair::AABB_tree;

class Cgal : public Peer {
  public:
	const char *name() const override {
		return "CGAL";
	}
	const char *note() const override {
		return "all contacts: one query a triangle of B";
	}
	bool lists_pairs() const override {
		return true;
	}

	void unload() override {
		pair_.reset();
		for ( int i = 0; i < 2; ++i ) {
			trees_[i].reset();
			meshes_[i] = Mesh();
		}
	}

	void load( const PeerMesh &a, const PeerMesh &b ) override {
		make( a, 0 );
		moved_ = a.positions == b.positions ? 0 : 1;
		if ( moved_ == 1 )
			make( b, 1 );
		// Components matter for containment, which is not asked for.
		const auto whole = CGAL::parameters::apply_per_connected_component( false );
		pair_.reset( new Pair() );
		pair_->add_mesh( *trees_[0], meshes_[0], whole );
		pair_->add_mesh( *trees_[moved_], meshes_[moved_], whole );
	}

	void set_poses( const dbvh_pose *poses, size_t count ) override {
		moves_.clear();
		for ( size_t p = 0; p < count; ++p ) {
			const auto &r = poses[p].rot;
			const auto &t = poses[p].pos;
			moves_.emplace_back( r[0][0], r[0][1], r[0][2], t[0], r[1][0], r[1][1], r[1][2], t[1], r[2][0], r[2][1],
			                     r[2][2], t[2], 1.0 );
		}
	}

	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		if ( !all ) {
			pair_->set_transformation( 1, moves_[pose] );
			return !pair_->get_all_intersections( 1 ).empty();
		}
		// CGAL has no query for all pairs of two trees.
		size_t count = 0;
		for ( const auto face : meshes_[moved_].faces() ) {
			const auto h = meshes_[moved_].halfedge( face );
			const auto point = [&]( auto half ) {
				return moves_[pose]( meshes_[moved_].point( meshes_[moved_].target( half ) ) );
			};
			const Kernel::Triangle_3 triangle( point( h ), point( meshes_[moved_].next( h ) ),
			                                   point( meshes_[moved_].prev( h ) ) );
			if ( triangle.is_degenerate() )
				continue; // CGAL asserts that none is
			found_.clear();
			trees_[0]->all_intersected_primitives( triangle, std::back_inserter( found_ ) );
			count += found_.size();
			for ( const auto &f : found_ )
				if ( pairs != nullptr )
					pairs->add( (uint32_t)f, (uint32_t)face );
		}
		return count > 0;
	}

  private:
	// Each triangle by itself: a surface mesh cannot hold edges with three faces, and the Buddha has 1,341.
	void make( const PeerMesh &source, int which ) {
		Mesh &out = meshes_[which];
		for ( size_t i = 0; i < source.triangle_count; ++i ) {
			Mesh::Vertex_index v[3];
			for ( int k = 0; k < 3; ++k ) {
				const double *p = source.positions + 3 * (size_t)source.indices[3 * i + (size_t)k];
				v[k] = out.add_vertex( Kernel::Point_3( p[0], p[1], p[2] ) );
			}
			out.add_face( v[0], v[1], v[2] );
		}
		trees_[which].reset( new Tree( faces( out ).first, faces( out ).second, out ) );
		trees_[which]->build();
	}

	Mesh meshes_[2];
	std::unique_ptr<Tree> trees_[2];
	std::unique_ptr<Pair> pair_;
	int moved_ = 0;
	std::vector<Kernel::Aff_transformation_3> moves_;
	std::vector<Mesh::Face_index> found_;
};

} // namespace

void add_cgal( PeerList &list ) {
	list.push_back( new Cgal() );
}
