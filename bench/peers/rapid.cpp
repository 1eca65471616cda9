// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// RAPID 2.01 (Gottschalk, Lin and Manocha 1996).

#include "RAPID.H"

#include "peer.h"

namespace {

class Rapid : public Peer {
  public:
	const char *name() const override {
		return "RAPID";
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
		poses_.assign( poses, poses + count );
	}
	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		dbvh_pose &p = poses_[pose];
		RAPID_Collide( identity_.rot, identity_.pos, a_.get(), p.rot, p.pos, b_.get(),
		               all ? RAPID_ALL_CONTACTS : RAPID_FIRST_CONTACT );
		for ( int i = 0; pairs != nullptr && i < RAPID_num_contacts; ++i )
			pairs->add( (uint32_t)RAPID_contact[i].id1, (uint32_t)RAPID_contact[i].id2 );
		return RAPID_num_contacts > 0;
	}

  private:
	static std::shared_ptr<RAPID_model> build( const PeerMesh &mesh ) {
		auto model = std::make_shared<RAPID_model>();
		model->BeginModel();
		for ( size_t t = 0; t < mesh.triangle_count; ++t ) {
			const uint32_t *corner = mesh.indices + 3 * t;
			model->AddTri( mesh.positions + 3 * corner[0], mesh.positions + 3 * corner[1],
			               mesh.positions + 3 * corner[2], (int)t );
		}
		model->EndModel();
		return model;
	}

	std::shared_ptr<RAPID_model> a_, b_;
	dbvh_pose identity_ = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	std::vector<dbvh_pose> poses_;
};

} // namespace

extern "C" __attribute__( ( visibility( "default" ) ) ) Peer *peer_rapid() {
	return new Rapid;
}
