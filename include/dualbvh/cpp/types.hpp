// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/types.hpp
/// Names in C++ of the types in C that are plain data. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_TYPES_HPP
#define DUALBVH_CPP_TYPES_HPP

#include "dualbvh/dualbvh.h"

namespace dualbvh {

// The plain data types of C have their own names here, too.
using Status = dbvh_status;
using Error = dbvh_error;
using Allocator = dbvh_allocator;
using Budget = dbvh_budget;
using Pose = dbvh_pose;
using Pair = dbvh_pair;
using MeshView = dbvh_mesh_view;
using MeshAudit = dbvh_mesh_audit_result;
using MeshComponent = dbvh_mesh_component;
using TreeOptions = dbvh_tree_options;
using TreeStats = dbvh_tree_stats;
using OpenLoop = dbvh_open_loop;
using TreeLoadOptions = dbvh_tree_load_options;
using CacheReport = dbvh_cache_report;
using BatchOptions = dbvh_batch_options;
using Cache = dbvh_cache;
using CollideQuery = dbvh_collide_query;
using CollideResult = dbvh_collide_result;
using DistanceQuery = dbvh_distance_query;
using DistanceResult = dbvh_distance_result;
using ClearanceQuery = dbvh_clearance_query;
using ClearanceResult = dbvh_clearance_result;
using RelateQuery = dbvh_relate_query;
using RelateResult = dbvh_relate_result;
using Ray = dbvh_ray;
using Segment = dbvh_segment;
using RayHit = dbvh_ray_hit;
using RaycastQuery = dbvh_raycast_query;
using RaycastResult = dbvh_raycast_result;
using ClosestPointQuery = dbvh_closest_point_query;
using ClosestPointResult = dbvh_closest_point_result;
using Motion = dbvh_motion;
using ToiQuery = dbvh_toi_query;
using ToiResult = dbvh_toi_result;
using Shape = dbvh_shape;
using CollideShapeResult = dbvh_collide_shape_result;
using ContactsQuery = dbvh_contacts_query;
using Separation = dbvh_separation;
using Extent = dbvh_extent;
using Interval = dbvh_interval;
using OverlapQuery = dbvh_overlap_query;
using OverlapResult = dbvh_overlap_result;
using OverlapComponent = dbvh_overlap_component;
using PenetrationQuery = dbvh_penetration_query;
using PenetrationResult = dbvh_penetration_result;
using PenetrationAlong = dbvh_penetration_along_result;
using LocalDepthQuery = dbvh_local_depth_query;
using LocalDepthResult = dbvh_local_depth_result;
using ComponentDepth = dbvh_component_depth;
using BodyOptions = dbvh_body_options;
using PairRule = dbvh_pair_rule;
using SceneQuery = dbvh_scene_query;
using SceneResult = dbvh_scene_result;
using BodyPair = dbvh_body_pair;
using SceneCollision = dbvh_scene_collision;
using Clash = dbvh_clash;
using SceneOverlap = dbvh_scene_overlap;
using SceneDistanceResult = dbvh_scene_distance_result;
using ConfigurationsQuery = dbvh_configurations_query;
using ConfigurationResult = dbvh_configuration_result;
using MotionsQuery = dbvh_motions_query;
using EdgeResult = dbvh_edge_result;
using Joint = dbvh_joint;
using RobotLayout = dbvh_robot_layout;
using RobotDistance = dbvh_robot_distance;
using RobotDistancesQuery = dbvh_robot_distances_query;
using RobotDistancesResult = dbvh_robot_distances_result;
using RobotEdgesQuery = dbvh_robot_edges_query;
using RobotEdgeResult = dbvh_robot_edge_result;
using SceneHit = dbvh_scene_hit;
using SceneClosestPoint = dbvh_scene_closest_point_result;

/// The version of the library that is linked, "major.minor.patch".
inline const char *version() {
	return dbvh_version();
}

} // namespace dualbvh

#endif // DUALBVH_CPP_TYPES_HPP
