// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL: its dynamic tree of boxes, as pointers and as an array; and an arm of OBBRSS trees, a pair at a time after the
// boxes of its collision objects.

#include "scene_peer.h"

#include <fcl/fcl.h>

namespace {

struct Listing {
	PeerPairs *pairs;
	size_t count;
};

uint32_t number_of( const fcl::CollisionObjectd *object ) {
	return (uint32_t)(uintptr_t)object->getUserData();
}

bool list_pair( fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *context ) {
	Listing *out = (Listing *)context;
	out->count += 1;
	if ( out->pairs != nullptr ) {
		const uint32_t i = number_of( a ), j = number_of( b );
		out->pairs->add( i < j ? i : j, i < j ? j : i );
	}
	return false;
}

template <class Manager> class Boxes : public BoxPeer {
	const char *label;
	std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
	Manager manager;

  public:
	explicit Boxes( const char *given ) : label( given ) {}
	const char *name() const override {
		return label;
	}
	void place( const std::vector<double> &centres ) {
		for ( size_t i = 0; i < objects.size(); ++i ) {
			objects[i]->setTranslation( fcl::Vector3d( centres[3 * i], centres[3 * i + 1], centres[3 * i + 2] ) );
			objects[i]->computeAABB();
		}
	}
	void load( const std::vector<double> &centres ) override {
		const auto cube = std::make_shared<fcl::Boxd>( 1.0, 1.0, 1.0 );
		std::vector<fcl::CollisionObjectd *> all;
		for ( size_t i = 0; i < centres.size() / 3; ++i ) {
			objects.emplace_back( new fcl::CollisionObjectd( cube ) );
			objects.back()->setUserData( (void *)(uintptr_t)i );
			all.push_back( objects.back().get() );
		}
		place( centres );
		manager.registerObjects( all );
		manager.setup();
	}
	void move( const std::vector<double> &centres ) override {
		place( centres );
		manager.update();
	}
	size_t list( PeerPairs *pairs ) override {
		Listing listing = { pairs, 0 };
		manager.collide( &listing, list_pair );
		return listing.count;
	}
};

class Links : public ArmPeer {
	Arm arm;
	std::vector<std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>>> models;
	std::vector<fcl::Transform3d> transforms;
	std::vector<uint8_t> *verdicts = nullptr;

	static void part( void *context, size_t begin, size_t end ) {
		( (Links *)context )->check_part( begin, end );
	}
	void check_part( size_t begin, size_t end ) {
		const size_t links = models.size();
		std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
		for ( const auto &model : models )
			objects.emplace_back( new fcl::CollisionObjectd( model ) );
		const fcl::CollisionRequestd request( 1 );
		for ( size_t i = begin; i < end; ++i ) {
			for ( size_t k = 0; k < links; ++k ) {
				objects[k]->setTransform( transforms[i * links + k] );
				objects[k]->computeAABB();
			}
			uint8_t meets = 0;
			for ( const auto &pair : arm.pairs ) {
				const auto *a = objects[pair.first].get(), *b = objects[pair.second].get();
				if ( !a->getAABB().overlap( b->getAABB() ) )
					continue;
				fcl::CollisionResultd result;
				if ( fcl::collide( a, b, request, result ) > 0 ) {
					meets = 1;
					break;
				}
			}
			( *verdicts )[i] = meets;
		}
	}

  public:
	const char *name() const override {
		return "FCL";
	}
	void load( const Arm &given ) override {
		arm = given;
		for ( const PeerMesh &mesh : arm.links ) {
			std::vector<fcl::Vector3d> corners;
			std::vector<fcl::Triangle> triangles;
			for ( size_t i = 0; i < mesh.vertex_count; ++i )
				corners.emplace_back( mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2] );
			for ( size_t i = 0; i < mesh.triangle_count; ++i )
				triangles.emplace_back( mesh.indices[3 * i], mesh.indices[3 * i + 1], mesh.indices[3 * i + 2] );
			const auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
			model->beginModel();
			model->addSubModel( corners, triangles );
			model->endModel();
			models.push_back( model );
		}
	}
	void set_configurations( const std::vector<dbvh_pose> &poses ) override {
		transforms.assign( poses.size(), fcl::Transform3d::Identity() );
		for ( size_t i = 0; i < poses.size(); ++i ) {
			for ( int r = 0; r < 3; ++r ) {
				for ( int c = 0; c < 3; ++c )
					transforms[i].matrix()( r, c ) = poses[i].rot[r][c];
				transforms[i].matrix()( r, 3 ) = poses[i].pos[r];
			}
		}
	}
	void check( unsigned threads, std::vector<uint8_t> &verdicts_out ) override {
		verdicts = &verdicts_out;
		in_parts( verdicts_out.size(), threads, part, this );
	}
};

} // namespace

void add_scene_fcl( BoxPeers &boxes, ArmPeers &arms ) {
	boxes.emplace_back( new Boxes<fcl::DynamicAABBTreeCollisionManagerd>( "FCL" ) );
	boxes.emplace_back( new Boxes<fcl::DynamicAABBTreeCollisionManager_Array<double>>( "FCL array" ) );
	arms.emplace_back( new Links );
}
