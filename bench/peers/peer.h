// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What the harness asks of an engine. One thread; poses are converted beforehand, so that only queries are timed.

#pragma once

#include "dualbvh/dualbvh.h"

#include <cstddef>
#include <cstdint>
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

	// What a reader of its numbers must know; "" if nothing.
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

// A peer's source file adds what it has to the list.
using PeerList = std::vector<Peer *>;
void add_dualbvh( PeerList &list );
void add_fcl( PeerList &list );
void add_ode( PeerList &list );
void add_gimpact( PeerList &list );
void add_embree( PeerList &list );
void add_cgal( PeerList &list );

// The same templates as add_fcl(), compiled for this machine, in a library of its own.
extern "C" Peer *peer_fcl_native( int volume );
