// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// coal as PyPI's wheel has it.

#include "coal_traits.h"
// The order matters: coal's templates look up its own declarations, which come first.
#include "bvh_peer.h"

void add_coal( PeerList &list ) {
	list.push_back( new BvhPeer<CoalTraits, coal::OBB>( "coal OBB" ) );
	list.push_back( new BvhPeer<CoalTraits, coal::OBBRSS>( "coal OBBRSS" ) );
	list.push_back( new BvhPeer<CoalTraits, coal::kIOS>( "coal kIOS" ) );
}

void add_distance_coal( DistancePeerList &list ) {
	list.emplace_back( new BvhDistancePeer<CoalTraits, coal::RSS>( "coal RSS" ) );
	list.emplace_back( new BvhDistancePeer<CoalTraits, coal::OBBRSS>( "coal OBBRSS" ) );
}
