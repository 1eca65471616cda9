// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// coal, FCL's successor: as scenes_fcl.cpp.

#include "scene_peer.h"

#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree_array.h>
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/shape/geometric_shapes.h>

namespace {

uint32_t number_of( const coal::CollisionObject *object ) {
	return (uint32_t)(uintptr_t)object->getUserData();
}

struct Listing : coal::CollisionCallBackBase {
	PeerPairs *pairs = nullptr;
	size_t count = 0;

	bool collide( coal::CollisionObject *a, coal::CollisionObject *b ) override {
		count += 1;
		if ( pairs != nullptr ) {
			const uint32_t i = number_of( a ), j = number_of( b );
			pairs->add( i < j ? i : j, i < j ? j : i );
		}
		return false;
	}
};

template <class Manager> class Boxes : public BoxPeer {
	const char *label;
	std::vector<std::unique_ptr<coal::CollisionObject>> objects;
	Manager manager;

  public:
	explicit Boxes( const char *given ) : label( given ) {}
	const char *name() const override {
		return label;
	}
	void place( const std::vector<double> &centres ) {
		for ( size_t i = 0; i < objects.size(); ++i ) {
			objects[i]->setTranslation( coal::Vec3s( centres[3 * i], centres[3 * i + 1], centres[3 * i + 2] ) );
			objects[i]->computeAABB();
		}
	}
	void load( const std::vector<double> &centres ) override {
		const auto cube = std::make_shared<coal::Box>( 1.0, 1.0, 1.0 );
		std::vector<coal::CollisionObject *> all;
		for ( size_t i = 0; i < centres.size() / 3; ++i ) {
			objects.emplace_back( new coal::CollisionObject( cube ) );
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
		Listing listing;
		listing.pairs = pairs;
		manager.collide( &listing );
		return listing.count;
	}
};

class Links : public ArmPeer {
	Arm arm;
	std::vector<std::shared_ptr<coal::BVHModel<coal::OBBRSS>>> models;
	std::vector<coal::Transform3s> transforms;
	std::vector<uint8_t> *verdicts = nullptr;

	static void part( void *context, size_t begin, size_t end ) {
		( (Links *)context )->check_part( begin, end );
	}
	void check_part( size_t begin, size_t end ) {
		const size_t links = models.size();
		std::vector<std::unique_ptr<coal::CollisionObject>> objects;
		for ( const auto &model : models )
			objects.emplace_back( new coal::CollisionObject( model ) );
		const coal::CollisionRequest request( coal::NO_REQUEST, 1 );
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
				coal::CollisionResult result;
				if ( coal::collide( a, b, request, result ) > 0 ) {
					meets = 1;
					break;
				}
			}
			( *verdicts )[i] = meets;
		}
	}

  public:
	const char *name() const override {
		return "coal";
	}
	void load( const Arm &given ) override {
		arm = given;
		for ( const PeerMesh &mesh : arm.links ) {
			std::vector<coal::Vec3s> corners;
			std::vector<coal::Triangle> triangles;
			for ( size_t i = 0; i < mesh.vertex_count; ++i )
				corners.emplace_back( mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2] );
			for ( size_t i = 0; i < mesh.triangle_count; ++i )
				triangles.emplace_back( mesh.indices[3 * i], mesh.indices[3 * i + 1], mesh.indices[3 * i + 2] );
			const auto model = std::make_shared<coal::BVHModel<coal::OBBRSS>>();
			model->beginModel();
			model->addSubModel( corners, triangles );
			model->endModel();
			models.push_back( model );
		}
	}
	void set_configurations( const std::vector<dbvh_pose> &poses ) override {
		transforms.clear();
		for ( const dbvh_pose &pose : poses ) {
			coal::Matrix3s rotation;
			for ( int r = 0; r < 3; ++r ) {
				for ( int c = 0; c < 3; ++c )
					rotation( r, c ) = pose.rot[r][c];
			}
			transforms.emplace_back( rotation, coal::Vec3s( pose.pos[0], pose.pos[1], pose.pos[2] ) );
		}
	}
	void check( unsigned threads, std::vector<uint8_t> &verdicts_out ) override {
		verdicts = &verdicts_out;
		in_parts( verdicts_out.size(), threads, part, this );
	}
};

} // namespace

void add_scene_coal( BoxPeers &boxes, ArmPeers &arms ) {
	boxes.emplace_back( new Boxes<coal::DynamicAABBTreeCollisionManager>( "coal" ) );
	boxes.emplace_back( new Boxes<coal::DynamicAABBTreeArrayCollisionManager>( "coal array" ) );
	arms.emplace_back( new Links );
}
