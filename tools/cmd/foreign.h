// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files that libraries of Python read: IFC, USD, and STEP where OpenCASCADE is not in.

#pragma once

#include "model/model.h"

// Becomes the program `dualbvh-models` of the Python package where a word names such a file, or a JSON scene that
// speaks of one; that program writes what it reads as scenes of the command, and runs this command again.
// DUALBVH_MODELS in the environment names another program; where it is empty, none. Returns if there is no such word or
// no such program.
void foreign_hand_over( int argc, char **argv );

// The file that a converted one was made of, by the name that the command line or a scene gave it; the path itself
// where it is no converted one. DUALBVH_CONVERTED in the environment names the folder of those, which is gone after
// this run.
const char *foreign_original( const char *path );

// Leaves that folder out of the notes.
void foreign_clean_notes( scene_model *model );
