// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A matrix of rules: a table whose first row and first column hold patterns, and each cell what the rule of these two
// asks. docs/command.md is its manual.

#pragma once

#include "model/model.h"

// Adds a rule for each cell that says something. Errors: MALFORMED with the line, OUT_OF_MEMORY.
dbvh_status scene_matrix_parse( scene_model *model, const unsigned char *bytes, size_t count, dbvh_error *error );

// `file` must live as long as the model: its rules name it.
dbvh_status scene_matrix_read( scene_model *model, const char *file, dbvh_error *error );
