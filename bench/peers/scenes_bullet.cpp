// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bullet: btDbvtBroadphase, whose cache of pairs keeps those of widened boxes, which are left out here; and its bare
// tree, all of it against itself.

#include "scene_peer.h"

#include <btBulletCollisionCommon.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

namespace {

const btScalar HALF = btScalar( 0.5 );

void corners_of( const std::vector<double> &centres, size_t i, btVector3 &low, btVector3 &high ) {
	const btVector3 centre( (btScalar)centres[3 * i], (btScalar)centres[3 * i + 1], (btScalar)centres[3 * i + 2] );
	low = centre - btVector3( HALF, HALF, HALF );
	high = centre + btVector3( HALF, HALF, HALF );
}

class Cache : public BoxPeer {
	bool deferred; // boxes are compared all at once in the end, not each as it is set
	std::unique_ptr<btDefaultCollisionConfiguration> configuration;
	std::unique_ptr<btCollisionDispatcher> dispatcher;
	std::unique_ptr<btDbvtBroadphase> broadphase;
	std::vector<btBroadphaseProxy *> proxies;
	std::vector<uint32_t> numbers;

  public:
	explicit Cache( bool given ) : deferred( given ) {}
	const char *name() const override {
		return deferred ? "Bullet, deferred" : "Bullet";
	}
	void load( const std::vector<double> &centres ) override {
		configuration.reset( new btDefaultCollisionConfiguration );
		dispatcher.reset( new btCollisionDispatcher( configuration.get() ) );
		broadphase.reset( new btDbvtBroadphase );
		broadphase->m_deferedcollide = deferred;
		numbers.resize( centres.size() / 3 );
		for ( size_t i = 0; i < numbers.size(); ++i ) {
			btVector3 low, high;
			numbers[i] = (uint32_t)i;
			corners_of( centres, i, low, high );
			proxies.push_back(
			    broadphase->createProxy( low, high, BOX_SHAPE_PROXYTYPE, &numbers[i], 1, 1, dispatcher.get() ) );
		}
		broadphase->calculateOverlappingPairs( dispatcher.get() );
	}
	void move( const std::vector<double> &centres ) override {
		for ( size_t i = 0; i < proxies.size(); ++i ) {
			btVector3 low, high;
			corners_of( centres, i, low, high );
			broadphase->setAabb( proxies[i], low, high, dispatcher.get() );
		}
	}
	size_t list( PeerPairs *pairs ) override {
		broadphase->calculateOverlappingPairs( dispatcher.get() );
		const btBroadphasePairArray &all = broadphase->getOverlappingPairCache()->getOverlappingPairArray();
		size_t count = 0;
		for ( int k = 0; k < all.size(); ++k ) {
			const btBroadphaseProxy *a = all[k].m_pProxy0, *b = all[k].m_pProxy1;
			if ( !TestAabbAgainstAabb2( a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax ) )
				continue;
			count += 1;
			if ( pairs != nullptr ) {
				const uint32_t i = *(const uint32_t *)a->m_clientObject, j = *(const uint32_t *)b->m_clientObject;
				pairs->add( i < j ? i : j, i < j ? j : i );
			}
		}
		return count;
	}
};

class Tree : public BoxPeer {
	btDbvt tree;
	std::vector<btDbvtNode *> leaves;

	struct Collider : btDbvt::ICollide {
		PeerPairs *pairs = nullptr;
		size_t count = 0;

		void Process( const btDbvtNode *a, const btDbvtNode *b ) override {
			count += 1;
			if ( pairs != nullptr ) {
				const uint32_t i = (uint32_t)(uintptr_t)a->data, j = (uint32_t)(uintptr_t)b->data;
				pairs->add( i < j ? i : j, i < j ? j : i );
			}
		}
	};

  public:
	const char *name() const override {
		return "Bullet's tree";
	}
	void load( const std::vector<double> &centres ) override {
		for ( size_t i = 0; i < centres.size() / 3; ++i ) {
			btVector3 low, high;
			corners_of( centres, i, low, high );
			leaves.push_back( tree.insert( btDbvtVolume::FromMM( low, high ), (void *)(uintptr_t)i ) );
		}
		tree.optimizeTopDown();
	}
	void move( const std::vector<double> &centres ) override {
		for ( size_t i = 0; i < leaves.size(); ++i ) {
			btVector3 low, high;
			corners_of( centres, i, low, high );
			btDbvtVolume volume = btDbvtVolume::FromMM( low, high );
			tree.update( leaves[i], volume );
		}
		tree.optimizeIncremental( (int)leaves.size() / 100 );
	}
	size_t list( PeerPairs *pairs ) override {
		Collider collider;
		collider.pairs = pairs;
		tree.collideTTpersistentStack( tree.m_root, tree.m_root, collider );
		return collider.count;
	}
};

} // namespace

void add_scene_bullet( BoxPeers &boxes ) {
	boxes.emplace_back( new Cache( false ) );
	boxes.emplace_back( new Cache( true ) );
	boxes.emplace_back( new Tree );
}
