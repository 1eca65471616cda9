// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes in FCL and coal, which came from it: a dynamic tree of boxes, as pointers and as an array; and an arm of
// OBBRSS trees, a pair at a time after the boxes of its collision objects. `Traits` says which library.

#pragma once

#include "bvh_peer.h"
#include "scene_peer.h"

template <typename Object> void bvh_add_pair( PeerPairs *pairs, const Object *a, const Object *b ) {
	const uint32_t i = (uint32_t)(uintptr_t)a->getUserData(), j = (uint32_t)(uintptr_t)b->getUserData();
	pairs->add( i < j ? i : j, i < j ? j : i );
}

template <typename Traits, typename Manager> class BvhBoxes : public BoxPeer {
	using Object = typename Traits::Object;

	const char *label;
	std::vector<std::unique_ptr<Object>> objects;
	Manager manager;

  public:
	explicit BvhBoxes( const char *given ) : label( given ) {}
	const char *name() const override {
		return label;
	}
	void place( const std::vector<double> &centres ) {
		for ( size_t i = 0; i < objects.size(); ++i ) {
			objects[i]->setTranslation(
			    typename Traits::Vector( centres[3 * i], centres[3 * i + 1], centres[3 * i + 2] ) );
			objects[i]->computeAABB();
		}
	}
	void load( const std::vector<double> &centres ) override {
		const auto cube = std::make_shared<typename Traits::Box>( 1.0, 1.0, 1.0 );
		std::vector<Object *> all;
		for ( size_t i = 0; i < centres.size() / 3; ++i ) {
			objects.emplace_back( new Object( cube ) );
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
		return Traits::list( manager, pairs );
	}

	bool has_edits() const override {
		return true;
	}
	void place_one( size_t i, const double *centre ) {
		objects[i]->setTranslation( typename Traits::Vector( centre[0], centre[1], centre[2] ) );
		objects[i]->computeAABB();
	}
	void move_one( size_t i, const double *centre ) override {
		place_one( i, centre );
		manager.update( objects[i].get() );
	}
	void replace_one( size_t i, const double *centre ) override {
		manager.unregisterObject( objects[i].get() );
		place_one( i, centre );
		manager.registerObject( objects[i].get() );
	}
	size_t ask_one( size_t i ) override {
		return Traits::ask( manager, objects[i].get() );
	}
};

template <typename Traits> class BvhArm : public ArmPeer {
	using Object = typename Traits::Object;

	const char *label;
	Arm arm;
	std::vector<std::shared_ptr<typename Traits::template Model<typename Traits::LinkVolume>>> models;
	std::vector<typename Traits::Transform> transforms;
	std::vector<uint8_t> *verdicts = nullptr;

	static void part( void *context, size_t begin, size_t end ) {
		( (BvhArm *)context )->check_part( begin, end );
	}
	void check_part( size_t begin, size_t end ) {
		const size_t links = models.size();
		std::vector<std::unique_ptr<Object>> objects;
		for ( const auto &model : models )
			objects.emplace_back( new Object( model ) );
		const typename Traits::CollisionRequest request = Traits::contacts( 1 );
		for ( size_t i = begin; i < end; ++i ) {
			for ( size_t k = 0; k < links; ++k ) {
				objects[k]->setTransform( transforms[i * links + k] );
				objects[k]->computeAABB();
			}
			uint8_t meets = 0;
			for ( const auto &pair : arm.pairs ) {
				const Object *a = objects[pair.first].get(), *b = objects[pair.second].get();
				if ( !a->getAABB().overlap( b->getAABB() ) )
					continue;
				typename Traits::CollisionResult result;
				if ( collide( a, b, request, result ) > 0 ) {
					meets = 1;
					break;
				}
			}
			( *verdicts )[i] = meets;
		}
	}

  public:
	explicit BvhArm( const char *given ) : label( given ) {}
	const char *name() const override {
		return label;
	}
	void load( const Arm &given ) override {
		arm = given;
		for ( const PeerMesh &mesh : arm.links )
			models.push_back( bvh_model<Traits, typename Traits::LinkVolume>( mesh ) );
	}
	void set_configurations( const std::vector<dbvh_pose> &poses ) override {
		transforms.clear();
		for ( const dbvh_pose &pose : poses )
			transforms.push_back( Traits::transform( pose ) );
	}
	void check( unsigned threads, std::vector<uint8_t> &verdicts_out ) override {
		verdicts = &verdicts_out;
		in_parts( verdicts_out.size(), threads, part, this );
	}
};
