// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rows of joint numbers, a configuration each: as text, or as a two-dimensional array of NumPy (.npy).
//
// Text has a row a line, with blanks, tabs, commas or semicolons between its numbers; '#' begins a comment. A first
// line of names says which joint each column is, in any order; joints that it leaves out stay where they are. Without
// it, and in an array, there is a column for each joint that moves by itself, in the order of the URDF file. Angles are
// in radians, lengths in the unit of the model.

#pragma once

#include "model/model.h"

typedef struct scene_rows {
	size_t count;
	double *values; // row i begins at i * link_count of the model: a number for each link, as in scene_state
} scene_rows;

void scene_rows_free( scene_rows *rows );

// `start` is where joints are that a heading leaves out: the values of a state; NULL: 0. What is beyond the limits of
// its joint is kept, and a note in the model says how much of it there is. Errors: MALFORMED with the line or, in an
// array, the row in error->element; NOT_FINITE, EMPTY, OUT_OF_MEMORY, those of npy_read().
dbvh_status scene_read_joints( const unsigned char *bytes, size_t count, scene_model *model, const double *start,
                               scene_rows *out, dbvh_error *error );

// The links whose joints are the columns of rows without a heading; room for link_count. Returns how many there are.
size_t scene_joint_columns( const scene_model *model, uint32_t *links_out );
