// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL as Debian compiled it.

#include "fcl_peer.h"

void add_fcl( PeerList &list ) {
	list.push_back( new FclPeer<fcl::OBBd>( "FCL OBB (Debian)" ) );
	list.push_back( new FclPeer<fcl::OBBRSSd>( "FCL OBBRSS (Debian)" ) );
	list.push_back( new FclPeer<fcl::kIOSd>( "FCL kIOS (Debian)" ) );
}
