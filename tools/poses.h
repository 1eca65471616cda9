// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The reader of pose files: one pose a line, the twelve numbers of the rows of [R|t]; '#' begins a comment.

#pragma once

#include "dualbvh/base.h"

typedef struct pose_list {
	dbvh_pose *poses;
	size_t count, capacity;
} pose_list;

// Reads every pose and checks each as a query would, so that nothing fails halfway through the work. "-" is standard
// input. On a mistake: a sentence with file and line on stderr, an empty list, and false. A file without any pose is
// a mistake.
bool poses_read( const char *file, pose_list *list );
void poses_free( pose_list *list );

// Adds one. False after a sentence.
bool poses_append( pose_list *list, const dbvh_pose *pose );

// One pose from the value of an option: twelve numbers with blanks or commas between them, or a file with one pose.
// False after a sentence.
bool pose_argument( const char *option, const char *text, dbvh_pose *out );
