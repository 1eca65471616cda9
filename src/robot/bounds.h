// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far points of attached bodies move along an edge, and what rounding may add. docs/design/edges.md derives the
// bounds.

#pragma once

#include "robot/robot.h"
#include "scene/scene.h"

// The extent of an attached body, from its link: of all its points the largest distance from the origin of the link,
// and from the axis of the link's joint.
typedef struct dbvhi_body_extent {
	double radius, beside;
} dbvhi_body_extent;

dbvhi_body_extent dbvhi_body_extent_of( const dbvhi_link *link, const dbvhi_attached *attached, const dbvh_tree *tree );

// The motion of a joint along an edge: how far it turns and goes, how far from its origin it gets, and the rounding of
// its numbers.
typedef struct dbvhi_joint_sweep {
	double turn, way, farthest;
	double turn_error, way_error;
} dbvhi_joint_sweep;

// Bounds for all joints; `ways` are those between the two rows. LIMIT where an angle is too large for the bounds.
dbvh_status dbvhi_robot_sweeps( const dbvh_robot *robot, dbvh_robot_layout layout, const double *from, const double *to,
                                const dbvhi_joint_way *ways, dbvhi_joint_sweep *sweeps_out );

// Bounds for one body: speeds_out[d] is how far, by all joints deeper than d, its points move in a unit of time against
// the link at depth d (0: the world), for all d up to the depth of its own link, where it is 0. *reach_out bounds the
// distance of its points from the origin of the world's frame in which the chain begins, *error_out the distance
// between a point at the pose that is computed for a time and at the exact one.
void dbvhi_body_speeds( const dbvh_robot *robot, const dbvhi_attached *attached, const dbvhi_body_extent *extent,
                        const dbvhi_joint_sweep *sweeps, double *speeds_out, double *reach_out, double *error_out );
