// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL and coal, which came from it: trees of any of their volumes. `Traits` says which library.

#pragma once

#include "peer.h"

#include <memory>

template <typename Traits, typename Volume>
std::shared_ptr<typename Traits::template Model<Volume>> bvh_model( const PeerMesh &mesh ) {
	std::vector<typename Traits::Vector> points;
	std::vector<typename Traits::Triangle> triangles;
	for ( size_t i = 0; i < mesh.vertex_count; ++i )
		points.emplace_back( mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2] );
	for ( size_t i = 0; i < mesh.triangle_count; ++i )
		triangles.emplace_back( (size_t)mesh.indices[3 * i], (size_t)mesh.indices[3 * i + 1],
		                        (size_t)mesh.indices[3 * i + 2] );
	auto model = std::make_shared<typename Traits::template Model<Volume>>();
	model->beginModel();
	model->addSubModel( points, triangles );
	model->endModel();
	return model;
}

// Shared state of collision and distance queries.
template <typename Traits, typename Volume> struct BvhPair {
	std::shared_ptr<typename Traits::template Model<Volume>> a, b;
	typename Traits::Transform identity =
	    Traits::transform( dbvh_pose{ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } } );
	std::vector<typename Traits::Transform> transforms;

	void load( const PeerMesh &mesh_a, const PeerMesh &mesh_b ) {
		a = bvh_model<Traits, Volume>( mesh_a );
		b = mesh_a.positions == mesh_b.positions ? a : bvh_model<Traits, Volume>( mesh_b );
	}
	void unload() {
		a.reset();
		b.reset();
	}
	void set_poses( const dbvh_pose *poses, size_t count ) {
		transforms.clear();
		for ( size_t i = 0; i < count; ++i )
			transforms.push_back( Traits::transform( poses[i] ) );
	}
};

template <typename Traits, typename Volume> class BvhPeer : public Peer {
  public:
	explicit BvhPeer( const char *name ) : name_( name ) {}

	const char *name() const override {
		return name_;
	}
	bool lists_pairs() const override {
		return true;
	}
	void unload() override {
		pair_.unload();
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		pair_.load( a, b );
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		pair_.set_poses( poses, count );
	}

	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		result_.clear();
		collide( pair_.a.get(), pair_.identity, pair_.b.get(), pair_.transforms[pose], all ? all_ : first_, result_ );
		for ( size_t i = 0; pairs != nullptr && i < result_.numContacts(); ++i )
			pairs->add( (uint32_t)result_.getContact( i ).b1, (uint32_t)result_.getContact( i ).b2 );
		return result_.isCollision();
	}

  private:
	const char *name_;
	BvhPair<Traits, Volume> pair_;
	const typename Traits::CollisionRequest first_ = Traits::contacts( 1 ), all_ = Traits::contacts( 1u << 20 );
	typename Traits::CollisionResult result_;
};

template <typename Traits, typename Volume> class BvhDistancePeer : public DistancePeer {
  public:
	explicit BvhDistancePeer( const char *name ) : name_( name ) {}

	const char *name() const override {
		return name_;
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		pair_.load( a, b );
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		pair_.set_poses( poses, count );
	}
	double query( size_t pose ) override {
		typename Traits::DistanceResult result;
		distance( pair_.a.get(), pair_.identity, pair_.b.get(), pair_.transforms[pose], Traits::distance(), result );
		return result.min_distance;
	}

  private:
	const char *name_;
	BvhPair<Traits, Volume> pair_;
};
