// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Mesh files that are read without their bad faces, where the user wants that, and what is said about it.

#pragma once

#include "model/model.h"

enum { SCENE_SKIPPED_ROOM = 160 };

// "2 faces that cross or touch themselves are left out (the first: on line 7); the mesh is open there". False where no
// face was left out.
bool scene_skipped_text( const dbvh_mesh *mesh, char text[SCENE_SKIPPED_ROOM] );

// "faces that cross or touch themselves", for a number before it.
const char *scene_skipped_words( size_t count );

// dbvh_mesh_parse() by model->skips_bad_faces; the faces that are left out become a note, and are counted.
dbvh_status scene_parse_mesh( const unsigned char *bytes, size_t count, dbvh_mesh_format format, const char *name,
                              scene_model *model, dbvh_mesh **mesh_out, dbvh_error *error );
