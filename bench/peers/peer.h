// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The interface of an engine. One thread; poses are converted beforehand, so that only queries are timed.

#pragma once

#include "dualbvh/dualbvh.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct PeerMesh {
	const double *positions;
	const uint32_t *indices;
	size_t vertex_count, triangle_count;
};

// Pairs as an engine reported them, in any order: their number and a sum of hashes that does not depend on the order.
struct PeerPairs {
	size_t count = 0;
	uint64_t sum = 0;

	void add( uint32_t a, uint32_t b ) {
		uint64_t x = ( (uint64_t)a << 32 | b ) + UINT64_C( 0x9e3779b97f4a7c15 );
		x = ( x ^ ( x >> 30 ) ) * UINT64_C( 0xbf58476d1ce4e5b9 );
		x = ( x ^ ( x >> 27 ) ) * UINT64_C( 0x94d049bb133111eb );
		sum += x ^ ( x >> 31 );
		count += 1;
	}
};

class Peer {
  public:
	virtual ~Peer() = default;

	virtual const char *name() const = 0;

	// A caveat that readers of the engine's numbers must know; "" if none.
	virtual const char *note() const {
		return "";
	}

	// Does it list pairs of triangles when asked for all contacts?
	virtual bool lists_pairs() const = 0;

	// Frees what load() made. Nothing is loaded twice without it.
	virtual void unload() = 0;

	// Builds what it needs; this is the build time. A stays where it is, B is moved.
	virtual void load( const PeerMesh &a, const PeerMesh &b ) = 0;

	virtual void set_poses( const dbvh_pose *poses, size_t count ) = 0;

	// Do A and B at this pose intersect? `all` asks for every contact. `pairs` (null in timed runs) wants them listed.
	virtual bool query( size_t pose, bool all, PeerPairs *pairs ) = 0;

	// Seconds spent so far in queries on making a structure anew for a pose; 0 where it moves rigidly.
	virtual double rebuild_seconds() const {
		return 0.0;
	}

	// Memory that malloc does not know of.
	virtual size_t hidden_bytes() const {
		return 0;
	}
};

// The distance of two meshes.
class DistancePeer {
  public:
	virtual ~DistancePeer() = default;
	virtual const char *name() const = 0;
	virtual void load( const PeerMesh &a, const PeerMesh &b ) = 0;
	virtual void set_poses( const dbvh_pose *poses, size_t count ) = 0;
	virtual double query( size_t pose ) = 0;
};

// A peer's source file adds what it has to the list.
using PeerList = std::vector<Peer *>;
using DistancePeerList = std::vector<std::unique_ptr<DistancePeer>>;
void add_dualbvh( PeerList &list );
void add_fcl( PeerList &list );
void add_coal( PeerList &list );
void add_parry( PeerList &list );
void add_ode( PeerList &list );
void add_gimpact( PeerList &list );
void add_embree( PeerList &list );
void add_cgal( PeerList &list );
void add_distance_dualbvh( DistancePeerList &list );
void add_distance_fcl( DistancePeerList &list );
void add_distance_coal( DistancePeerList &list );
void add_distance_parry( DistancePeerList &list );

// Engines in shared libraries of their own, which export nothing else: the same templates as add_fcl(), compiled for
// this machine, and libraries whose functions have each other's names.
extern "C" {
Peer *peer_fcl_native( int volume );
Peer *peer_rapid();
Peer *peer_pqp();
Peer *peer_opcode( int quantized );
DistancePeer *peer_fcl_native_distance();
DistancePeer *peer_pqp_distance();
}

// Ends the program without what libraries do at its end: FCL's and coal's octomap are two, and free each other's.
[[noreturn]] inline void leave( int status ) {
	fflush( nullptr );
	_Exit( status );
}
