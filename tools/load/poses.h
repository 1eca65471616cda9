// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The reader of pose files: NumPy's .npy, or a table of numbers with blanks, commas or semicolons between them; '#'
// begins a comment, and a first line without numbers is a heading. What the numbers are is told by how many there are
// in a row, by --pose-format, or by the heading.

#pragma once

#include "load/pose_list.h"

// Options of every command with poses, for the tables; `poses` is the member of the settings.
#define POSES_FORMAT_ENTRY( poses )                                                                                    \
	{                                                                                                                  \
		"pose-format", 0, "NAME", ARG_TO( ARG_TEXT, poses.format_name ),                                               \
		    "what a pose is: auto, rows12, rows16, columns16, t-xyzw, t-wxyz or tum; see below"                        \
	}
#define POSES_NORMALISE_ENTRY( poses )                                                                                 \
	{                                                                                                                  \
		"normalise", 0, NULL, ARG_TO( ARG_FLAG, poses.normalise ),                                                     \
		    "replace the 3x3 part R of each pose by the nearest rotation"                                              \
	}
#define POSES_NORMALIZE_ENTRY( poses )                                                                                 \
	{ "normalize", 0, NULL, ARG_TO( ARG_FLAG, poses.normalise ), NULL }

// For their help.
#define POSES_HELP                                                                                                     \
	"\n"                                                                                                               \
	"A pose is a line of 12 numbers, the rows of [R|t] (rows12); of 16, the rows of the 4 x 4 matrix, or four\n"       \
	"lines of 4 (rows16); of 7, tx ty tz qx qy qz qw (t-xyzw): a translation and a quaternion; or of 8, a time\n"      \
	"before those 7, as in trajectories of TUM (tum). --pose-format names other forms: columns16 for the columns\n"    \
	"of a 4 x 4 matrix, t-wxyz for tx ty tz qw qx qy qz. Numbers are separated by blanks, commas or semicolons,\n"     \
	"# begins a comment, and the first line may be a heading; one of tx ty tz qx qy qz qw in any order, with or\n"     \
	"without a time, sets the order. A .npy file of NumPy has n x 4 x 4, n x 3 x 4 or a row of so many numbers\n"      \
	"a pose, or one 4 x 4, in float64 or float32. R must be a rotation, as precise as floats or six digits.\n"

// Finds the format by its name. False after a sentence; `command` is for it.
bool poses_check_options( pose_options *w, const char *command );

// Reads every pose and checks each as a query would, so that nothing fails halfway through the work. "-" is standard
// input. On a mistake: a sentence with file and line on stderr, an empty list, and false. A file without any pose is
// a mistake.
bool poses_read( const char *file, const pose_options *w, pose_list *list );

// Adds one pose from the value of an option: its numbers, or a file with one pose. False after a sentence.
bool pose_argument( const char *option, const char *text, const pose_options *w, pose_list *list );
