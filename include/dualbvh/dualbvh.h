// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file dualbvh.h
/// dualbvh tells whether rigid triangle meshes interfere. This header includes all the others, except cglm.h and, for
/// C++, dualbvh.hpp.
///
/// | you want to know | function | header |
/// |---|---|---|
/// | whether and where two meshes intersect (collision, clash) | dbvh_collide(), dbvh_collide_batch() | collide.h |
/// | how far apart they are; whether they keep a clearance | dbvh_distance(), dbvh_check_clearance() | distance.h |
/// | when they touch on their way (time of impact, CCD) | dbvh_time_of_impact() | toi.h |
/// | whether one is inside the other; where a point is | dbvh_relate(), dbvh_locate_point() | relation.h |
/// | the points and curves of contact | dbvh_contacts_find() | contact.h |
/// | how much two bodies overlap: volume, type, mesh | dbvh_overlap_find() | overlap.h |
/// | how deep they overlap: a fit or a clash | dbvh_local_depth() | depth.h |
/// | how far one must be moved to come free | dbvh_penetration_depth(), dbvh_separating_translation() | depth.h,
/// contact.h | | what a ray or a segment hits (ray cast, picking) | dbvh_raycast(), dbvh_segment_cast() | raycast.h |
/// | the closest point of a mesh | dbvh_closest_point() | closest_point.h |
/// | whether a mesh intersects a sphere, box, capsule, ellipsoid, plane | dbvh_collide_shape() | shape.h |
/// | whether a mesh intersects itself | dbvh_self_collide() | self.h |
/// | whether two primitives intersect, and how far apart they are | dbvh_*_signed_distance() | primitives.h |
/// | when moving primitives touch (swept tests) | dbvh_*_cast() | shape_cast.h |
/// | which of many bodies clash, by rules, and how deep | dbvh_scene_clashes(), dbvh_scene_overlaps() | scene.h |
/// | which configurations of a robot collide | dbvh_scene_collide_batch() | scene.h |
/// | which motions between configurations collide | dbvh_scene_motion_batch() | scene.h |
/// | where a robot stands | dbvh_robot_place() | robot.h |
/// | how near its bodies are to others, all below a margin | dbvh_robot_distance_batch() | robot.h |
/// | whether its way in joint space is clear | dbvh_robot_edge_batch() | robot.h |
/// | whether a mesh is closed, oriented, without defects | dbvh_mesh_audit() | mesh.h |
/// | whether ellipsoids overlap | dbvh_ellipsoid_*() | ellipsoid.h |
/// | how to keep a tree in a file | dbvh_tree_save(), dbvh_tree_load(), dbvh_tree_map() | tree_file.h |
/// | how to record a call in a file and replay it elsewhere | dbvh_capture_save() | capture.h |
///
/// Meshes are read by mesh.h and made into trees by tree.h. Errors, allocators, budgets, threads and poses, which are
/// common to all headers, are in base.h.
///
///     #include <dualbvh/dualbvh.h>
///
///     dbvh_error error;
///     dbvh_mesh *mesh = NULL;
///     if ( dbvh_mesh_load( "gear.stl", DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) != DBVH_OK )
///         complain( error.text );
///
///     dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
///     dbvh_tree *tree = NULL;
///     if ( dbvh_tree_build( &view, NULL, NULL, &tree, &error ) != DBVH_OK )
///         complain( error.text );
///     dbvh_mesh_destroy( mesh ); // the tree keeps its own copy
///
///     dbvh_pose pose = dbvh_pose_identity(); // a second gear, moved along x
///     pose.pos[0] = 1.5;
///
///     dbvh_collide_result result;
///     if ( dbvh_collide( tree, NULL, tree, &pose, NULL, NULL, &result, &error ) != DBVH_OK )
///         complain( error.text );
///     puts( result.verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint" );
///     dbvh_tree_destroy( tree );

#ifndef DUALBVH_H
#define DUALBVH_H

#include "dualbvh/base.h"
#include "dualbvh/cache.h"
#include "dualbvh/capture.h"
#include "dualbvh/closest_point.h"
#include "dualbvh/collide.h"
#include "dualbvh/contact.h"
#include "dualbvh/depth.h"
#include "dualbvh/distance.h"
#include "dualbvh/ellipsoid.h"
#include "dualbvh/fit.h"
#include "dualbvh/geometry.h"
#include "dualbvh/interval.h"
#include "dualbvh/isa.h"
#include "dualbvh/mesh.h"
#include "dualbvh/overlap.h"
#include "dualbvh/primitives.h"
#include "dualbvh/query.h"
#include "dualbvh/raycast.h"
#include "dualbvh/relation.h"
#include "dualbvh/robot.h"
#include "dualbvh/scene.h"
#include "dualbvh/self.h"
#include "dualbvh/shape.h"
#include "dualbvh/shape_cast.h"
#include "dualbvh/toi.h"
#include "dualbvh/tree.h"
#include "dualbvh/tree_file.h"

#endif // DUALBVH_H
