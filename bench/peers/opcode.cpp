// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// OPCODE 1.3 (Terdiman 2003), in the copy that ODE brings, which knows 64 bits: trees of axis-aligned boxes in floats.

#include "Opcode.h"

#include "peer.h"

namespace {

// Its epsilons are absolute, for meshes of about this size.
constexpr double SIZE = 1000.0;

struct Mesh {
	std::vector<Point> points;
	std::vector<IndexedTriangle> triangles;
	Opcode::MeshInterface access; // OPCODE keeps a pointer to it, and it to the arrays
	Opcode::Model model;

	Mesh( const PeerMesh &mesh, bool quantized ) {
		for ( size_t i = 0; i < mesh.vertex_count; ++i ) {
			const double *p = mesh.positions + 3 * i;
			points.emplace_back( (float)( SIZE * p[0] ), (float)( SIZE * p[1] ), (float)( SIZE * p[2] ) );
		}
		for ( size_t i = 0; i < mesh.triangle_count; ++i )
			triangles.emplace_back( mesh.indices[3 * i], mesh.indices[3 * i + 1], mesh.indices[3 * i + 2] );
		access.SetNbTriangles( (udword)mesh.triangle_count );
		access.SetNbVertices( (udword)mesh.vertex_count );
		access.SetPointers( triangles.data(), points.data() );
		Opcode::OPCODECREATE create;
		create.mIMesh = &access;
		create.mSettings.mLimit = 1;
		create.mSettings.mRules = Opcode::SPLIT_SPLATTER_POINTS | Opcode::SPLIT_GEOM_CENTER;
		create.mNoLeaf = true;
		create.mQuantized = quantized;
		model.Build( create );
	}
};

class OpcodePeer : public Peer {
  public:
	explicit OpcodePeer( bool quantized ) : quantized_( quantized ) {
		identity_.Identity();
		collider_.SetTemporalCoherence( false );
		collider_.SetFullBoxBoxTest( true );
		collider_.SetFullPrimBoxTest( true );
	}
	const char *name() const override {
		return quantized_ ? "OPCODE, quantized (float)" : "OPCODE (float)";
	}
	bool lists_pairs() const override {
		return true;
	}
	void unload() override {
		a_.reset();
		b_.reset();
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		a_ = std::make_shared<Mesh>( a, quantized_ );
		b_ = a.positions == b.positions ? a_ : std::make_shared<Mesh>( b, quantized_ );
		cache_.Model0 = &a_->model;
		cache_.Model1 = &b_->model;
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		poses_.resize( count );
		for ( size_t p = 0; p < count; ++p ) {
			// Points are rows there.
			poses_[p].Identity();
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < 3; ++j )
					poses_[p].m[j][i] = (float)poses[p].rot[i][j];
				poses_[p].m[3][i] = (float)( SIZE * poses[p].pos[i] );
			}
		}
	}
	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		collider_.SetFirstContact( !all );
		collider_.Collide( cache_, &identity_, &poses_[pose] );
		for ( udword i = 0; pairs != nullptr && i < collider_.GetNbPairs(); ++i )
			pairs->add( collider_.GetPairs()[i].id0, collider_.GetPairs()[i].id1 );
		return collider_.GetContactStatus() != 0;
	}

  private:
	bool quantized_;
	std::shared_ptr<Mesh> a_, b_;
	Opcode::AABBTreeCollider collider_;
	Opcode::BVTCache cache_;
	Matrix4x4 identity_;
	std::vector<Matrix4x4> poses_;
};

} // namespace

extern "C" __attribute__( ( visibility( "default" ) ) ) Peer *peer_opcode( int quantized ) {
	return new OpcodePeer( quantized != 0 );
}
