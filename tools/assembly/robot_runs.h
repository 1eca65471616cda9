// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances in many configurations of a robot, and the ways between them in joint space: the library's answers, some
// hundred at a time.

#pragma once

#include "assembly/joints.h"
#include "dualbvh/robot.h"

typedef struct scene_robot_run {
	const scene_model *model;
	dbvh_scene *scene; // with the rules of scene_rules_apply_to_all()
	const scene_rows *rows;
	uint32_t thread_count;
	// A callback as in dbvh_scene_query; NULL: none.
	bool ( *progress )( void *user, size_t done, size_t total );
	// Callbacks for every configuration, or edge, in order. False ends the work.
	bool ( *on_distances )( void *user, size_t configuration, const dbvh_robot_distances_result *result,
	                        const dbvh_robot_distance *distances );
	bool ( *on_edge )( void *user, size_t edge, const dbvh_robot_edge_result *result );
	void *user;
	size_t done; // how many have an answer; where the work was ended early, fewer than there are
} scene_robot_run;

// The nearest pair of each configuration (`find` CLOSEST), or all pairs that are nearer than their clearance (ALL).
dbvh_status scene_run_distances( scene_robot_run *run, dbvh_find find, dbvh_error *error );

// The ways from each configuration to the next; the first collision on each.
dbvh_status scene_run_edges( scene_robot_run *run, dbvh_error *error );
