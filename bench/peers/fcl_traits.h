// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// FCL 0.7 as bvh_peer.h and bvh_scenes.h want it. Included by two translation units that compare pairs: one calls
// Debian's binary, one compiles the templates for this machine.

#pragma once

#include "peer.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

struct FclTraits {
	template <typename Volume> using Model = fcl::BVHModel<Volume>;
	using Vector = fcl::Vector3d;
	using Triangle = fcl::Triangle;
	using Transform = fcl::Transform3d;
	using CollisionRequest = fcl::CollisionRequestd;
	using CollisionResult = fcl::CollisionResultd;
	using DistanceResult = fcl::DistanceResultd;

	// Contacts without normals and depths.
	static CollisionRequest contacts( size_t most ) {
		return CollisionRequest( most, false );
	}

	// Nearest points are asked for, as dualbvh always gives them.
	static fcl::DistanceRequestd distance() {
		return fcl::DistanceRequestd( true );
	}

	static Transform transform( const dbvh_pose &pose ) {
		Transform out = Transform::Identity();
		for ( int i = 0; i < 3; ++i ) {
			for ( int j = 0; j < 3; ++j )
				out.linear()( i, j ) = pose.rot[i][j];
			out.translation()[i] = pose.pos[i];
		}
		return out;
	}
};
