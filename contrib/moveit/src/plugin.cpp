// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The plug-in by which MoveIt loads the detector.

#include <dualbvh_moveit/collision_env_dualbvh.hpp>
#include <moveit/collision_detection/collision_plugin.hpp>
#include <moveit/planning_scene/planning_scene.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dualbvh_moveit {

class CollisionPluginDualbvh : public collision_detection::CollisionPlugin {
  public:
	bool initialize( const planning_scene::PlanningScenePtr &scene ) const override {
		scene->allocateCollisionDetector( collision_detection::CollisionDetectorAllocatorDualbvh::create() );
		return true;
	}
};

} // namespace dualbvh_moveit

PLUGINLIB_EXPORT_CLASS( dualbvh_moveit::CollisionPluginDualbvh, collision_detection::CollisionPlugin )
