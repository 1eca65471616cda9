// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// coal's broad phase and an arm.

#include "coal_traits.h"

#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree_array.h>
#include <coal/collision.h>
#include <coal/shape/geometric_shapes.h>
// The order matters: coal's templates look up its own declarations, which come first.
#include "bvh_scenes.h"

namespace {

struct Scenes : CoalTraits {
	using Object = coal::CollisionObject;
	using Box = coal::Box;
	using LinkVolume = coal::OBBRSS;

	struct Listing : coal::CollisionCallBackBase {
		PeerPairs *pairs = nullptr;
		size_t count = 0;

		bool collide( Object *a, Object *b ) override {
			count += 1;
			if ( pairs != nullptr )
				bvh_add_pair( pairs, a, b );
			return false;
		}
	};

	template <typename Manager> static size_t list( Manager &manager, PeerPairs *pairs ) {
		Listing listing;
		listing.pairs = pairs;
		manager.collide( &listing );
		return listing.count;
	}

	struct Asking : coal::CollisionCallBackBase {
		size_t count = 0;

		bool collide( Object *a, Object *b ) override {
			if ( a == b )
				return false;
			const coal::CollisionRequest request( coal::CONTACT, 1 );
			coal::CollisionResult result;
			count += coal::collide( a, b, request, result ) > 0;
			return false;
		}
	};

	template <typename Manager> static size_t ask( Manager &manager, Object *object ) {
		Asking asking;
		manager.collide( object, &asking );
		return asking.count;
	}
};

} // namespace

void add_scene_coal( BoxPeers &boxes, ArmPeers &arms ) {
	boxes.emplace_back( new BvhBoxes<Scenes, coal::DynamicAABBTreeCollisionManager>( "coal" ) );
	boxes.emplace_back( new BvhBoxes<Scenes, coal::DynamicAABBTreeArrayCollisionManager>( "coal array" ) );
	arms.emplace_back( new BvhArm<Scenes>( "coal" ) );
}
