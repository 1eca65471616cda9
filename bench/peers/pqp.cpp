// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// PQP 1.3 (Larsen, Gottschalk, Lin and Manocha 1999): boxes for collisions, rectangle swept spheres for distances.

#include "PQP.h"

#include "peer.h"

namespace {

struct Pair {
	std::shared_ptr<PQP_Model> a, b;
	dbvh_pose identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	std::vector<dbvh_pose> poses;

	static std::shared_ptr<PQP_Model> build( const PeerMesh &mesh ) {
		auto model = std::make_shared<PQP_Model>();
		model->BeginModel( (int)mesh.triangle_count );
		for ( size_t t = 0; t < mesh.triangle_count; ++t ) {
			const uint32_t *corner = mesh.indices + 3 * t;
			model->AddTri( mesh.positions + 3 * corner[0], mesh.positions + 3 * corner[1],
			               mesh.positions + 3 * corner[2], (int)t );
		}
		model->EndModel();
		return model;
	}
	void load( const PeerMesh &mesh_a, const PeerMesh &mesh_b ) {
		a = build( mesh_a );
		b = mesh_a.positions == mesh_b.positions ? a : build( mesh_b );
	}
};

class Pqp : public Peer {
  public:
	const char *name() const override {
		return "PQP";
	}
	bool lists_pairs() const override {
		return true;
	}
	void unload() override {
		pair_.a.reset();
		pair_.b.reset();
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		pair_.load( a, b );
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		pair_.poses.assign( poses, poses + count );
	}
	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		dbvh_pose &p = pair_.poses[pose];
		PQP_Collide( &result_, pair_.identity.rot, pair_.identity.pos, pair_.a.get(), p.rot, p.pos, pair_.b.get(),
		             all ? PQP_ALL_CONTACTS : PQP_FIRST_CONTACT );
		for ( int i = 0; pairs != nullptr && i < result_.NumPairs(); ++i )
			pairs->add( (uint32_t)result_.Id1( i ), (uint32_t)result_.Id2( i ) );
		return result_.Colliding() != 0;
	}

  private:
	Pair pair_;
	PQP_CollideResult result_;
};

class PqpDistance : public DistancePeer {
  public:
	const char *name() const override {
		return "PQP";
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		pair_.load( a, b );
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		pair_.poses.assign( poses, poses + count );
	}
	double query( size_t pose ) override {
		dbvh_pose &p = pair_.poses[pose];
		PQP_DistanceResult result;
		PQP_Distance( &result, pair_.identity.rot, pair_.identity.pos, pair_.a.get(), p.rot, p.pos, pair_.b.get(), 0.0,
		              0.0 );
		return result.Distance();
	}

  private:
	Pair pair_;
};

} // namespace

extern "C" __attribute__( ( visibility( "default" ) ) ) Peer *peer_pqp() {
	return new Pqp;
}

extern "C" __attribute__( ( visibility( "default" ) ) ) DistancePeer *peer_pqp_distance() {
	return new PqpDistance;
}
