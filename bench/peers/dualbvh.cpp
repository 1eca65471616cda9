// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The library itself, as its users call it.

#include "peer.h"

#include <cstdio>
#include <cstdlib>

namespace {

class Dualbvh : public Peer {
  public:
	Dualbvh( const char *name, dbvh_policy policy ) : name_( name ), policy_( policy ), room_( 1 << 16 ) {
		check( dbvh_workspace_create( nullptr, &workspace_, NULL ) );
	}

	~Dualbvh() override {
		unload();
		dbvh_workspace_destroy( workspace_ );
	}

	const char *name() const override {
		return name_;
	}
	bool lists_pairs() const override {
		return true;
	}

	void unload() override {
		if ( b_ != a_ )
			dbvh_tree_destroy( b_ );
		dbvh_tree_destroy( a_ );
		a_ = b_ = nullptr;
	}

	void load( const PeerMesh &a, const PeerMesh &b ) override {
		a_ = build( a );
		b_ = a.positions == b.positions ? a_ : build( b );
		check( dbvh_workspace_reserve( workspace_, a_, b_, room_.size(), NULL ) );
	}

	void set_poses( const dbvh_pose *poses, size_t count ) override {
		poses_.assign( poses, poses + count );
	}

	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		dbvh_collide_query q = {};
		q.policy = policy_;
		q.find = all ? DBVH_FIND_ALL : DBVH_FIND_ANY;
		q.pairs = room_.data();
		q.pair_capacity = room_.size();
		dbvh_collide_result result;
		check( dbvh_collide( a_, nullptr, b_, &poses_[pose], &q, workspace_, &result, NULL ) );
		for ( size_t i = 0; pairs != nullptr && i < result.pair_written; ++i )
			pairs->add( room_[i].a, room_[i].b );
		return result.verdict == DBVH_INTERSECTING;
	}

  private:
	static void check( dbvh_status status ) {
		if ( status == DBVH_OK )
			return;
		fprintf( stderr, "dualbvh: %s\n", dbvh_status_text( status ) );
		exit( 2 );
	}

	dbvh_tree *build( const PeerMesh &mesh ) const {
		dbvh_mesh_view view = {};
		view.positions = mesh.positions;
		view.vertex_count = mesh.vertex_count;
		view.indices = mesh.indices;
		view.triangle_count = mesh.triangle_count;
		dbvh_tree_options options = dbvh_tree_options_default();
		options.thread_count = 1;
		options.reference =
		    policy_ != DBVH_POLICY_DEFAULT && policy_ != DBVH_POLICY_PACKED && policy_ != DBVH_POLICY_PACKED_MIXED;
		dbvh_tree *tree = nullptr;
		check( dbvh_tree_build( &view, &options, nullptr, &tree, nullptr ) );
		return tree;
	}

	const char *name_;
	dbvh_policy policy_;
	dbvh_workspace *workspace_ = nullptr;
	dbvh_tree *a_ = nullptr, *b_ = nullptr;
	std::vector<dbvh_pose> poses_;
	std::vector<dbvh_pair> room_;
};

} // namespace

void add_dualbvh( PeerList &list ) {
	list.push_back( new Dualbvh( "dualbvh", DBVH_POLICY_DEFAULT ) );
	list.push_back( new Dualbvh( "dualbvh, dual", DBVH_POLICY_DUAL ) );
	list.push_back( new Dualbvh( "dualbvh, rapid", DBVH_POLICY_RAPID ) );
}
