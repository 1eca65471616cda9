// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a scene: its bodies, its rules, and the broad phase over their boxes.

#pragma once

#include "bvh/tree.h"
#include "dualbvh/scene.h"
#include "scene/broad_phase.h"
#include "scene/front.h"
#include "scene/posed_roots.h"
#include "scene/rules.h"

typedef struct dbvhi_body {
	const dbvh_tree *tree; // NULL: no body has this number
	dbvh_pose pose;
	dbvh_body_options options; // group and mask as they are meant
	double reach;              // how much its box was grown by when it was put into the broad phase
	bool is_placed;            // its box is the one of its pose
} dbvhi_body;

struct dbvh_scene {
	dbvh_allocator allocator;
	bool has_own_allocator; // the caller's, which is not called from other threads
	dbvhi_body *bodies;
	size_t body_capacity;
	uint32_t body_end; // above all numbers that are in use
	uint32_t body_count;
	uint32_t free_from; // no number below it is free
	uint32_t *unplaced; // bodies whose boxes are to be made
	size_t unplaced_count, unplaced_capacity;
	dbvhi_rules rules;
	uint64_t rules_placed; // the version of the rules by which boxes were grown
	double *reaches;       // of each body, by the rules
	size_t reach_capacity;
	double largest;                     // |coordinate| of any tree so far
	double deviation, deviation_placed; // max |rot^T rot - I| of any pose so far, and when boxes were made
	dbvhi_broad_phase phase;
	dbvh_workspace *workspace; // of the calling thread; those of others are inside
	uint32_t masked_count;     // bodies with a group or mask of their own
	// Of the query under way: the pairs that are looked at, in order, and room for what comes of each.
	dbvh_body_pair *pairs;
	size_t pair_count, pair_capacity;
	bool has_list;        // they are those of the broad phase that are looked at,
	uint32_t listed_body; // of this body, or DBVH_NO_BODY: of all
	void *outcomes;
	size_t outcome_bytes;
	// Of the questions about rays, points and boxes.
	dbvhi_front front;
	uint64_t *numbers;
	size_t number_count, number_capacity;
};

static inline const dbvhi_body *dbvhi_scene_body( const dbvh_scene *scene, uint32_t number ) {
	return number < scene->body_end && scene->bodies[number].tree != NULL ? &scene->bodies[number] : NULL;
}

// Is it a policy, and one that every body has the form for?
dbvh_status dbvhi_scene_check_policy( const dbvh_scene *scene, dbvh_policy policy, dbvh_error *error );

// A box along the axes that encloses every triangle of a tree at a pose, grown by `reach` on each side.
void dbvhi_posed_box( const dbvh_tree *tree, const dbvh_pose *pose, double reach, double box_out[DBVHI_BOX_NUMBERS] );

// The root of a tree at a pose: its box, and a ball that holds the same.
typedef struct dbvhi_posed_root {
	double axis[3][3], centre[3], ball[3];
	dbvhi_vec half;
	double reach, margin; // of the ball, with the margin; how much the box is grown by
} dbvhi_posed_root;

void dbvhi_posed_root_make( const dbvh_tree *tree, const dbvh_pose *pose, double grown, dbvhi_posed_root *out,
                            double box_out[DBVHI_BOX_NUMBERS] );

// The lane of a tree, for many at once.
void dbvhi_root_lane( const dbvh_tree *tree, dbvhi_root_lanes *lanes, int lane );

// Do the two certainly not meet? `slack`: 64 times the largest deviation of a pose, times the sum of the largest
// coordinates of both.
bool dbvhi_posed_roots_apart( const dbvhi_posed_root *a, const dbvhi_posed_root *b, double slack );

// Are the two looked at? *rule_out is what holds for them.
bool dbvhi_scene_rule( const dbvh_scene *scene, uint32_t a, uint32_t b, dbvh_pair_rule *rule_out );

// What is asked of a pair of bodies, with the tolerances that their rule and their sags give.
dbvh_relate_query dbvhi_scene_relate_query( const dbvh_scene *scene, uint32_t a, uint32_t b,
                                            const dbvh_budget *budget );

// Makes the boxes of what has moved and brings the broad phase up to date.
dbvh_status dbvhi_scene_update( dbvh_scene *scene );
