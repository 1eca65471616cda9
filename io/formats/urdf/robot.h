// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The elements of a URDF file by name, before anything is checked against anything else; and the links and bodies that
// they become.

#pragma once

#include "formats/files.h"
#include "model/solids.h"

// The geometry of one <collision> or <visual>.
typedef struct robot_geometry {
	char *name; // NULL: it has none
	char *file; // mesh file; NULL: a solid
	scene_solid_kind solid;
	double size[3];
	double scale[3]; // applied to the mesh
	dbvh_pose origin;
	int64_t line;
} robot_geometry;

typedef struct robot_link {
	char *name;
	size_t first_geometry, geometry_count;
	int64_t line;
} robot_link;

typedef struct robot_joint {
	char *name, *parent, *child;
	char *mimic; // NULL: it follows none
	double factor, offset;
	scene_joint_kind kind;
	dbvh_joint_kind stated; // the kind in the file; one number does not say how planar and floating joints move
	dbvh_pose origin;
	double axis[3];
	double lower, upper;
	int64_t line;
} robot_joint;

typedef struct robot {
	robot_link *links;
	size_t link_count, link_capacity;
	robot_joint *joints;
	size_t joint_count, joint_capacity;
	robot_geometry *geometries;
	size_t geometry_count, geometry_capacity;
} robot;

// The elements of a URDF file.
dbvh_status robot_read( const unsigned char *bytes, size_t count, bool wants_visual, robot *out, dbvh_error *error );
void robot_free( robot *r );

// Checks that the links are one tree, adds them to the model, parents first, then bodies with their meshes, and a rule
// for each two links that are neighbours: they may meet, as long as no SRDF says which may.
dbvh_status robot_build( const robot *r, const scene_source *source, scene_model *model, dbvh_error *error );
