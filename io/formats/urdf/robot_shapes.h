// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The meshes of a robot's geometry: a file is read once, a file under a scale and a solid of a size become one mesh of
// the model, however many links have them.

#pragma once

#include "formats/urdf/robot.h"
#include "model/baked.h"

typedef struct robot_solid {
	char *key;
	uint32_t mesh;
	double sag;
} robot_solid;

// All zero has none. Texts are those of the robot, which must outlive it.
typedef struct robot_shapes {
	scene_baked baked;
	scene_names file_names, solid_names;
	dbvh_mesh **files;
	size_t file_count, file_capacity;
	robot_solid *solids;
	size_t solid_count, solid_capacity;
} robot_shapes;

void robot_shapes_free( robot_shapes *shapes );

// Is it a solid that has no inside?
bool robot_shape_is_empty( const robot_geometry *g );

// The number of its mesh in the model, and how far that may be from what it stands for. SCENE_NONE after filling in
// *error.
uint32_t robot_shape_mesh( robot_shapes *shapes, const scene_source *source, scene_model *model,
                           const robot_geometry *g, double *sag_out, dbvh_error *error );

double robot_shapes_most_sag( const robot_shapes *shapes );
