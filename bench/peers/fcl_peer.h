// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL 0.7. Included by two translation units: one calls Debian's binary, one compiles the templates for this machine.

#pragma once

#include "peer.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <memory>

template <typename Volume> class FclPeer : public Peer {
  public:
	explicit FclPeer( const char *name ) : name_( name ) {}

	const char *name() const override {
		return name_;
	}
	bool lists_pairs() const override {
		return true;
	}

	void unload() override {
		a_.reset();
		b_.reset();
	}

	void load( const PeerMesh &a, const PeerMesh &b ) override {
		a_ = build( a );
		b_ = a.positions == b.positions ? a_ : build( b );
	}

	void set_poses( const dbvh_pose *poses, size_t count ) override {
		transforms_.assign( count, fcl::Transform3d::Identity() );
		for ( size_t p = 0; p < count; ++p )
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < 3; ++j )
					transforms_[p].linear()( i, j ) = poses[p].rot[i][j];
				transforms_[p].translation()[i] = poses[p].pos[i];
			}
	}

	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		// One contact without normal and depth for the verdict; all of them, still without, for the list.
		const fcl::CollisionRequestd request( all ? 1u << 20 : 1, false );
		result_.clear();
		fcl::collide( a_.get(), identity_, b_.get(), transforms_[pose], request, result_ );
		for ( size_t i = 0; pairs != nullptr && i < result_.numContacts(); ++i )
			pairs->add( (uint32_t)result_.getContact( i ).b1, (uint32_t)result_.getContact( i ).b2 );
		return result_.isCollision();
	}

  private:
	using Model = fcl::BVHModel<Volume>;

	static std::shared_ptr<Model> build( const PeerMesh &mesh ) {
		std::vector<fcl::Vector3d> points( mesh.vertex_count );
		std::vector<fcl::Triangle> triangles( mesh.triangle_count );
		for ( size_t i = 0; i < mesh.vertex_count; ++i )
			points[i] = { mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2] };
		for ( size_t i = 0; i < mesh.triangle_count; ++i )
			triangles[i].set( mesh.indices[3 * i], mesh.indices[3 * i + 1], mesh.indices[3 * i + 2] );
		auto model = std::make_shared<Model>();
		model->beginModel( (int)mesh.triangle_count, (int)mesh.vertex_count );
		model->addSubModel( points, triangles );
		model->endModel();
		return model;
	}

	const char *name_;
	std::shared_ptr<Model> a_, b_;
	const fcl::Transform3d identity_ = fcl::Transform3d::Identity();
	std::vector<fcl::Transform3d> transforms_;
	fcl::CollisionResultd result_;
};
