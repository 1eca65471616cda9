// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a robot: links in the order in which they were added, so that parents stand before children.

#pragma once

#include "base/alloc.h"
#include "dualbvh/robot.h"

typedef struct dbvhi_link {
	dbvh_joint joint; // its axis of length 1
	dbvh_pose origin;
	uint32_t parent;
	uint32_t depth; // joints from the world to this link, its own included
	bool follows;   // the number of the joint is factor times that of the joint of link `followed`, plus offset
	bool is_followed;
	uint32_t followed;
	double factor, offset;
	size_t column[DBVH_ROBOT_LAYOUT_COUNT];
} dbvhi_link;

typedef struct dbvhi_attached {
	uint32_t body, link;
	dbvh_pose pose;
} dbvhi_attached;

struct dbvh_robot {
	dbvh_allocator allocator;
	dbvhi_link *links;
	size_t link_count, link_capacity;
	dbvhi_attached *attached; // ascending by body
	size_t attached_count, attached_capacity;
	size_t width[DBVH_ROBOT_LAYOUT_COUNT];
};

// Does the joint turn about its axis, or about z?
static inline bool dbvhi_joint_turns( dbvh_joint_kind kind ) {
	return kind == DBVH_JOINT_KIND_REVOLUTE || kind == DBVH_JOINT_KIND_CONTINUOUS || kind == DBVH_JOINT_KIND_PLANAR;
}

// How many numbers a joint has that follows none.
size_t dbvhi_joint_width( dbvh_joint_kind kind, dbvh_robot_layout layout );

// Check that numbers are finite, and that quaternions and pairs of cosine and sine are of length 1.
dbvh_status dbvhi_robot_check_row( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q );

// One of many configurations. Those of a robot without numbers may be NULL, to which not even 0 can be added.
static inline const double *dbvhi_robot_row( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q,
                                             size_t index ) {
	return robot->width[layout] > 0 ? q + index * robot->width[layout] : q;
}

// Say which configuration it was that a check refused. Returns `status`.
dbvh_status dbvhi_robot_blame_row( dbvh_status status, size_t row, dbvh_error *error );

// How far a pose that is placed may deviate from a rotation: that of a link by 2^-48, composed with one of the body.
#define DBVHI_PLACED_DEVIATION 0x1p-44

// Compute where links are, for a row that was checked.
void dbvhi_robot_place_links( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q, dbvh_pose *links );
// Compute where the attached bodies are, from the poses of links.
void dbvhi_robot_place_bodies( const dbvh_robot *robot, const dbvh_pose *links, dbvh_pose *bodies_out );

// ------------------------------------------------------------------------------------------------
// The way between two configurations that were checked.

// How a joint of its own goes from one configuration to the other: `turn` is the signed angle of a joint that turns, or
// that of one that floats about `axis`; `way` what it moves by.
typedef struct dbvhi_joint_way {
	double way[3], turn, axis[3];
} dbvhi_joint_way;

void dbvhi_joint_way_between( const dbvhi_link *link, dbvh_robot_layout layout, const double *from, const double *to,
                              dbvhi_joint_way *out );

// The row at a time from 0 to 1; `ways` has an element for each link.
void dbvhi_robot_row_at( const dbvh_robot *robot, dbvh_robot_layout layout, const double *from, const double *to,
                         const dbvhi_joint_way *ways, double time, double *q_out );

// Are all attached bodies in the scene?
dbvh_status dbvhi_robot_check_attached( const dbvh_robot *robot, const dbvh_scene *scene, dbvh_error *error );

dbvh_status dbvhi_robot_check_layout( const dbvh_robot *robot, dbvh_robot_layout layout, dbvh_error *error );
