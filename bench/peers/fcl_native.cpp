// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL's header templates for this machine. Its headers say that instances exist already, in Debian's binary; the copy
// of the headers that is compiled here does not (see CMakeLists.txt), and its namespaces have names of their own, so
// that neither FCL's nor Eigen's functions can be mixed up with those of the binary beside it.

#define fcl fcl_native
#define Eigen Eigen_native

#include "fcl_traits.h"
// The order matters: FCL's templates look up its own declarations, which come first.
#include "bvh_peer.h"

#include <stdexcept>
#include <string>

// The handful of functions that FCL keeps in its binary alone, because they are no templates.
namespace fcl_native {

bool BVNodeBase::isLeaf() const {
	return first_child < 0;
}

int BVNodeBase::primitiveId() const {
	return -first_child - 1;
}

int BVNodeBase::leftChild() const {
	return first_child;
}

int BVNodeBase::rightChild() const {
	return first_child + 1;
}

Triangle::Triangle() {}

Triangle::Triangle( std::size_t p1, std::size_t p2, std::size_t p3 ) {
	set( p1, p2, p3 );
}

void Triangle::set( std::size_t p1, std::size_t p2, std::size_t p3 ) {
	vids[0] = p1;
	vids[1] = p2;
	vids[2] = p3;
}

std::size_t Triangle::operator[]( int i ) const {
	return vids[i];
}

namespace detail {

void ThrowFailedAtThisConfiguration( const std::string &message, const char *, const char *, int ) {
	throw std::logic_error( message );
}

// Fronts are for callers that keep one between queries; collide() has none.
void updateFrontList( BVHFrontList *, int, int ) {}

// The tolerance for planes and half-spaces, which no mesh is.
template <> double halfspaceIntersectTolerance<double>() {
	return 1e-7;
}

template <> double planeIntersectTolerance<double>() {
	return 1e-7;
}

} // namespace detail
} // namespace fcl_native

extern "C" __attribute__( ( visibility( "default" ) ) ) Peer *peer_fcl_native( int volume ) {
	switch ( volume ) {
	case 0:
		return new BvhPeer<FclTraits, fcl::OBBd>( "FCL OBB (native)" );
	case 1:
		return new BvhPeer<FclTraits, fcl::OBBRSSd>( "FCL OBBRSS (native)" );
	default:
		return new BvhPeer<FclTraits, fcl::kIOSd>( "FCL kIOS (native)" );
	}
}

extern "C" __attribute__( ( visibility( "default" ) ) ) DistancePeer *peer_fcl_native_distance() {
	return new BvhDistancePeer<FclTraits, fcl::RSSd>( "FCL RSS (native)" );
}
