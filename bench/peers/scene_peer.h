// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The interface of an engine in the comparison of scenes. Everything that can be converted beforehand is.

#pragma once

#include "peer.h"

#include <memory>

// Cubes of side 1 along the axes, known by their numbers, that all move at once.
class BoxPeer {
  public:
	virtual ~BoxPeer() = default;
	virtual const char *name() const = 0;

	// Three numbers a cube: its centre.
	virtual void load( const std::vector<double> &centres ) = 0;

	// This is timed: a step, and every pair of cubes that overlap. `pairs` (null in timed runs) wants them listed; else
	// they are counted.
	virtual void move( const std::vector<double> &centres ) = 0;
	virtual size_t list( PeerPairs *pairs ) = 0;

	// Edits of one cube, which are timed with a question about it: how many others does it collide with, by the
	// engine's exact test? An engine that has no edits answers false here.
	virtual bool has_edits() const {
		return false;
	}
	virtual void move_one( size_t, const double * ) {}
	virtual void replace_one( size_t, const double * ) {} // take it out, and put it in as a new one
	virtual size_t ask_one( size_t ) {
		return 0;
	}
};

// An arm: meshes, and the pairs of them that are looked at.
struct Arm {
	std::vector<PeerMesh> links;
	std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

class ArmPeer {
  public:
	virtual ~ArmPeer() = default;
	virtual const char *name() const = 0;
	virtual void load( const Arm &arm ) = 0;

	// links.size() poses a configuration.
	virtual void set_configurations( const std::vector<dbvh_pose> &poses ) = 0;

	// This is timed: verdicts_out[i] becomes 1 where any pair intersects.
	virtual void check( unsigned threads, std::vector<uint8_t> &verdicts_out ) = 0;
};

using BoxPeers = std::vector<std::unique_ptr<BoxPeer>>;
using ArmPeers = std::vector<std::unique_ptr<ArmPeer>>;
void add_scene_fcl( BoxPeers &boxes, ArmPeers &arms );
void add_scene_bullet( BoxPeers &boxes );
void add_scene_coal( BoxPeers &boxes, ArmPeers &arms );

// Runs part( begin, end ) on so many threads.
void in_parts( size_t count, unsigned threads, void ( *part )( void *context, size_t begin, size_t end ),
               void *context );
