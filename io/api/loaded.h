// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The object of dualbvh/io/load.h, and the steps that make it.

#pragma once

#include "dualbvh/io/load.h"
#include "model/assembly.h"
#include "model/links.h"
#include "model/rules_apply.h"
#include "model/trees.h"

struct dbvh_loaded {
	scene_assembly assembly;
	scene_link_names names;
	scene_trees trees;
	scene_given_rules rules;
	dbvh_scene *scene;
	dbvh_robot *robot; // NULL: no file has links
};

// Makes the robot of the model's links, which hang on the world by joints of kind `base`. Bodies of the model are in
// the frames of their links then. NULL where there is no link.
dbvh_status loaded_make_robot( const scene_model *model, dbvh_joint_kind base, dbvh_robot **out, dbvh_error *error );

// The configuration of a number for each link (NULL: all 0). The row has room for the width of the layout.
void loaded_row( const scene_model *model, const dbvh_robot *robot, dbvh_robot_layout layout, const double *values,
                 double *row_out );
