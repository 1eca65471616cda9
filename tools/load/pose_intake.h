// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Shared by the readers of poses: makes a pose of its numbers, whatever file they come from, and checks it.

#pragma once

#include "cli/complain.h"
#include "load/pose_list.h"

#include <stdio.h>

enum { POSE_MOST_NUMBERS = 16 };

// Poses on their way from a file into a list.
typedef struct pose_intake {
	const char *name; // the file or the option, for sentences
	const pose_options *options;
	pose_list *list;
	pose_format format; // format of every pose; POSES_AUTO until the first one tells
	size_t line;        // line of the text, from 1; 0: there are no lines
	bool is_array;      // sentences name the pose by its number
	size_t worst;       // line or pose that normalising moved most
} pose_intake;

void pose_intake_begin( pose_intake *in, const char *name, const pose_options *options, pose_list *list );

// A sentence with the place where it is wrong; returns false.
bool pose_refuse( const pose_intake *in, const char *format, ... ) PRINTF_LIKE( 2, 3 );

// Tells the format by how many numbers the first pose has. False after a sentence.
bool pose_find_format( pose_intake *in, size_t found );

// False after a sentence: a pose of this format has another number of numbers.
bool pose_check_count( const pose_intake *in, size_t found );

// Appends the pose that has these numbers, in the order of the format. False after a sentence.
bool pose_take( pose_intake *in, const double *numbers );

// The two kinds of file, from where `file` stands to its end. False after a sentence.
bool pose_read_text( pose_intake *in, FILE *file );
bool pose_read_npy( pose_intake *in, FILE *file );

// One pose from a text with blanks for line ends. False after a sentence.
bool pose_read_argument( pose_intake *in, const char *text );
