// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL's broad phase and an arm.

#include "fcl_traits.h"

#include <fcl/fcl.h>
// The order matters: FCL's templates look up its own declarations, which come first.
#include "bvh_scenes.h"

namespace {

struct Scenes : FclTraits {
	using Object = fcl::CollisionObjectd;
	using Box = fcl::Boxd;
	using LinkVolume = fcl::OBBRSSd;

	struct Listing {
		PeerPairs *pairs;
		size_t count;
	};

	static bool list_pair( Object *a, Object *b, void *context ) {
		Listing *out = (Listing *)context;
		out->count += 1;
		if ( out->pairs != nullptr )
			bvh_add_pair( out->pairs, a, b );
		return false;
	}

	template <typename Manager> static size_t list( Manager &manager, PeerPairs *pairs ) {
		Listing listing = { pairs, 0 };
		manager.collide( &listing, list_pair );
		return listing.count;
	}

	static bool ask_pair( Object *a, Object *b, void *context ) {
		if ( a == b )
			return false;
		const fcl::CollisionRequestd request( 1, false );
		fcl::CollisionResultd result;
		*(size_t *)context += fcl::collide( a, b, request, result ) > 0;
		return false;
	}

	template <typename Manager> static size_t ask( Manager &manager, Object *object ) {
		size_t count = 0;
		manager.collide( object, &count, ask_pair );
		return count;
	}
};

} // namespace

void add_scene_fcl( BoxPeers &boxes, ArmPeers &arms ) {
	boxes.emplace_back( new BvhBoxes<Scenes, fcl::DynamicAABBTreeCollisionManagerd>( "FCL" ) );
	boxes.emplace_back( new BvhBoxes<Scenes, fcl::DynamicAABBTreeCollisionManager_Array<double>>( "FCL array" ) );
	arms.emplace_back( new BvhArm<Scenes>( "FCL" ) );
}
