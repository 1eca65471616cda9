// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// coal, FCL's successor, as bvh_peer.h and bvh_scenes.h want it.

#pragma once

#include "peer.h"

#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/distance.h>

struct CoalTraits {
	template <typename Volume> using Model = coal::BVHModel<Volume>;
	using Vector = coal::Vec3s;
	using Triangle = coal::Triangle;
	using Transform = coal::Transform3s;
	using CollisionRequest = coal::CollisionRequest;
	using CollisionResult = coal::CollisionResult;
	using DistanceResult = coal::DistanceResult;

	static CollisionRequest contacts( size_t most ) {
		return CollisionRequest( coal::NO_REQUEST, most );
	}

	static coal::DistanceRequest distance() {
		return coal::DistanceRequest( true, false );
	}

	static Transform transform( const dbvh_pose &pose ) {
		coal::Matrix3s rotation;
		for ( int i = 0; i < 3; ++i )
			for ( int j = 0; j < 3; ++j )
				rotation( i, j ) = pose.rot[i][j];
		return Transform( rotation, Vector( pose.pos[0], pose.pos[1], pose.pos[2] ) );
	}
};
