// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a scene: its bodies, its rules, and the broad phase over their boxes.

// Derived data, and how each part knows that it is stale. Each step is made from the one before:
//
//     bodies, rules, trees  ->  boxes  ->  the tree over boxes  ->  the list of pairs
//
// A body that is new, removed or has a new pose is in `unplaced`. Values that all boxes depend on (rules, the largest
// deviation, refits of trees) are compared with `placed`, their state when the boxes were made. dbvhi_scene_update()
// alone makes boxes and empties the set; the two later steps have sets of their own in broad_phase.h. Each query lists
// its pairs anew: nothing about pairs is kept here.

#pragma once

#include "bvh/any_node.h"
#include "dualbvh/scene.h"
#include "scene/broad_phase.h"
#include "scene/free_numbers.h"
#include "scene/posed_roots.h"
#include "scene/rules.h"

typedef struct dbvhi_body {
	const dbvh_tree *tree; // NULL: no body has this number
	dbvh_pose pose;
	dbvh_body_options options; // group and mask as they are meant
	double reach;              // how much its box was grown by when it was put into the broad phase
	uint64_t revision;         // its tree's revision at that time
} dbvhi_body;

// The values that all boxes depend on.
typedef struct dbvhi_placing {
	uint64_t rules, refits;
	double deviation; // dbvh_scene.deviation
} dbvhi_placing;

struct dbvh_scene {
	dbvh_allocator allocator;
	bool has_own_allocator; // the caller's, which is not called from other threads
	dbvhi_body *bodies;
	size_t body_capacity;
	uint32_t body_end; // above all numbers that are in use
	uint32_t body_count;
	dbvhi_free_numbers free;   // numbers below body_end that no body has
	dbvhi_number_set unplaced; // bodies whose boxes are to be made
	dbvhi_placing placed;
	dbvhi_rules rules;
	double *reaches; // for each body, how far its rules reach
	size_t reach_count, reach_capacity;
	double common_reach;    // the reach of a body that no rule names, when the boxes were made
	double largest;         // |coordinate| of any tree so far
	double deviation;       // max |rot^T rot - I| of any pose so far, rounded up to a power of two
	dbvhi_tree_sizes sizes; // the largest of any tree so far
	uint32_t *moved_place;  // for dbvhi_moving: by number, DBVH_NO_BODY between calls
	size_t moved_capacity;
	dbvhi_broad_phase phase;
	dbvh_workspace *workspace; // the calling thread's; contains those of other threads
	uint32_t masked_count;     // bodies with a group or mask of their own
	uint32_t rounded_count;    // bodies with a radius
	double largest_radius;     // the largest of any body so far
	dbvh_budget budget;        // for queries that bring none of their own,
	bool has_budget;           // if there is one
	// The query under way: the pairs that it has listed, in order, and room for the outcomes of those that are asked.
	dbvh_body_pair *pairs;
	size_t pair_count, pair_capacity;
	size_t most_asked; // how many are asked in a row
	void *outcomes;
	size_t outcome_bytes;
	// Scratch memory of the queries with a ray, point or box, and of those for the partners of one body.
	dbvhi_front front;
	uint64_t *numbers;
	size_t number_count, number_capacity;
};

static inline const dbvhi_body *dbvhi_scene_body( const dbvh_scene *scene, uint32_t number ) {
	return number < scene->body_end && scene->bodies[number].tree != NULL ? &scene->bodies[number] : NULL;
}

// Is it a policy, and one that every body has the form for?
dbvh_status dbvhi_scene_check_policy( const dbvh_scene *scene, dbvh_policy policy, dbvh_error *error );

// Bounds a length of the scene by one in the frame of a body, where queries measure clearances, tolerances, radii and
// distances, and the other way round. No entry of R^T R - I is above d in size, so a vector v of the body has a length
// from sqrt( 1 - 3 d ) |v| to sqrt( 1 + 3 d ) |v| in the scene: 2 d covers both ways, and 2^-40 the rounding of sums.
static inline double dbvhi_stretched( double length, double deviation ) {
	return length * ( 1.0 + 0x1p-40 + 2.0 * deviation );
}

// A box along the axes that encloses every triangle of a tree at a pose, grown by `reach` on each side.
void dbvhi_posed_box( const dbvh_tree *tree, const dbvh_pose *pose, double reach, double box_out[DBVHI_BOX_NUMBERS] );

// The root of a tree at a pose: its box, and a ball that holds the same.
typedef struct dbvhi_posed_root {
	double axis[3][3], centre[3], ball[3];
	dbvhi_vec half;
	double reach, margin; // radius of the ball with the margin; growth of the box
} dbvhi_posed_root;

void dbvhi_posed_root_make( const dbvh_tree *tree, const dbvh_pose *pose, double grown, dbvhi_posed_root *out,
                            double box_out[DBVHI_BOX_NUMBERS] );

// The lane of a body of that tree and radius, for many at once.
void dbvhi_root_lane( const dbvh_tree *tree, double radius, dbvhi_root_lanes *lanes, int lane );

// The slack for poses that deviate so far from rotations (boxes.c); `both` is the sum of the largest coordinates of
// both.
static inline double dbvhi_roots_slack( double deviation, double both ) {
	return 64.0 * deviation * both;
}

// Do the two certainly not meet?
bool dbvhi_posed_roots_apart( const dbvhi_posed_root *a, const dbvhi_posed_root *b, double slack );

// Are the two looked at? *rule_out is what holds for them.
bool dbvhi_scene_rule( const dbvh_scene *scene, uint32_t a, uint32_t b, dbvh_pair_rule *rule_out );

// The relate query of a pair of bodies, with the tolerances of their rule and their sags.
dbvh_relate_query dbvhi_scene_relate_query( const dbvh_scene *scene, uint32_t a, uint32_t b,
                                            const dbvh_budget *budget );

// Makes the boxes of what has moved and brings the tree over them up to date. `watch` is asked whether to go on: what
// it says, and OUT_OF_MEMORY, leave the rest to the next call.
dbvh_status dbvhi_scene_update( dbvh_scene *scene, dbvhi_meter *watch );

// The same where only the caller of a budget is asked; NULL: nobody is.
dbvh_status dbvhi_scene_update_for( dbvh_scene *scene, const dbvh_budget *budget );

// The budget of a question that brings this one, or none.
static inline const dbvh_budget *dbvhi_scene_budget( const dbvh_scene *scene, const dbvh_budget *own ) {
	return own != NULL || !scene->has_budget ? own : &scene->budget;
}
