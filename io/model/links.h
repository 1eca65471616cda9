// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The links of a model and their joints by name.

#pragma once

#include "model/model.h"

// All zero has no names. The texts are the model's.
typedef struct scene_link_names {
	scene_names links;
	scene_names joints; // number: that of the link below the joint
} scene_link_names;

// False where there is no memory.
bool scene_link_names_make( const scene_model *model, scene_link_names *out );
void scene_link_names_free( scene_link_names *names );

// Does a joint have a number of its own?
bool scene_joint_moves( const scene_link *link );

// A hint for a mistyped name: "; did you mean 'elbow'?", or a list of all names if they are few, or nothing. Of joints
// only those that move are offered.
typedef enum scene_kin { SCENE_KIN_LINK, SCENE_KIN_JOINT } scene_kin;
void scene_suggest( const scene_model *model, scene_kin kin, const char *typed, char *text, size_t room );
