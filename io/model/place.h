// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The links of a model as a robot of the library.

#pragma once

#include "dualbvh/robot.h"
#include "model/model.h"

// Makes a robot whose link i is link i of the model and whose bodies are those of the model that a link carries.
// Errors: those of the library. NULL on failure.
dbvh_status scene_robot_make( const scene_model *model, dbvh_robot **out, dbvh_error *error );

// The configuration (DBVH_ROBOT_LAYOUT_ANGLES) for a number for each link of the model (NULL: all 0).
void scene_robot_row( const scene_model *model, const dbvh_robot *robot, const double *values, double *row_out );
