// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes for tests and benchmarks: real ones where the machine has them, generated ones otherwise.

#pragma once

#include "dualbvh/mesh.h"

// The folder of real meshes: DUALBVH_DATA, else shared/data beside the project. It need not exist.
const char *data_folder( void );

// Loads folder/name, for example "stanford/happy_vrip_res4.ply". NULL where there is no such file; a file that is
// there but cannot be read ends the program with a sentence.
dbvh_mesh *data_mesh( const char *name );
