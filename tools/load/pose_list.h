// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses in the order of their file.

#pragma once

#include "dualbvh/base.h"

typedef enum pose_format {
	POSES_AUTO,
	POSES_ROWS12,    // the rows of [R|t]
	POSES_ROWS16,    // the rows of the 4 x 4 matrix, in one line or in four
	POSES_COLUMNS16, // its columns
	POSES_T_XYZW,    // translation, quaternion
	POSES_T_WXYZ,
	POSES_TUM, // a time, which says nothing here, translation, quaternion
} pose_format;

// The options for all poses.
typedef struct pose_options {
	const char *format_name;
	pose_format format; // from poses_check_options()
	bool normalise, quiet;
} pose_options;

typedef struct pose_list {
	dbvh_pose *poses;
	size_t count, capacity;
	size_t normalised;   // how many were normalised
	double largest_move; // largest change of an entry by that
} pose_list;

void poses_free( pose_list *list );

// Adds a pose. False after a sentence.
bool poses_append( pose_list *list, const dbvh_pose *pose );
