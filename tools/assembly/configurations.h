// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many configurations of a robot: which of them collide, and which pairs of bodies do so how often.

#pragma once

#include "assembly/joints.h"
#include "model/rules_apply.h"

typedef struct scene_pair_tally {
	dbvh_body_pair bodies;
	size_t count; // configurations in which they meet
} scene_pair_tally;

typedef struct scene_configurations {
	size_t count, done, colliding; // done: how many from the first on were looked at
	scene_pair_tally *tallies;     // the pairs that meet most often first
	size_t tally_count;
} scene_configurations;

// A callback for every configuration, in order, with the pairs that meet in it. False ends the work.
typedef bool scene_configuration_sink( void *user, size_t configuration, const dbvh_body_pair *pairs, size_t count );

// The limit of bodies for rules that hold wherever bodies go: every pair of bodies is looked up.
enum { SCENE_MOST_MOVING = 20000 };

// Asks the scene, whose rules are scene_rules_apply_to_all(), about each row. Bodies of links go where the rows take
// them; the others stay. `progress` as in dbvh_scene_query. Where it ended the work, `done` is less than `count`, and
// the status is OK. The caller frees.
dbvh_status scene_run_configurations( const scene_model *model, dbvh_scene *scene, const scene_rows *rows,
                                      uint32_t thread_count,
                                      bool ( *progress )( void *user, size_t done, size_t total ),
                                      scene_configuration_sink *sink, void *user, scene_configurations *out,
                                      dbvh_error *error );
void scene_configurations_free( scene_configurations *configurations );
