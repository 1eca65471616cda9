// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// parry, a Rust crate, through the C functions of parry/src/lib.rs.

#include "peer.h"

extern "C" {
struct ParryMesh;
struct ParryPose;
ParryMesh *parry_mesh_new( const double *positions, size_t vertex_count, const uint32_t *indices,
                           size_t triangle_count );
void parry_mesh_free( ParryMesh *mesh );
ParryPose *parry_pose_new( const double *rot, const double *pos );
void parry_pose_free( ParryPose *pose );
bool parry_intersect( const ParryMesh *a, const ParryMesh *b, const ParryPose *pose );
void parry_pairs( const ParryMesh *a, const ParryMesh *b, const ParryPose *pose,
                  bool ( *found )( void *context, uint32_t a, uint32_t b ), void *context );
double parry_distance( const ParryMesh *a, const ParryMesh *b, const ParryPose *pose );
}

namespace {

using Mesh = std::shared_ptr<ParryMesh>;
using Pose = std::shared_ptr<ParryPose>;

struct Pair {
	Mesh a, b;
	std::vector<Pose> poses;

	static Mesh build( const PeerMesh &mesh ) {
		return Mesh( parry_mesh_new( mesh.positions, mesh.vertex_count, mesh.indices, mesh.triangle_count ),
		             parry_mesh_free );
	}
	void load( const PeerMesh &mesh_a, const PeerMesh &mesh_b ) {
		a = build( mesh_a );
		b = mesh_a.positions == mesh_b.positions ? a : build( mesh_b );
	}
	void set_poses( const dbvh_pose *given, size_t count ) {
		poses.clear();
		for ( size_t i = 0; i < count; ++i )
			poses.emplace_back( parry_pose_new( given[i].rot[0], given[i].pos ), parry_pose_free );
	}
};

struct Search {
	bool all;
	size_t count;
	PeerPairs *pairs;
};

bool found( void *context, uint32_t a, uint32_t b ) {
	Search *search = (Search *)context;
	search->count += 1;
	if ( search->pairs != nullptr )
		search->pairs->add( a, b );
	return search->all;
}

// parry answers by taking each triangle of one mesh through the tree of the other; its trees can also be gone through
// both at once, which is what `both` does.
class Parry : public Peer {
  public:
	explicit Parry( bool both ) : both_( both ) {}

	const char *name() const override {
		return both_ ? "parry, both trees" : "parry";
	}
	const char *note() const override {
		return both_ ? "" : "no list of pairs";
	}
	bool lists_pairs() const override {
		return both_;
	}
	void unload() override {
		pair_ = Pair();
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		pair_.load( a, b );
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		pair_.set_poses( poses, count );
	}
	bool query( size_t pose, bool all, PeerPairs *pairs ) override {
		if ( !both_ )
			return parry_intersect( pair_.a.get(), pair_.b.get(), pair_.poses[pose].get() );
		Search search = { all, 0, pairs };
		parry_pairs( pair_.a.get(), pair_.b.get(), pair_.poses[pose].get(), found, &search );
		return search.count > 0;
	}

  private:
	const bool both_;
	Pair pair_;
};

class ParryDistance : public DistancePeer {
  public:
	const char *name() const override {
		return "parry";
	}
	void load( const PeerMesh &a, const PeerMesh &b ) override {
		pair_.load( a, b );
	}
	void set_poses( const dbvh_pose *poses, size_t count ) override {
		pair_.set_poses( poses, count );
	}
	double query( size_t pose ) override {
		return parry_distance( pair_.a.get(), pair_.b.get(), pair_.poses[pose].get() );
	}

  private:
	Pair pair_;
};

} // namespace

void add_parry( PeerList &list ) {
	list.push_back( new Parry( false ) );
	list.push_back( new Parry( true ) );
}

void add_distance_parry( DistancePeerList &list ) {
	list.emplace_back( new ParryDistance );
}
