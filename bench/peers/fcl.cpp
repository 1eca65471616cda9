// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL as Debian compiled it.

#include "fcl_traits.h"
// The order matters: FCL's templates look up its own declarations, which come first.
#include "bvh_peer.h"

void add_fcl( PeerList &list ) {
	list.push_back( new BvhPeer<FclTraits, fcl::OBBd>( "FCL OBB (Debian)" ) );
	list.push_back( new BvhPeer<FclTraits, fcl::OBBRSSd>( "FCL OBBRSS (Debian)" ) );
	list.push_back( new BvhPeer<FclTraits, fcl::kIOSd>( "FCL kIOS (Debian)" ) );
}

void add_distance_fcl( DistancePeerList &list ) {
	list.emplace_back( new BvhDistancePeer<FclTraits, fcl::RSSd>( "FCL RSS (Debian)" ) );
	list.emplace_back( new BvhDistancePeer<FclTraits, fcl::OBBRSSd>( "FCL OBBRSS (Debian)" ) );
	list.emplace_back( new BvhDistancePeer<FclTraits, fcl::kIOSd>( "FCL kIOS (Debian)" ) );
}
